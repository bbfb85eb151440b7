/**
 * npm run chaos -- alertmanager: runs Debian's Prometheus and Alertmanager, set up with the
 * configuration that creating the integration prints. Both are stopped or killed on the way. One
 * receiver notifies both doors: the alert router's and the native one (opsgenie_configs), each with
 * a token of its own. Acceptance: an alert group fires and resolves; at the first door exactly one
 * incident per alert opens and resolves, at the second exactly one for each time that Alertmanager
 * tells of the group; restarts mid-way change nothing. (A killed Alertmanager may first be told of
 * what has resolved, and then closes the group by itself.) A third integration gets the same
 * notifications as the first, and a routing rule puts its alerts into one incident, which ends with
 * the last of them.
 *
 * Prometheus scrapes a tiny exporter of this process, whose series the run turns on and off.
 * Alertmanager keeps the printed receiver and route; only its waiting times are shortened, since
 * its defaults are minutes. It is stopped, killed, and killed with its storage lost: then it has
 * forgotten which notifications it sent, and sends everything again.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { program } from '../harness/debian.ts'
import { freePort } from '../harness/free-ports.ts'
import { type Product, startProduct } from '../harness/product.ts'
import { ALERTMANAGER, type Program, startAlertmanager as startOne, startProgram, withWaits } from '../harness/programs.ts'
import { until } from '../harness/until.ts'
import { report, type Verdicts } from './checks.ts'
import { readBack } from './readback.ts'

const PROMETHEUS = 'prometheus'

/** A metric with one series per name, 1 while the name is among the broken ones. */
async function startExporter(names: readonly string[]): Promise<{ port: number; broken: Set<string>; close(): Promise<void> }> {
  const broken = new Set<string>()
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4' })
    response.end(`# TYPE disk_broken gauge\n${names.map((name) => `disk_broken{disk="${name}"} ${broken.has(name) ? 1 : 0}\n`).join('')}`)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    broken,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      })
  }
}

/**
 * A proxy between Alertmanager and the door that passes everything on and records it.
 * test/fixtures/senders/alertmanager.json was made with it.
 */
async function startRecorder(door: string): Promise<{ url: string; recorded: string[]; close(): Promise<void> }> {
  const recorded: string[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks)
      recorded.push(body.toString().trim())
      const headers = { 'content-type': 'application/json', authorization: request.headers.authorization ?? '' }
      fetch(door, { method: 'POST', headers, body }).then(
        (answer) => response.writeHead(answer.status).end(),
        () => response.writeHead(502).end()
      )
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    recorded,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      })
  }
}

/**
 * The first wait is longer than Prometheus takes to repeat everything. Otherwise an Alertmanager
 * that has forgotten its alerts, and first hears of those that ended, tells that the whole group
 * has ended.
 */
const WAITS = { group_wait: '3s', group_interval: '1s', repeat_interval: '2s' }

/**
 * Joins the receivers: the first one also gets the configurations of the others. So one receiver
 * notifies both doors, and the first door for two integrations. It also sends updates, which are
 * off by default.
 */
function together(webhook: string, ruled: string, native: string): string {
  const block = native.slice(native.indexOf('    opsgenie_configs:'))
  if (!block.includes('api_url')) throw new Error(`the printed alertmanager.yml has no opsgenie_configs:\n${native}`)
  const [, another] = ruled.split('    webhook_configs:\n')
  if (!another) throw new Error(`the printed alertmanager.yml has no webhook_configs:\n${ruled}`)
  return `${webhook}${another.trimEnd()}\n${block.trimEnd()}\n        update_alerts: true\n`
}

const prometheusConfig = (exporter: number, alertmanager: number, rules: string): string => `global:
  scrape_interval: 500ms
  scrape_timeout: 500ms
  evaluation_interval: 500ms
rule_files: ['${rules}']
alerting:
  alertmanagers:
    - static_configs:
        - targets: ['127.0.0.1:${alertmanager}']
scrape_configs:
  - job_name: disks
    static_configs:
      - targets: ['127.0.0.1:${exporter}']
`

const RULES = `groups:
  - name: disks
    rules:
      - alert: DiskBroken
        expr: disk_broken == 1
        labels:
          severity: critical
        annotations:
          summary: 'Disk {{ $labels.disk }} is broken'
          description: 'The exporter says so.'
`

const disks = ['a', 'b', 'c', 'd', 'e'] as const

const listed = (found: readonly Found[]): string => found.map(({ title, status }) => `${title} (${status})`).join(', ')

interface Found {
  id: string
  title: string
  status: 'ongoing' | 'resolved'
}

/**
 * Runs the story on a product that is up. `recordTo` names a file for the requests that
 * Alertmanager posts.
 */
export async function withAlertmanager(product: Product, tell: (line: string) => void, recordTo?: string): Promise<Verdicts> {
  for (const name of [PROMETHEUS, ALERTMANAGER]) await program(name, name)
  const folder = mkdtempSync(join(tmpdir(), 'service-alertmanager-test-'))
  const violations: string[] = []
  const must = (holds: boolean, sentence: string): void => {
    if (!holds) violations.push(sentence)
  }
  const programs: { prometheus: Program | null; alertmanager: Program | null } = { prometheus: null, alertmanager: null }
  const exporter = await startExporter(disks)
  let recorder: Awaited<ReturnType<typeof startRecorder>> | undefined
  const pool = product.pool()
  try {
    /** Creates an integration; returns it with the alertmanager.yml that its creation prints. */
    const create = async (name: string, isPrinted: (text: string) => boolean): Promise<{ id: string; text: string }> => {
      const made = await product.api('POST', '/api/v1/integrations/inbound', { name, source_type: 'alertmanager' })
      const instructions = (made.body.instructions ?? []) as { title: string; text: string }[]
      const found = instructions.find(({ title, text }) => title.startsWith('alertmanager.yml') && isPrinted(text))
      if (made.status !== 201 || !found) throw new Error(`the integration's creation answered ${made.status} without an alertmanager.yml`)
      return { id: String(made.body.id), text: found.text }
    }
    const printed = await create('Prometheus', (text) => text.includes('webhook_configs'))
    const native = await create('Prometheus, by groups', (text) => text.includes('opsgenie_configs'))
    const ruled = await create('Prometheus, by rules', (text) => text.includes('webhook_configs'))
    const rule = await product.api('POST', '/api/v1/routing-rules', {
      name: 'One incident of all',
      match: { all: [{ field: 'integration_id', op: 'eq', value: ruled.id }] },
      actions: { group: { by: ['label.alertname'], window_seconds: 86_400, max_alerts: 100 } }
    })
    if (rule.status !== 201) throw new Error(`POST /api/v1/routing-rules answered ${rule.status}: ${JSON.stringify(rule.body)}`)
    const integration = printed.id

    const [prometheusPort, alertmanagerPort] = [await freePort(), await freePort()]
    const file = (name: string): string => join(folder, name)
    const door = `${product.access.base_url}/api/v1/webhook/alertmanager`
    if (!printed.text.includes(`url: ${door}\n`)) throw new Error(`the printed alertmanager.yml does not name the door ${door}`)
    if (recordTo !== undefined) recorder = await startRecorder(door)
    const config = withWaits(recorder ? printed.text.replace(door, recorder.url) : printed.text, WAITS)
    writeFileSync(file('alertmanager.yml'), together(config, ruled.text, native.text), { mode: 0o600 })
    writeFileSync(file('rules.yml'), RULES)
    writeFileSync(file('prometheus.yml'), prometheusConfig(exporter.port, alertmanagerPort, file('rules.yml')))
    const startAlertmanager = (storage: string): Promise<Program> =>
      startOne(file('alertmanager.yml'), file(storage), alertmanagerPort, file('alertmanager.log'))
    programs.alertmanager = await startAlertmanager('storage')
    const startPrometheus = (): Promise<Program> =>
      startProgram(
        PROMETHEUS,
        [
          `--config.file=${file('prometheus.yml')}`,
          `--storage.tsdb.path=${file('tsdb')}`,
          `--web.listen-address=127.0.0.1:${prometheusPort}`,
          // So a restarted Alertmanager hears of firing alerts within a second instead of a minute.
          '--rules.alert.resend-delay=1s'
        ],
        prometheusPort,
        file('prometheus.log')
      )
    programs.prometheus = await startPrometheus()
    tell(`Prometheus (${programs.prometheus.pid}) and Alertmanager (${programs.alertmanager.pid}) are up`)

    const incidents = async (of = integration): Promise<Found[]> => {
      const list = await product.api('GET', `/api/v1/incidents?integration_id=${of}&per_page=100&sort=number`)
      return (list.body.items ?? []) as Found[]
    }
    /** Signals that the keys of an integration got so far, applied or not. */
    const signals = async (of = integration): Promise<number> => {
      const { rows } = await pool.query<{ signals: number }>(
        'SELECT coalesce(sum(occurrences), 0)::bigint AS signals FROM signals WHERE dedup_key LIKE $1',
        [`int:${of}:%`]
      )
      return rows[0]?.signals ?? 0
    }
    /**
     * Waits until the alerts and their group have these numbers of incidents; a wrong number shows
     * at once.
     */
    const expectState = async (what: string, ongoing: number, resolved: number, groups: number): Promise<void> => {
      await expectOf(integration, what, ongoing, resolved)
      const open = ongoing > 0 ? 1 : 0
      await expectOf(native.id, `${what}, as a group`, open, groups - open, true)
      await expectOf(ruled.id, `${what}, by a rule`, open, groups - open)
    }
    /** `orMore`: more incidents may have ended; what the sender told is counted at the end. */
    const expectOf = async (of: string, what: string, ongoing: number, resolved: number, orMore = false): Promise<void> => {
      let found: Found[] = []
      await until(
        what,
        async () => {
          found = await incidents(of)
          const open = found.filter(({ status }) => status === 'ongoing').length
          const isMore = found.length > ongoing + resolved
          return (isMore && !orMore) || (open === ongoing && (isMore || found.length === ongoing + resolved))
        },
        45_000
      ).catch((error: Error) => violations.push(`${error.message}; there are ${listed(found)}`))
      must(orMore || found.length <= ongoing + resolved, `${what}: there are ${found.length} incidents: ${listed(found)}`)
      tell(`${what}: ${ongoing} ongoing, ${found.length - ongoing} resolved`)
    }
    /**
     * Waits until Alertmanager has sent `times` more notifications, so that those after a restart
     * have certainly arrived.
     */
    const told = async (what: string, times: number): Promise<void> => {
      const [before, grouped] = [await signals(), await signals(native.id)]
      const heard = async (): Promise<boolean> => (await signals()) >= before + times && (await signals(native.id)) > grouped
      await until(what, heard, 45_000).catch((error: Error) => violations.push(error.message))
    }

    for (const disk of disks) exporter.broken.add(disk)
    await expectState('five alerts fire', 5, 0, 1)

    await programs.alertmanager.kill('SIGTERM')
    programs.alertmanager = await startAlertmanager('storage')
    await told('Alertmanager, started again, to repeat its group', disks.length)
    await expectState('Alertmanager was stopped and started again', 5, 0, 1)

    exporter.broken.delete('a')
    exporter.broken.delete('b')
    await expectState('two alerts resolve', 3, 2, 1)

    await programs.alertmanager.kill('SIGKILL')
    programs.alertmanager = await startAlertmanager('storage')
    await told('Alertmanager, killed, to repeat its group', 3)
    await expectState('Alertmanager was killed and started again', 3, 2, 1)

    await programs.alertmanager.kill('SIGKILL')
    programs.alertmanager = await startAlertmanager('empty-storage')
    await told('Alertmanager, with nothing remembered, to tell its group anew', 3)
    await expectState('Alertmanager was killed and started with an empty storage', 3, 2, 1)

    await programs.prometheus.kill('SIGTERM')
    programs.prometheus = await startPrometheus()
    await told('Alertmanager, after Prometheus was started again, to repeat its group', 3)
    await expectState('Prometheus was stopped and started again', 3, 2, 1)

    exporter.broken.clear()
    await expectState('all alerts resolve', 0, 5, 1)

    // The control: an alert that fires anew does open an incident, so the check for no more than
    // five above is meaningful.
    exporter.broken.add('a')
    await expectState('one alert fires anew', 1, 5, 2)
    exporter.broken.clear()
    await expectState('and resolves', 0, 6, 2)

    const found = await incidents()
    const titles = found.map(({ title }) => title).sort()
    const wanted = [...disks, 'a'].map((disk) => `Disk ${disk} is broken`).sort()
    must(JSON.stringify(titles) === JSON.stringify(wanted), `the incidents are ${titles.join(', ')}`)
    const members = async ({ id }: Found): Promise<string[]> => {
      const list = await product.api('GET', `/api/v1/incidents/${id}/alerts?per_page=100`)
      return ((list.body.items ?? []) as Found[]).map(({ title, status }) => `${title}, ${status}`).sort()
    }
    const groups = [disks.map((disk) => `Disk ${disk} is broken, resolved`), ['Disk a is broken, resolved']]
    for (const [at, incident] of (await incidents(ruled.id)).entries()) {
      const alerts = await members(incident)
      must(JSON.stringify(alerts) === JSON.stringify(groups[at]), `incident ${at + 1} of the rule has the alerts ${alerts.join('; ')}`)
    }
    const ids = new Set([...found, ...(await incidents(native.id))].map(({ id }) => id))
    await until(
      'the outbox to be empty',
      async () => (await pool.query<{ waiting: boolean }>('SELECT EXISTS (SELECT FROM outbox) AS waiting')).rows[0]?.waiting === false
    )
    const log = await readBack(product)
    let episodes = 0
    try {
      let isOpen = false
      for (const { value } of await log.read('alerts.inbound.v1')) {
        const alert = value && log.codec.decode('InboundAlert', value)
        if (alert?.integration_id !== native.id || (alert.action !== 'fire' && alert.action !== 'resolve')) continue
        if (alert.action === 'fire' && !isOpen) episodes += 1
        isOpen = alert.action === 'fire'
      }
      const told = (await incidents(native.id)).length
      must(told === episodes, `Alertmanager told of its group ${episodes} times, and there are ${told} incidents`)
      const changes = new Map<string, string[]>()
      const seen = new Set<string>()
      for (const { value } of await log.read('incident.events.v1')) {
        const event = value && log.codec.decode('IncidentEvent', value)
        if (!event || !ids.has(event.incident_id) || seen.has(event.event_id)) continue
        seen.add(event.event_id)
        // Every workspace has a policy, so escalation also adds events while the incident is open.
        if (event.change === 'escalated') continue
        changes.set(event.incident_id, [...(changes.get(event.incident_id) ?? []), event.change])
      }
      for (const { id, title } of await incidents(native.id)) {
        const events = changes.get(id) ?? []
        const middle = events.slice(1, -1).every((change) => change === 'updated')
        must(
          events[0] === 'created' && events.at(-1) === 'resolved' && middle,
          `incident.events.v1 says of the group "${title}": ${events.join(', ')}`
        )
        must(title.startsWith('DiskBroken'), `the group is called "${title}"`)
      }
      for (const { id, title } of found) {
        const events = changes.get(id)?.join(', ')
        must(events === 'created, resolved', `incident.events.v1 says of "${title}": ${events}`)
      }
    } finally {
      await log.close()
    }
    if (recorder && recordTo !== undefined) writeFileSync(recordTo, `[\n  ${recorder.recorded.join(',\n  ')}\n]\n`)
    return {
      counts: {
        incidents: found.length,
        groups: (await incidents(native.id)).length,
        groups_told_of: episodes,
        groups_of_a_rule: (await incidents(ruled.id)).length,
        alertmanager_restarts: 3,
        prometheus_restarts: 1,
        signals_heard: await signals(),
        group_signals_heard: await signals(native.id)
      },
      violations
    }
  } finally {
    await programs.prometheus?.kill('SIGTERM')
    await programs.alertmanager?.kill('SIGTERM')
    await exporter.close()
    await recorder?.close()
    await pool.end()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Resolves with whether every check held. */
export async function run(args: string[]): Promise<boolean> {
  const { values } = parseArgs({ args, options: { record: { type: 'string' } } })
  console.log(
    'alertmanager: a group of five alerts from a real Prometheus through both doors, Alertmanager restarted three times, Prometheus once'
  )
  const product = await startProduct()
  try {
    const verdicts = await withAlertmanager(product, console.log, values.record)
    const good = report(verdicts)
    console.log(good ? 'alertmanager: every invariant held' : `alertmanager: ${verdicts.violations.length} violations`)
    return good
  } finally {
    await product.stop()
  }
}
