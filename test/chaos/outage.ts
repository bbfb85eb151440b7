/**
 * npm run chaos -- outage: the broker is killed, kept away for a minute, then started again.
 * Acceptance: acknowledge and resolve work and appear on the log afterwards; doors answer 503 with
 * Retry-After; no pid of api, intake or gateway changes; sockets stay open, get `stale` and
 * `resumed`, and get the frames of what was done meanwhile.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { memoryMiB } from '../bench/processes.ts'
import { type Product, startProduct } from '../harness/product.ts'
import { until } from '../harness/until.ts'
import { check, report, type Verdicts } from './checks.ts'
import { type Beside, clockModeOf, watchBeside, wrongClocks } from './clocks.ts'
import { holdKafka, kill, releaseKafka, restarted, survivorPids } from './faults.ts'
import { type Ledger, mark, openLedger, type SentAlert } from './ledger.ts'
import { type LoadWorkspace, makeLoadWorkspaces, type Running, startLoad } from './load.ts'
import { createPoster, type Reply, verdictOf } from './post.ts'
import { notification, type Target } from './senders.ts'
import { type Recording, record } from './sockets.ts'

export interface OutageOptions {
  /** How long the broker is away. */
  secs: number
  /** Alerts a second. */
  rate: number
  seed: number
  /** Name of the run's workspaces; unique in the product. */
  name: string
  /** Targets that must stay well meanwhile; with them, most of the load must be accepted. */
  beside?: Beside
  tell(line: string): void
}

/** A broker takes half a minute or more to start on a busy machine. */
const RETURN_MS = 150_000

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/**
 * The acts on the incidents that the run opens for this, one list for each incident, and the
 * changes that incident.events.v1 must hold in the end.
 */
const stories = [
  { acts: ['acknowledge'], changes: ['created', 'acknowledged'] },
  { acts: ['resolve'], changes: ['created', 'resolved'] },
  { acts: ['acknowledge', 'resolve'], changes: ['created', 'acknowledged', 'resolved'] }
] as const

/** Posts one of the run's own alerts to one door, and notes it in the ledger. */
async function post(poster: ReturnType<typeof createPoster>, ledger: Ledger, target: Target, sent: SentAlert): Promise<Reply> {
  const { tenant_id, integration_id, source, base, token } = target
  const n = await ledger.attempt({ tenant_id, integration_id, source, alerts: [sent] })
  const reply =
    source === 'alertmanager'
      ? await poster.post(
          `${base}/api/v1/webhook/alertmanager`,
          { authorization: `Bearer ${token}` },
          notification([{ sent, labels: { alertname: 'Probe', instance: sent.key } }])
        )
      : await poster.post(
          `${base}/api/v1/webhooks/incoming/${token}`,
          {},
          JSON.stringify({
            title: sent.key,
            severity: 'warning',
            dedup_key: sent.key,
            description: mark(sent.id),
            occurred_at: new Date(sent.at).toISOString()
          })
        )
  ledger.outcome(n, verdictOf(reply), reply.status, reply.took)
  return reply
}

/** Opens an incident for each story; returns their ids. */
async function open(product: Product, workspace: LoadWorkspace, send: (key: string, at: number) => Promise<Reply>): Promise<string[]> {
  const at = Date.now()
  for (const [index] of stories.entries()) {
    const reply = await send(`story-${index}`, at)
    if (reply.status !== 200) throw new Error(`a door answered ${reply.status} before the outage: ${reply.body}`)
  }
  return until('the incidents to be opened', async () => {
    const list = await product.api('GET', '/api/v1/incidents?status=ongoing&q=story-&per_page=50', undefined, workspace.apiToken)
    const items = (list.body.items ?? []) as { id: string; title: string }[]
    const ids = stories.map((_, index) => items.find(({ title }) => title === `story-${index}`)?.id)
    const found = ids.filter((id): id is string => id !== undefined)
    return found.length === stories.length && found
  })
}

export async function withoutKafka(product: Product, options: OutageOptions): Promise<Verdicts> {
  const { secs, rate, seed, name, tell } = options
  const folder = mkdtempSync(join(tmpdir(), 'service-chaos-test-'))
  const ledgerFile = join(folder, 'ledger.jsonl')
  const recordings = new Map<string, Recording>()
  const violations: string[] = []
  const counts: Verdicts['counts'] = {}
  const must = (holds: boolean, sentence: string): void => {
    if (!holds) violations.push(sentence)
  }
  const poster = createPoster()
  let load: Running | undefined
  let away = false
  let probing = Promise.resolve()
  try {
    const { workspaces, greedy } = await makeLoadWorkspaces(product, name)
    const [workspace, other] = workspaces
    const generic = workspace?.targets.find(({ source }) => source === 'generic')
    if (!workspace || !other || !generic) throw new Error('the workspaces were not made')
    for (const { tenant_id, apiToken } of workspaces) recordings.set(tenant_id, await record(product.access.base_url, apiToken))
    const recording = recordings.get(workspace.tenant_id)
    if (!recording) throw new Error('no socket')
    const ledger = await openLedger(ledgerFile)
    const began = Date.now()
    let probes = 0
    const send = (target: Target, key: string, at: number): Promise<Reply> => {
      // An Alertmanager repeats the same occurrence.
      const when = target.source === 'alertmanager' ? { at: began, sequence: began } : { at, sequence: null }
      return post(poster, ledger, target, { id: `${name}-${++probes}`, key, action: 'fire', ...when })
    }
    const incidents = await open(product, workspace, (key, at) => send(generic, key, at))
    await recording.frame('the stories open', (frame) => frame.type === 'incident.created' && frame.data.incident_id === incidents.at(-1))
    load = startLoad({ ledger, workspaces, greedy: null, rate, ms: (secs + 8) * 1000, seed })
    await sleep(2000)

    const pids = survivorPids(product)
    const memory = () => Object.values(pids).reduce((sum: number, pid) => sum + memoryMiB(pid ?? 0), 0)
    counts.memory_before_mib = Math.round(memory())
    holdKafka(product)
    const dead = await kill(product, 'kafka')
    const killedAt = Date.now()
    const since = () => `${((Date.now() - killedAt) / 1000).toFixed(1)} s`
    tell(`killed the broker (${dead}); it is kept away for ${secs} s`)

    away = true
    const answers: { target: Target; reply: Reply }[] = []
    const targets = workspaces.flatMap((one) => one.targets)
    probing = (async () => {
      const underWay: Promise<void>[] = []
      for (let turn = 0; away; turn++) {
        const target = targets[turn % targets.length]
        if (target) {
          underWay.push(
            send(target, `probe-${turn % targets.length}`, Date.now()).then((reply) => {
              if (away) answers.push({ target, reply })
            })
          )
        }
        await sleep(500)
      }
      await Promise.all(underWay)
    })()
    probing.catch(() => undefined) // It is waited for below.

    await recording
      .frame('stale', (frame) => frame.channel === 'system' && frame.type === 'stale')
      .then(
        () => tell(`${since()}: sockets were told stale`),
        (error: Error) => violations.push(error.message)
      )
    const pause = Math.max((secs * 1000 - (Date.now() - killedAt)) / 8, 100)
    for (const turn of [0, 1]) {
      for (const [index, { acts }] of stories.entries()) {
        const act = acts[turn]
        if (!act) continue
        await sleep(pause)
        const id = incidents[index]
        const done = await product.api('POST', `/api/v1/incidents/${id}/${act}`, {}, workspace.apiToken)
        const read = await product.api('GET', `/api/v1/incidents/${id}`, undefined, workspace.apiToken)
        const shows = act === 'resolve' ? read.body.status === 'resolved' : read.body.acknowledged_at !== null
        must(done.status === 200, `${act} answered ${done.status} while Kafka was away: ${JSON.stringify(done.body)}`)
        must(read.status === 200 && shows, `after ${act}, the incident reads ${JSON.stringify(read.body)}`)
        tell(`${since()}: ${act} answered ${done.status}`)
      }
    }
    await sleep(Math.max(killedAt + secs * 1000 - Date.now(), 0))
    await until('every door to answer while Kafka is away', () => answers.length > targets.length)
    counts.memory_after_mib = Math.round(memory())
    must(
      JSON.stringify(survivorPids(product)) === JSON.stringify(pids),
      `pids ${JSON.stringify(pids)} became ${JSON.stringify(survivorPids(product))}`
    )
    for (const one of recordings.values())
      must(one.isOpen() && one.closes.length === 0, `a socket was closed with ${one.closes.join(', ')}`)
    const early = recording.frames.filter(
      ({ at, frame }) => at > killedAt && frame.type.startsWith('incident.') && incidents.includes(String(frame.data.incident_id))
    )
    must(early.length === 0, `${early.length} frames arrived although Kafka was away: this run proves nothing`)
    away = false
    releaseKafka(product)
    const back = await restarted(product, 'kafka', dead)
    tell(`${since()}: a new broker was started ${back} ms after it might be`)

    await until('a door to accept again', async () => (await send(generic, 'probe-after', Date.now())).status === 200, RETURN_MS)
    tell(`${since()}: doors accept again`)
    await recording
      .frame('resumed', (frame) => frame.channel === 'system' && frame.type === 'resumed', RETURN_MS)
      .then(
        () => {
          const told = recording.frames.find(({ frame }) => frame.type === 'resumed')
          tell(`${(((told?.at ?? 0) - killedAt) / 1000).toFixed(1)} s: sockets were told resumed`)
        },
        (error: Error) => violations.push(error.message)
      )
    for (const [index, { acts }] of stories.entries()) {
      for (const act of acts) {
        const type = `incident.${act}d`
        await recording
          .frame(`${type} of ${incidents[index]}`, (frame) => frame.type === type && frame.data.incident_id === incidents[index], 60_000)
          .catch((error: Error) => violations.push(error.message))
      }
    }
    tell(`${since()}: the frames of what was done meanwhile are there`)
    await probing
    const result = await load.done
    await ledger.close()

    counts.doors_asked_while_away = answers.length
    counts.longest_answer_while_away_ms = Math.max(0, ...answers.map(({ reply }) => reply.took))
    must(answers.length > targets.length, `only ${answers.length} doors answered while Kafka was away`)
    for (const { target, reply } of answers) {
      must(
        reply.status === 503 && (reply.retryAfter ?? 0) >= 1,
        `the ${target.source} door at ${target.base} answered ${reply.status} after ${reply.took} ms, Retry-After ${reply.retryAfter}: ${reply.body}`
      )
    }
    if (result.bare503 > 0) violations.push(`${result.bare503} answers 503 without Retry-After`)
    const tenants = [...workspaces.map((one) => one.tenant_id), greedy.tenant_id]
    const checked = await check(product, { ledgerFile, tenants, recordings })
    const pool = product.pool()
    try {
      for (const [index, { changes }] of stories.entries()) {
        const { rows } = await pool.query<{ change: string }>('SELECT change FROM incident_events WHERE incident_id = $1 ORDER BY ver', [
          incidents[index]
        ])
        const found = rows.map((row) => row.change).join(', ')
        must(found === changes.join(', '), `story ${index} is ${found}, not ${changes.join(', ')}`)
      }
    } finally {
      await pool.end()
    }
    must(
      JSON.stringify(survivorPids(product)) === JSON.stringify(pids),
      `at the end pids ${JSON.stringify(pids)} became ${JSON.stringify(survivorPids(product))}`
    )
    const also = await options.beside?.verdicts(ledgerFile, tenants)
    return {
      counts: { ...counts, ...checked.counts, ...also?.counts },
      violations: [...violations, ...checked.violations, ...(also?.violations ?? [])]
    }
  } finally {
    away = false
    releaseKafka(product)
    await load?.stop()
    // The failure is reported above, unless another failure came first.
    await probing.catch((error: unknown) => console.error(error))
    poster.close()
    await Promise.all([...recordings.values()].map((recording) => recording.close()))
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Resolves with whether every check held. */
export async function run(args: string[]): Promise<boolean> {
  const { values } = parseArgs({
    args,
    options: {
      secs: { type: 'string', default: '60' },
      rate: { type: 'string', default: '10' },
      seed: { type: 'string', default: '1' },
      clocks: { type: 'string', default: 'right' }
    }
  })
  const clocks = clockModeOf(values.clocks)
  const [secs, rate, seed] = [Number(values.secs), Number(values.rate), Number(values.seed)]
  console.log(`outage: Kafka away for ${secs} s under ${rate} alerts/s, seed ${seed}; clocks: ${clocks}`)
  const product = await startProduct(wrongClocks(clocks))
  const beside = clocks === 'right' ? undefined : await watchBeside(product, 'outage')
  try {
    const verdicts = await withoutKafka(product, { secs, rate, seed, name: 'outage', ...(beside && { beside }), tell: console.log })
    const good = report(verdicts)
    console.log(good ? 'outage: every invariant held' : `outage: ${verdicts.violations.length} violations`)
    return good
  } finally {
    await beside?.close()
    await product.stop()
  }
}
