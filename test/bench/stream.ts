/**
 * B7: what a processor costs per record, in this process. It is compared with kafkajs as published
 * (without the product's decoder of fetched records and its corrections), which reads the same
 * topic with the same settings and drops every batch as it comes. The product's own consumer,
 * dropping every record, is shown as the floor.
 *
 * status    2,000 monitors with three regions and a tick a second; 1 % of the results change a
 *           monitor's state: one monitor in 16 is unstable and changes in every second round,
 *           the others stay up, as outages are distributed in practice
 * incident  20 % new keys, 20 % resolves, 60 % repeats of ongoing incidents; rows, events and
 *           outbox in Postgres, whose CPU is also shown
 * fold      the status rules alone over decoded records
 * rules     with --rules 50 the incident processor also runs with that many rules in each
 *           workspace, compared with no rules: labels that do not match, and a last rule that
 *           sets a priority
 * Each turn reads the whole topic from its beginning with fresh tables; turns alternate (ABCCBA),
 * medians. --fold status or incident runs one of them.
 */

import { fork } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Codec, createCodec } from '../../schemas/codec.ts'
import { projectRoot } from '../../schemas/files.ts'
import type { TopicName } from '../../schemas/topics.ts'
import { specOf } from '../../schemas/topics.ts'
import { uuidv5 } from '../../schemas/uuid.ts'
import { createMetrics } from '../../services/process/metrics.ts'
import { effectWrites } from '../../services/store/effects.ts'
import { incidentStore } from '../../services/store/incidents.ts'
import { createPool, type Pool } from '../../services/store/pool.ts'
import type { Input } from '../../streams/define.ts'
import { connectStream, readLogState } from '../../streams/runtime/connect.ts'
import { consume } from '../../streams/runtime/consumer.ts'
import { connectRegistry } from '../../streams/runtime/registry.ts'
import { bindKey, bindPartition, runProcessor, type Work } from '../../streams/runtime/run.ts'
import type { OutRecord } from '../../streams/runtime/stream.ts'
import type { StatusState } from '../../streams/status/state.ts'
import { incidentProcessor, statusProcessor } from '../../streams/topology.ts'
import { alert } from '../streams/incident/build.ts'
import { config, confirmation, result } from '../streams/status/build.ts'
import { figure, median, printMachine } from './figures.ts'
import type { Answer, Ask } from './kafkajs-drop.ts'
import { cpuSeconds, tree } from './processes.ts'
import { putRules } from './rules.ts'
import { quiet, type Stand, stand } from './stand.ts'

const MONITORS = 2000
const REGIONS = ['a', 'b', 'c']
const TENANT = '0190aaaa-0000-7000-8000-000000000001'
const CHECKS = 'checks.results.v1'
const ALERTS = 'alerts.inbound.v1'

const id = (name: string): string => uuidv5(TENANT, name)
const WORKSPACES = Array.from({ length: 50 }, (_, tenant) => tenant)

/**
 * Makes configurations, then rounds of results a second apart, each with its tick to every
 * partition. The last timestamp is now, because ticks are read by their append time.
 */
function checks(codec: Codec, count: number): OutRecord[] {
  const records: OutRecord[] = []
  const monitors = Array.from({ length: MONITORS }, (_, index) => id(`monitor ${index}`))
  const once = confirmation({ rounds: 1, recovery_rounds: 1 })
  for (const monitor_id of monitors)
    records.push({
      topic: CHECKS,
      key: monitor_id,
      headers: { event_type: 'monitor_config' },
      value: codec.encode('MonitorConfig', config({ tenant_id: TENANT, monitor_id, regions: REGIONS, confirmation: once }))
    })
  const rounds = Math.ceil(count / (MONITORS * REGIONS.length))
  const from = Date.now() - rounds * 1000
  const down = new Set<string>()
  for (let round = 0; round < rounds; round++) {
    const at = from + round * 1000
    for (const [index, monitor_id] of monitors.entries()) {
      // One monitor in 32 changes state in a round. With its three regions, one result in a hundred
      // changes a state.
      if (index % 16 === 0 && (index / 16 + round) % 2 === 0 && !down.delete(monitor_id)) down.add(monitor_id)
      for (const region of REGIONS)
        records.push({
          topic: CHECKS,
          key: monitor_id,
          value: codec.encode(
            'CheckResult',
            result(at, { tenant_id: TENANT, monitor_id, region, outcome: down.has(monitor_id) ? 'failure' : 'success' })
          )
        })
    }
    for (let partition = 0; partition < specOf(CHECKS).partitions; partition++)
      records.push({
        topic: CHECKS,
        partition,
        key: String(partition),
        headers: { event_type: 'tick' },
        value: codec.encode('Tick', { t: at, boot: id('boot') })
      })
  }
  return records
}

/**
 * Makes alerts of 50 workspaces. Of ten alerts two open a key, two resolve the oldest open one and
 * six repeat open ones.
 */
function alerts(codec: Codec, count: number): OutRecord[] {
  const records: OutRecord[] = []
  const open: { key: string; tenant_id: string; integration_id: string }[] = []
  const at = Date.now()
  for (let nth = 0; nth < count; nth++) {
    const turn = nth % 10
    const fresh = turn < 2 || open.length < 20
    const tenant = nth % 50
    const key = fresh
      ? {
          key: `int:${id(`integration ${tenant}`)}:${uuidv5(TENANT, `key ${nth}`).replaceAll('-', '').padEnd(64, '0')}`,
          tenant_id: id(`tenant ${tenant}`),
          integration_id: id(`integration ${tenant}`)
        }
      : (open[turn < 4 ? 0 : (nth * 31) % open.length] ?? open[0])
    if (!key) continue
    const resolve = !fresh && turn < 4
    if (fresh) open.push(key)
    if (resolve) open.shift()
    records.push({
      topic: ALERTS,
      key: `${key.tenant_id}|${key.key}`,
      value: codec.encode(
        'InboundAlert',
        alert({
          event_id: id(`alert ${nth}`),
          tenant_id: key.tenant_id,
          integration_id: key.integration_id,
          dedup_key: key.key,
          action: resolve ? 'resolve' : 'fire',
          occurred_at: at + nth,
          received_at: at + nth
        })
      )
    })
  }
  return records
}

interface Turn {
  /** CPU microseconds per record, of this process. */
  own: number
  postgres: number
  perSecond: number
}

const TABLES =
  'stream_offsets, partition_state, outbox, signals, incidents, incident_events, alerts, alert_events, incident_numbers, jobs, dead_letters, platform_notices'

async function turn(
  bench: Stand,
  postgres: number,
  records: number,
  act: (done: () => boolean) => Promise<() => Promise<void>>,
  processed: () => number
): Promise<Turn> {
  await bench.pool.query(`TRUNCATE ${TABLES}`).catch(async () => {
    for (const table of TABLES.split(', ')) await bench.pool.query(`DELETE FROM ${table}`)
  })
  const before = { own: process.cpuUsage(), postgres: postgresCpu(postgres), at: performance.now() }
  const close = await act(() => processed() >= records)
  for (let waited = 0; processed() < records; waited++) {
    if (waited > 120_000) throw new Error(`only ${processed()} of ${records} records were processed`)
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
  const own = process.cpuUsage(before.own)
  const seconds = (performance.now() - before.at) / 1000
  const store = postgresCpu(postgres) - before.postgres
  await close()
  return { own: (own.user + own.system) / records, postgres: (store * 1e6) / records, perSecond: records / seconds }
}

const postgresCpu = (pid: number): number => tree(pid).reduce((sum, one) => sum + cpuSeconds(one), 0)

function postmaster(bench: Stand): number {
  const line = readFileSync(join(bench.dataDir, 'postgres/postmaster.pid'), 'utf8').split('\n')[0]
  return Number(line)
}

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      n: { type: 'string', default: '240000' },
      incidents: { type: 'string', default: '60000' },
      rounds: { type: 'string', default: '4' },
      fold: { type: 'string' },
      rules: { type: 'string', default: '0' }
    }
  })
  const rounds = Number(values.rounds)
  printMachine(
    `in-process CPU (user + system) per record from joining the group to the last record, ${rounds} rounds in ABCCBA order after one of warm-up; medians; Postgres in memory-like mode (fsync off)`
  )
  const bench = await stand([CHECKS, ALERTS, 'monitor.transitions.v1', 'heartbeat.transitions.v1', 'dlq.v1'])
  const published = fork(join(projectRoot, 'test/bench/kafkajs-drop.ts'), { execArgv: ['--import=tsx'] })
  const pool: Pool = createPool(bench.systemUrl, { application_name: 'bench', max: 6 })
  try {
    const registry = await connectRegistry(bench.registryUrl)
    const codec = createCodec({ ids: await registry.idsOfAll(), schemaById: registry.schemaById })
    const kafka = { brokers: bench.brokers, clientId: 'bench', topicPrefix: '', log: quiet }
    const stream = await connectStream({ ...kafka, metrics: createMetrics() })
    const fill = async (records: OutRecord[]): Promise<number> => {
      for (let from = 0; from < records.length; from += 2000) await stream.log.append(records.slice(from, from + 2000))
      return records.length
    }
    // The records are dropped after appending, so that they do not burden the turns: a real
    // processor does not hold the topic in memory.
    let checkRecords = checks(codec, Number(values.n))
    figure({ id: 'B7_FOLD', value: pureFold(codec, checkRecords), unit: 'records/cpu-s', target: { op: '>=', value: 60_000 } })
    const counts: Record<string, number> = { [CHECKS]: await fill(checkRecords) }
    checkRecords = []
    counts[ALERTS] = await fill(alerts(codec, Number(values.incidents)))
    await stream.close()
    const { clusterId } = await readLogState(kafka)
    const store = postmaster(bench)
    let groups = 0

    const peer = async (topic: TopicName): Promise<Turn> => {
      const records = counts[topic] ?? 0
      const ask: Ask = { brokers: bench.brokers, group: `bench-peer-${groups++}`, topic, records }
      const answered = new Promise<Answer>((resolve) => published.once('message', (answer: Answer) => resolve(answer)))
      published.send(ask)
      const { cpu, seconds } = await answered
      return { own: cpu / records, postgres: 0, perSecond: records / seconds }
    }
    const drop = (topic: TopicName): Promise<Turn> => {
      let seen = 0
      return turn(
        bench,
        store,
        counts[topic] ?? 0,
        async () => {
          const consumer = await consume({
            ...kafka,
            group: `bench-drop-${groups++}`,
            topics: [topic],
            sessionTimeoutMs: 8000,
            onBatch: async ({ first, last, read }) => {
              if (first !== null) seen += read(first, Number.POSITIVE_INFINITY).length
              return { next: last + 1n }
            },
            onAssigned: () => undefined,
            onRebalancing: () => undefined,
            onConnection: () => undefined,
            onCrash: (error) => console.log(error)
          })
          return () => consumer.close()
        },
        () => seen
      )
    }
    const fold = (work: Work, topic: TopicName): Promise<Turn> => {
      let seen = 0
      const metrics = createMetrics()
      const counting = {
        ...metrics,
        counter: (name: string, help: string, labels?: string[]) => {
          const counter = metrics.counter(name, help, labels)
          if (name !== 'service_processor_records_total') return counter
          return {
            inc: (_: unknown, by = 1): void => {
              seen += by
            }
          }
        }
      }
      return turn(
        bench,
        store,
        counts[topic] ?? 0,
        async () => {
          const running = await runProcessor({
            ...kafka,
            work: { ...work, name: `${work.name}-${groups++}`, reads: [topic] },
            pool,
            codec,
            effectWrites,
            sendHints: () => undefined,
            sessionTimeoutMs: 8000,
            clusterId,
            metrics: counting,
            onFatal: (reason, error) => console.log(reason, error)
          })
          return () => running.close()
        },
        () => seen
      )
    }

    for (const [name, work, topic] of [
      ['status', bindPartition(statusProcessor), CHECKS],
      ['incident', bindKey(incidentProcessor, incidentStore), ALERTS]
    ] as const) {
      if (values.fold !== undefined && values.fold !== name) continue
      const [ours, dropped, theirs]: [Turn[], Turn[], Turn[]] = [[], [], []]
      const kinds = [
        { act: () => fold(work, topic), turns: ours },
        { act: () => drop(topic), turns: dropped },
        { act: () => peer(topic), turns: theirs }
      ]
      for (let round = 0; round <= rounds; round++) {
        for (const { act, turns } of round % 2 ? kinds : kinds.toReversed()) {
          const result = await act()
          if (round > 0) turns.push(result)
        }
      }
      const of = (turns: Turn[], what: keyof Turn): number => median(turns.map((one) => one[what]))
      console.log(
        `${name}: ${counts[topic]} records; ours ${of(ours, 'own').toFixed(2)} us a record (Postgres ${of(ours, 'postgres').toFixed(2)}), ${of(ours, 'perSecond').toFixed(0)}/s; our consumer alone ${of(dropped, 'own').toFixed(2)} us, ${of(dropped, 'perSecond').toFixed(0)}/s; kafkajs as published, dropping, ${of(theirs, 'own').toFixed(2)} us, ${of(theirs, 'perSecond').toFixed(0)}/s`
      )
      figure({
        id: name === 'status' ? 'B7_STATUS' : 'B7_INCIDENT',
        value: 1e6 / of(ours, 'own'),
        unit: 'records/cpu-s',
        peer: { name: 'kafkajs-consume-and-drop', value: 1e6 / of(theirs, 'own') },
        target: name === 'status' ? { op: '>=', value: 0.6 } : { op: '>=', value: 20_000, of: 'value' }
      })
    }
    const ruled = Number(values.rules)
    if (ruled > 0) {
      const work = bindKey(incidentProcessor, incidentStore)
      const [without, withRules]: [number[], number[]] = [[], []]
      for (let round = 0; round <= rounds; round++) {
        for (const count of round % 2 ? [0, ruled] : [ruled, 0]) {
          await putRules(
            bench.pool,
            WORKSPACES.map((tenant) => id(`tenant ${tenant}`)),
            count
          )
          const { own } = await fold(work, ALERTS)
          const { rows } = await bench.pool.query('SELECT count(*)::int AS routed FROM incidents WHERE routing IS NOT NULL')
          if (rows[0].routed > 0 !== count > 0) throw new Error(`${rows[0].routed} incidents of ${count} rules were routed`)
          if (round > 0) (count === 0 ? without : withRules).push(own)
        }
      }
      figure({
        id: 'B7_RULES',
        value: 1e6 / median(withRules),
        unit: 'records/cpu-s',
        peer: { name: 'no-rules', value: 1e6 / median(without) },
        target: { op: '>=', value: 0.85 }
      })
    }
  } finally {
    published.kill()
    await pool.end()
    await bench.stop()
  }
}

/**
 * Results per CPU second of the status rules alone: records decoded beforehand, batches of 500 of
 * one partition. Median of five passes.
 */
function pureFold(codec: Codec, records: readonly OutRecord[]): number {
  const inputs = records.flatMap(({ key, value, headers }, index): Input[] => {
    if (!value || headers?.event_type === 'tick') return []
    const decoded = codec.decodeAny(value)
    return [{ ...decoded, topic: CHECKS, partition: 0, offset: BigInt(index), timestamp: Date.now(), key: String(key) } as Input]
  })
  const rates: number[] = []
  for (let pass = 0; pass < 6; pass++) {
    const state = new Map<string, StatusState>()
    const from = process.cpuUsage()
    for (let at = 0; at < inputs.length; at += 500) {
      const { changed, kept } = statusProcessor.fold(state, inputs.slice(at, at + 500))
      for (const [key, row] of kept) state.set(key, row)
      for (const [key, row] of changed) {
        if (row === null) state.delete(key)
        else state.set(key, row)
      }
    }
    const { user, system } = process.cpuUsage(from)
    if (pass > 0) rates.push((inputs.length * 1e6) / (user + system))
  }
  return median(rates)
}
