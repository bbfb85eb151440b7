/**
 * Tests of the commands that the integration page tells people to try. A shell runs each as printed
 * against a real door, and the door must accept it; every source has a command. Amazon SNS signs
 * its messages, so nobody can try it by hand; its proof has its own tests.
 */
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { sourceTypes } from '../../../schemas/generated/source-types.ts'
import { decode } from '../../../services/intake/body.ts'
import { sources } from '../../../services/intake/sources/index.ts'
import { program } from '../../harness/debian.ts'
import { freePort } from '../../harness/free-ports.ts'
import { startProgram } from '../../harness/programs.ts'
import { until } from '../../harness/until.ts'
import { integration } from './credential.ts'
import { stand } from './stand.ts'

const shell = promisify(execFile)
const signed = ['cloudwatch']

const tokenOf = (kind: string): string => `svc_${kind.padEnd(43, 'x')}`

t.test('a door accepts each command of an integration page as printed', async (t) => {
  const byToken = new Map(sourceTypes.map((source_type) => [tokenOf(source_type), integration({ source_type })]))
  const door = await stand(t, { check: (token) => byToken.get(token) ?? null })
  for (const kind of sourceTypes) {
    const commands = sources[kind].about
      .instructions(`http://127.0.0.1:${door.port}`, tokenOf(kind))
      .filter(({ language, text }) => language === 'shell' && text.startsWith('curl '))
    if (signed.includes(kind)) {
      t.same(commands, [], `${kind}: nobody can sign by hand`)
      continue
    }
    t.ok(commands.length > 0, `${kind}: something to try`)
    for (const { title, text } of commands) {
      const before = door.alerts().length
      const { stdout } = await shell('bash', ['-euc', text])
      t.match(JSON.parse(stdout), { status: 'accepted' }, `${kind}: ${title}`)
      const alerts = door.alerts().slice(before)
      t.ok(alerts.length > 0, `${kind}: ${title}: an alert on the log`)
      for (const alert of alerts) t.equal(alert.source, kind)
    }
  }
})

/** Fills a template as Handlebars does: a value is escaped for HTML and not for JSON. */
function filled(template: string, values: Readonly<Record<string, string>>): string {
  const html: Readonly<Record<string, string>> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#x27;',
    '`': '&#x60;',
    '=': '&#x3D;'
  }
  return template
    .replace(/\{\{#each TAGS\}\}.*\{\{\/each\}\}/, '"prod","shop"')
    .replace(/\{\{(\w+)\}\}/g, (_, name: string) => (values[name] ?? '').replace(/[&<>"'`=]/g, (sign) => html[sign] ?? sign))
}

t.test('the template for Checkly carries an error of several lines with backslashes and quotes', async (t) => {
  const template = sources.checkly.about.instructions('https://service.example.test', 'svc_x').find(({ title }) => title === 'Body')?.text
  const error = 'expect(received).toMatch(expected)\n\n\u001b[31mExpected: /\\d+ "euro"/\u001b[39m\r\n\tReceived: \'none\''
  const rendered = filled(template ?? '', {
    ALERT_TYPE: 'ALERT_FAILURE',
    CHECK_ID: 'c1',
    ALERT_TITLE: 'Check "Pay" has failed',
    CHECK_ERROR_MESSAGE: error
  })
  t.throws(() => JSON.parse(rendered), 'Handlebars makes no valid JSON of it')
  const { body } = decode(Buffer.from(rendered))
  const [event] = sources.checkly.parse({ body, headers: {}, received_at: 1, options: {}, warn: () => undefined })
  t.match(event, { action: 'fire', dedup_key: 'c1', title: 'Check "Pay" has failed' })
  t.equal(event?.description, error)
})

t.test('Prometheus itself reaches the door with the printed prometheus.yml, and its alert resolves', async (t) => {
  const token = tokenOf('alertmanager')
  const own = integration({ source_type: 'alertmanager' })
  const door = await stand(t, { check: (sent) => (sent === token ? own : null) })
  const printed = sources.alertmanager.about
    .instructions(`http://127.0.0.1:${door.port}`, token)
    .find(({ title }) => title.startsWith('prometheus.yml'))
  const folder = t.testdir()
  const rules = (fires: number): void =>
    writeFileSync(
      join(folder, 'rules.yml'),
      `groups: [{ name: own, rules: [{ alert: ReplicaLagging, expr: vector(1) == ${fires}, annotations: { summary: Replica db-8 lags } }] }]\n`
    )
  rules(1)
  writeFileSync(join(folder, 'prometheus.yml'), `global: { evaluation_interval: 1s }\nrule_files: [rules.yml]\n${printed?.text}`)
  await program('prometheus', 'prometheus')
  const port = await freePort()
  const prometheus = await startProgram(
    'prometheus',
    [
      `--config.file=${join(folder, 'prometheus.yml')}`,
      '--rules.alert.resend-delay=1s',
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`
    ],
    port,
    join(folder, 'prometheus.log')
  )
  t.teardown(() => prometheus.kill('SIGKILL'))
  await until('the alert', () => door.alerts().length > 0, 30_000)
  t.match(door.alerts()[0], { source: 'alertmanager', action: 'fire', title: 'Replica db-8 lags' })
  rules(0)
  process.kill(prometheus.pid, 'SIGHUP')
  await until('its end', () => door.alerts().some(({ action }) => action === 'resolve'), 30_000)
  t.equal(new Set(door.alerts().map(({ dedup_key }) => dedup_key)).size, 1)
})
