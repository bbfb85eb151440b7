/**
 * B1, B2, B3: what an accepted alert costs at the door, at 1 and 64 alerts a body, and how long its
 * acknowledgement takes.
 *
 * - B1, B2: CPU of intake per alert, and of the broker with it, compared with Debian's Alertmanager
 *   receiving the same alerts on its own API, in ABBA order. A bare nginx that answers 202, and
 *   alerta-server on Postgres, receive theirs in the same run. All get the same series from the
 *   same generator (wrk, closed loop).
 * - B3: open-loop load at half the rate that the closed loop reached: time from the intended moment
 *   to the answer, compared with Alertmanager at the same rate.
 *
 * Intake runs as in production: token, budget, parser, Avro, acknowledgement of a real broker with
 * acks=all. Alertmanager keeps alerts in memory only.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { program } from '../harness/debian.ts'
import { makeWorkspace } from '../harness/product.ts'
import { closedLoad, writeScript } from './closed-load.ts'
import { figure, median, percentile, printMachine } from './figures.ts'
import { type OpenResult, openLoad, requestBytes } from './open-load.ts'
import { alerta } from './peers/alerta.ts'
import { alertmanager } from './peers/alertmanager.ts'
import { nginx } from './peers/nginx.ts'
import type { Peer } from './peers/peer.ts'
import { cpuSeconds, machineTimes } from './processes.ts'
import { type Stand, stand } from './stand.ts'

const CONNECTIONS = 64
const SERIES = 1000
const TARGETS: Readonly<Record<number, number>> = { 1: 0.65, 64: 0.6 }
const NGINX_TARGET = 3.5
const ALERTS_PER_SECOND = 65_000
const P99_MS = 20
const MAX_STEAL = 0.02
/** nginx (the floor) and alerta are measured only once in this many pairs. */
const OTHERS_EVERY = 3

interface Round {
  us: number
  broker: number
  rate: number
  steal: number
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

/** Alertmanager's webhook body, which both intake and alerta accept. */
const webhook = (series: readonly number[], startsAt: string): string =>
  JSON.stringify({
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

const posted = (series: readonly number[], startsAt: string): string =>
  JSON.stringify(series.map((one) => ({ startsAt, labels: labels(one), annotations: annotations(one), generatorURL })))

/** A program that receives alerts, and how to send them to it. */
interface Contender {
  peer: Peer
  path: string
  headers: Record<string, string>
  body(series: readonly number[], startsAt: string): string
}

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      pairs: { type: 'string', default: '9' },
      secs: { type: 'string', default: '6' },
      batch: { type: 'string', default: '1,64' },
      'without-alerta': { type: 'boolean', default: false }
    }
  })
  const pairs = Number(values.pairs)
  const secs = Number(values.secs)
  await program('wrk', 'wrk')
  printMachine(
    `CPU (user + system, /proc) per accepted alert; wrk closed loop, ${CONNECTIONS} connections, ${SERIES} series; ${pairs} pairs of ${secs} s, order ABBA, 2 s of warm-up each; median of per-pair ratios; pairs with more than ${MAX_STEAL * 100} % steal are dropped; then an open loop at half of the rate`
  )
  const folder = mkdtempSync(join(tmpdir(), 'service-door-test-'))
  const bench = await stand(['alerts.inbound.v1', 'alerts.raw.v1', 'ingest.usage.v1', 'tenant.budgets.v1'])
  const peers: Peer[] = []
  const started = async (peer: Promise<Peer>): Promise<Peer> => {
    const one = await peer
    peers.push(one)
    console.log(`peer: ${one.name}: ${one.version}`)
    return one
  }
  try {
    // The budget check stays on, but its floor is raised so that it does not refuse one workspace
    // that sends as much as a whole core can take.
    const role = await bench.role(['intake'], { SERVICE_INGEST_FLOOR_PER_MINUTE: '10000000' })
    const workspace = await makeWorkspace(bench.pool, 'bench', 'alertmanager')
    const json = { 'Content-Type': 'application/json' }
    const path = '/api/v1/webhook/alertmanager'
    const intake: Contender = {
      peer: { name: 'intake', version: '', port: role.ports[0] ?? 0, cpu: () => cpuSeconds(role.pid), stop: async () => undefined },
      path,
      headers: { ...json, Authorization: `Bearer ${workspace.door}` },
      body: webhook
    }
    const am: Contender = { peer: await started(alertmanager(folder)), path: '/api/v2/alerts', headers: json, body: posted }
    const others: Contender[] = [{ peer: await started(nginx(folder)), path, headers: intake.headers, body: webhook }]
    if (!values['without-alerta'])
      others.push({ peer: await started(alerta(folder)), path: '/webhooks/prometheus', headers: json, body: webhook })
    for (const batch of values.batch.split(',').map(Number)) await measure({ bench, folder, batch, pairs, secs, intake, am, others })
  } finally {
    for (const peer of peers) await peer.stop()
    await bench.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

interface Setting {
  bench: Stand
  folder: string
  batch: number
  pairs: number
  secs: number
  intake: Contender
  am: Contender
  others: readonly Contender[]
}

async function measure({ bench, folder, batch, pairs, secs, intake, am, others }: Setting): Promise<void> {
  const startsAt = new Date().toISOString()
  const fileOf = ({ peer }: Contender): string => join(folder, `${peer.name}-${batch}.lua`)
  const bodiesOf = ({ body }: Contender): string[] =>
    Array.from({ length: batch === 1 ? SERIES : 60 }, (_, index) =>
      body(
        Array.from({ length: batch }, (_, one) => (index * batch + one) % SERIES),
        startsAt
      )
    )
  for (const one of [intake, am, ...others]) {
    writeScript({ file: fileOf(one), path: one.path, headers: one.headers, bodies: bodiesOf(one) })
  }

  async function round(one: Contender, seconds: number): Promise<Round> {
    const before = { own: one.peer.cpu(), broker: cpuSeconds(bench.brokerPid), steal: machineTimes() }
    const { requests, refused, seconds: took } = await closedLoad(fileOf(one), one.peer.port, CONNECTIONS, seconds)
    if (refused > requests * 0.001) throw new Error(`${refused} of ${requests} requests to ${one.peer.name} were refused`)
    const alerts = (requests - refused) * batch
    const now = machineTimes()
    return {
      us: ((one.peer.cpu() - before.own) * 1e6) / alerts,
      broker: ((cpuSeconds(bench.brokerPid) - before.broker) * 1e6) / alerts,
      rate: alerts / took,
      steal: (now.steal - before.steal.steal) / Math.max(now.total - before.steal.total, 1)
    }
  }

  for (const one of [intake, am, ...others]) await round(one, 2)
  const kept: { ours: Round; theirs: Round }[] = []
  // nginx parses nothing, so it is no comparison for bodies of many alerts.
  const beside = new Map<Contender, Round[]>(others.filter(({ peer }) => batch === 1 || peer.name !== 'nginx-202').map((one) => [one, []]))
  let dropped = 0
  for (let pair = 0; pair < pairs; pair++) {
    const [first, second] = pair % 2 ? [am, intake] : [intake, am]
    const rounds = new Map([
      [first, await round(first, secs)],
      [second, await round(second, secs)]
    ])
    const ours = rounds.get(intake)
    const theirs = rounds.get(am)
    if (!ours || !theirs) continue
    const steal = Math.max(ours.steal, theirs.steal)
    if (steal > MAX_STEAL) dropped += 1
    else kept.push({ ours, theirs })
    if (pair % OTHERS_EVERY === 0) for (const one of beside.keys()) beside.get(one)?.push(await round(one, secs))
    console.log(
      `  ${batch} a body, pair ${pair + 1}: intake ${ours.us.toFixed(1)} us (broker ${ours.broker.toFixed(1)} us, ${ours.rate.toFixed(0)} alerts/s), Alertmanager ${theirs.us.toFixed(1)} us (${theirs.rate.toFixed(0)} alerts/s), steal ${(steal * 100).toFixed(1)} %`
    )
  }
  if (kept.length < Math.min(5, pairs)) throw new Error(`only ${kept.length} of ${pairs} pairs were quiet enough: run it again`)
  const id = batch === 1 ? 'B1' : batch === 64 ? 'B2' : `DOOR_${batch}`
  const ratio = median(kept.map(({ ours, theirs }) => ours.us / theirs.us))
  const value = median(kept.map(({ ours }) => ours.us))
  const broker = median(kept.map(({ ours }) => ours.broker))
  const rate = median(kept.map(({ ours }) => ours.rate))
  console.log(
    `${batch} alert(s) a body: median ratio of ${kept.length} pairs ${ratio.toFixed(2)}, ${dropped} dropped; intake ${value.toFixed(1)} us + broker ${broker.toFixed(1)} us = ${(value + broker).toFixed(1)} us an alert; ${(1e6 / value).toFixed(0)} alerts/s on one core of intake`
  )
  figure({ id, value, unit: 'us', peer: { name: 'alertmanager', value: value / ratio }, target: { op: '<=', value: TARGETS[batch] ?? 1 } })
  for (const [{ peer }, rounds] of beside) {
    const us = median(rounds.map((one) => one.us))
    console.log(`  ${peer.name}: ${us.toFixed(1)} us an alert, ${median(rounds.map((one) => one.rate)).toFixed(0)} alerts/s`)
    figure({
      id: `${id}_${peer.name.toUpperCase().replace('-', '_')}`,
      value,
      unit: 'us',
      peer: { name: peer.name, value: us },
      target: { op: '<=', value: peer.name === 'alerta' ? 1 : NGINX_TARGET }
    })
  }
  if (batch > 1) {
    figure({ id: `${id}_RATE`, value: 1e6 / value, unit: 'alerts/s-per-core', target: { op: '>=', value: ALERTS_PER_SECOND } })
    return
  }

  const open = async (one: Contender): Promise<OpenResult> => {
    const requests = bodiesOf(one).map((body) => requestBytes('POST', one.path, one.headers, body))
    const load = { port: one.peer.port, rate: Math.round(rate / 2), connections: CONNECTIONS }
    const request = (index: number): Buffer => requests[index % requests.length] as Buffer
    await openLoad({ ...load, seconds: 2, request })
    return openLoad({ ...load, seconds: 2 * secs, request })
  }
  const show = ({ latencies }: OpenResult): string =>
    [0.5, 0.99, 0.999].map((share) => `p${share * 100} ${percentile(latencies, share).toFixed(1)} ms`).join(', ')
  const [ours, theirs] = [await open(intake), await open(am)]
  const refused = [...ours.statuses].filter(([status]) => status >= 300).reduce((sum, [, count]) => sum + count, 0)
  console.log(
    `open loop at ${Math.round(rate / 2)}/s: intake ${show(ours)} (${refused} refused, ${ours.unanswered} unanswered); Alertmanager ${show(theirs)} (${theirs.unanswered} unanswered)`
  )
  if (refused + ours.unanswered > ours.latencies.length * 0.001) throw new Error('the door refused what it should take')
  figure({
    id: 'B3',
    value: percentile(ours.latencies, 0.99),
    unit: 'ms',
    peer: { name: 'alertmanager', value: percentile(theirs.latencies, 0.99) },
    target: { op: '<=', value: P99_MS, of: 'value' }
  })
}
