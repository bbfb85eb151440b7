/**
 * B1 and B2: CPU of intake per accepted alert at 1 and 64 alerts a body, and of the broker beside it, against Debian's Alertmanager taking the same alerts on
 * its own API. Both get the same series by the same generator (wrk, closed loop, 64 connections), in ABBA order.
 *
 * Intake runs as in production: token, budget, parser, Avro, acknowledgement of a real broker with acks=all. Alertmanager keeps alerts in memory only.
 */
import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { makeWorkspace, until } from '../harness/product.ts'
import { figure, median, printMachine, version } from './figures.ts'
import { cpuSeconds, stolen } from './processes.ts'
import { type Stand, stand } from './stand.ts'

const CONNECTIONS = 64
const SERIES = 1000
const TARGET = 1.0
const MOST_STEAL = 0.02

interface Round {
  us: number
  broker: number
  rate: number
  steal: number
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

const labels = (series: number) => ({
  alertname: 'InstanceDown',
  instance: `web-${series}:9100`,
  job: 'node',
  severity: 'critical',
  cluster: 'eu-1',
  team: 'core'
})
const annotations = (series: number) => ({
  summary: `web-${series} is down`,
  description: 'no scrape for 5 minutes',
  runbook_url: 'https://wiki.example.test/down'
})
const generatorURL = 'https://prom.example.test/graph?g0.expr=up%3D%3D0'

/** The same alerts as each side takes them. */
function bodyOf(who: 'intake' | 'alertmanager', series: readonly number[], startsAt: string): string {
  if (who === 'alertmanager')
    return JSON.stringify(series.map((one) => ({ startsAt, labels: labels(one), annotations: annotations(one), generatorURL })))
  return JSON.stringify({
    version: '4',
    groupKey: '{}:{alertname="InstanceDown"}',
    truncatedAlerts: 0,
    status: 'firing',
    receiver: 'service',
    groupLabels: { alertname: 'InstanceDown' },
    commonLabels: { alertname: 'InstanceDown', job: 'node', severity: 'critical' },
    commonAnnotations: {},
    externalURL: 'https://am.example.test',
    alerts: series.map((one) => ({
      status: 'firing',
      labels: labels(one),
      annotations: annotations(one),
      startsAt,
      endsAt: '0001-01-01T00:00:00Z',
      generatorURL,
      fingerprint: (0x9f1c2b7a40000000n + BigInt(one)).toString(16)
    }))
  })
}

/** A wrk script that sends bodies in turn. Bodies are written as Lua long strings. */
function script(file: string, bodies: readonly string[], path: string, headers: Record<string, string>): void {
  const lua = [
    `local bodies = { ${bodies.map((body) => `[==[${body}]==]`).join(',\n')} }`,
    `local headers = { ${Object.entries(headers)
      .map(([name, value]) => `["${name}"] = "${value}"`)
      .join(', ')} }`,
    'local requests, at = {}, 0',
    `function init(args) for i, body in ipairs(bodies) do requests[i] = wrk.format("POST", "${path}", headers, body) end end`,
    'function request() at = at % #requests + 1; return requests[at] end',
    'function done(summary, latency, requests) io.write(string.format("RESULT %d %d %d\\n", summary.requests, summary.errors.status, summary.duration)) end'
  ]
  writeFileSync(file, lua.join('\n'))
}

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: { pairs: { type: 'string', default: '9' }, secs: { type: 'string', default: '6' }, batch: { type: 'string', default: '1,64' } }
  })
  const pairs = Number(values.pairs)
  const secs = Number(values.secs)
  for (const tool of ['wrk', 'prometheus-alertmanager']) {
    try {
      execFileSync('which', [tool], { stdio: 'ignore' })
    } catch {
      throw new Error(`${tool} is not there: apt-get install wrk prometheus-alertmanager`)
    }
  }
  printMachine(
    `CPU (user + system, /proc) per accepted alert; wrk closed loop, ${CONNECTIONS} connections, ${SERIES} series; ${pairs} pairs of ${secs} s, order ABBA, 2 s of warm-up each; median of per-pair ratios; pairs with more than ${MOST_STEAL * 100} % steal are dropped`
  )
  console.log(`peer: ${version('prometheus-alertmanager', '--version')}`)
  const folder = mkdtempSync(join(tmpdir(), 'service-door-test-'))
  const bench = await stand(['alerts.inbound.v1', 'alerts.raw.v1', 'ingest.usage.v1', 'tenant.budgets.v1'])
  const amPort = await freePort()
  writeFileSync(join(folder, 'am.yml'), 'route: { receiver: none, group_wait: 1h }\nreceivers: [{ name: none }]\n')
  const alertmanager = spawn(
    'prometheus-alertmanager',
    [
      `--config.file=${join(folder, 'am.yml')}`,
      `--storage.path=${join(folder, 'am')}`,
      `--web.listen-address=127.0.0.1:${amPort}`,
      '--cluster.listen-address=',
      '--log.level=error'
    ],
    { stdio: 'ignore' }
  )
  try {
    // The budget is on; its floor is raised so that it does not refuse a whole core's worth of one workspace.
    const intake = await bench.role(['intake'], { SERVICE_INGEST_FLOOR_PER_MINUTE: '10000000' })
    const intakePort = await portOf(intake)
    const workspace = await makeWorkspace(bench.pool, 'bench', 'alertmanager')
    await until('Alertmanager', () =>
      fetch(`http://127.0.0.1:${amPort}/-/ready`).then(
        (answer) => (answer.ok ? true : null),
        () => null
      )
    )
    for (const batch of values.batch.split(',').map(Number)) {
      await measure({
        bench,
        folder,
        batch,
        pairs,
        secs,
        intakePid: intake.pid,
        intakePort,
        door: workspace.door,
        amPid: alertmanager.pid ?? 0,
        amPort
      })
    }
  } finally {
    alertmanager.kill('SIGTERM')
    await bench.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function portOf(role: { ports: number[] }): Promise<number> {
  const port = role.ports[0]
  if (!port) throw new Error('intake named no port')
  return port
}

interface Setting {
  bench: Stand
  folder: string
  batch: number
  pairs: number
  secs: number
  intakePid: number
  intakePort: number
  door: string
  amPid: number
  amPort: number
}

async function measure({ bench, folder, batch, pairs, secs, intakePid, intakePort, door, amPid, amPort }: Setting): Promise<void> {
  const startsAt = new Date().toISOString()
  const bodies = (who: 'intake' | 'alertmanager') =>
    Array.from({ length: batch === 1 ? SERIES : 60 }, (_, index) =>
      bodyOf(
        who,
        Array.from({ length: batch }, (_, one) => (index * batch + one) % SERIES),
        startsAt
      )
    )
  const json = { 'Content-Type': 'application/json' }
  script(join(folder, 'intake.lua'), bodies('intake'), '/api/v1/webhook/alertmanager', { ...json, Authorization: `Bearer ${door}` })
  script(join(folder, 'alertmanager.lua'), bodies('alertmanager'), '/api/v2/alerts', json)

  async function round(who: 'intake' | 'alertmanager', seconds: number): Promise<Round> {
    const pid = who === 'intake' ? intakePid : amPid
    const port = who === 'intake' ? intakePort : amPort
    const before = { own: cpuSeconds(pid), broker: cpuSeconds(bench.brokerPid), steal: stolen() }
    const text = await new Promise<string>((resolve, reject) => {
      const wrk = spawn('wrk', ['-t1', `-c${CONNECTIONS}`, `-d${seconds}s`, '-s', join(folder, `${who}.lua`), `http://127.0.0.1:${port}`], {
        stdio: ['ignore', 'pipe', 'inherit']
      })
      let output = ''
      wrk.stdout.on('data', (chunk: Buffer) => {
        output += chunk
      })
      wrk.once('exit', (code) => (code === 0 ? resolve(output) : reject(new Error(`wrk ended with code ${code}`))))
    })
    const [, requests = 0, failed = 0, duration = 1] = (/RESULT (\d+) (\d+) (\d+)/.exec(text) ?? []).map(Number)
    if (failed > requests * 0.001) throw new Error(`${failed} of ${requests} requests to ${who} were refused`)
    const alerts = (requests - failed) * batch
    const now = stolen()
    return {
      us: ((cpuSeconds(pid) - before.own) * 1e6) / alerts,
      broker: ((cpuSeconds(bench.brokerPid) - before.broker) * 1e6) / alerts,
      rate: alerts / (duration / 1e6),
      steal: (now.steal - before.steal.steal) / Math.max(now.total - before.steal.total, 1)
    }
  }

  await round('intake', 2)
  await round('alertmanager', 2)
  const kept: { ours: Round; theirs: Round }[] = []
  let dropped = 0
  for (let pair = 0; pair < pairs; pair++) {
    const order = pair % 2 ? (['alertmanager', 'intake'] as const) : (['intake', 'alertmanager'] as const)
    const results = { intake: null as Round | null, alertmanager: null as Round | null }
    for (const who of order) results[who] = await round(who, secs)
    const { intake: ours, alertmanager: theirs } = results
    if (!ours || !theirs) continue
    if (Math.max(ours.steal, theirs.steal) > MOST_STEAL) dropped += 1
    else kept.push({ ours, theirs })
    console.log(
      `  ${batch} a body, pair ${pair + 1}: intake ${ours.us.toFixed(1)} us (broker ${ours.broker.toFixed(1)} us, ${ours.rate.toFixed(0)} alerts/s), Alertmanager ${theirs.us.toFixed(1)} us (${theirs.rate.toFixed(0)} alerts/s), steal ${(Math.max(ours.steal, theirs.steal) * 100).toFixed(1)} %`
    )
  }
  if (kept.length < Math.min(5, pairs)) throw new Error(`only ${kept.length} of ${pairs} pairs were quiet enough: run it again`)
  const ratio = median(kept.map(({ ours, theirs }) => ours.us / theirs.us))
  const value = median(kept.map(({ ours }) => ours.us))
  console.log(
    `${batch} alert(s) a body: median ratio of ${kept.length} pairs ${ratio.toFixed(2)}, ${dropped} dropped; broker ${median(kept.map(({ ours }) => ours.broker)).toFixed(1)} us an alert`
  )
  figure({
    id: batch === 1 ? 'B1' : 'B2',
    value,
    unit: 'us',
    peer: { name: 'alertmanager', value: value / ratio },
    target: { op: '<=', value: TARGET }
  })
}
