/**
 * Tests of the commands that the integration page tells people to try. A shell runs each as printed
 * against a real door, and the door must accept it; every source has a command. Amazon SNS signs
 * its messages, so nobody can try it by hand; its proof has its own tests.
 */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import t from 'tap'
import { sourceTypes } from '../../../schemas/generated/source-types.ts'
import { decode } from '../../../services/intake/body.ts'
import { sources } from '../../../services/intake/sources/index.ts'
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
