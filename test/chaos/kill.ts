/**
 * npm run chaos -- kill: sends load through both doors while each process in turn, and the broker,
 * is killed with SIGKILL; then everything is checked. Acceptance: every alert answered 2xx is
 * exactly one signal applied, no key has two ongoing incidents, `ver` has no gap, events on Kafka
 * equal rows in Postgres.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Product, startProduct } from '../harness/product.ts'
import { check, report, type Verdicts } from './checks.ts'
import { type Beside, clockModeOf, watchBeside, wrongClocks } from './clocks.ts'
import { kill, restarted, running, survivorPids, type Victim, victims } from './faults.ts'
import { openLedger } from './ledger.ts'
import { type LoadWorkspace, makeLoadWorkspaces, type Running, silenced, startLoad } from './load.ts'
import { seeded } from './senders.ts'
import { type Recording, record } from './sockets.ts'

export interface KillOptions {
  secs: number
  /** Alerts a second. */
  rate: number
  seed: number
  victims: readonly Victim[]
  /** Name of the run's workspaces; unique in the product. */
  name: string
  /** Targets that must stay well meanwhile; with them, most of the load must be accepted. */
  beside?: Beside
  tell(line: string): void
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** The same victims in an order that follows from the seed. */
function shuffled<T>(list: readonly T[], random: () => number): T[] {
  return list
    .map((item) => ({ item, at: random() }))
    .sort((left, right) => left.at - right.at)
    .map(({ item }) => item)
}

/**
 * Acknowledges an incident every two seconds; a failure while the api is away is expected. Returns
 * a function that stops it and says how many succeeded.
 */
function acknowledging(product: Product, workspaces: readonly LoadWorkspace[], random: () => number): () => Promise<number> {
  let stopped = false
  let done = 0
  async function once({ apiToken }: LoadWorkspace): Promise<void> {
    const list = await product.api('GET', '/api/v1/incidents?status=ongoing&per_page=20', undefined, apiToken)
    const items = (list.body.items ?? []) as { id: string; acknowledged_at: string | null }[]
    const open = items.filter((item) => item.acknowledged_at === null)
    const chosen = open[Math.floor(random() * open.length)]
    if (!chosen) return
    const answer = await product.api('POST', `/api/v1/incidents/${chosen.id}/acknowledge`, {}, apiToken)
    if (answer.status === 200) done += 1
  }
  const loop = (async () => {
    for (let turn = 0; !stopped; turn++) {
      const workspace = workspaces[turn % workspaces.length]
      if (workspace) await once(workspace).catch(() => undefined) // The api was being killed.
      await sleep(1000)
    }
  })()
  return async () => {
    stopped = true
    await loop
    return done
  }
}

interface Held {
  title: string
  labels: Record<string, string>
  held_by: { kind: string; id: string }[]
}

/**
 * Checks that a silence holds exactly the ongoing incidents that it matches, whatever was killed.
 */
async function checkSilence(product: Product, { apiToken, silence_id }: LoadWorkspace): Promise<Verdicts> {
  const get = async (path: string): Promise<Record<string, unknown>> => (await product.api('GET', path, undefined, apiToken)).body
  const list = await get('/api/v1/incidents?status=ongoing&per_page=40')
  const violations: string[] = []
  let held = 0
  for (const { id } of (list.items ?? []) as { id: string }[]) {
    const { title, labels, held_by } = (await get(`/api/v1/incidents/${id}`)) as unknown as Held
    const isHeld = held_by.some(({ kind, id }) => kind === 'matcher_silence' && id === silence_id)
    const isMatched = silence_id !== null && silenced.includes(labels.alertname ?? '')
    if (isHeld !== isMatched) violations.push(`"${title}" is ${isHeld ? '' : 'not '}held by the silence`)
    if (isHeld) held += 1
  }
  return { counts: { incidents_held_by_the_silence: held }, violations }
}

/**
 * Runs load and kills on a product that is up, and checks the result. Leaves nothing behind but the
 * workspaces.
 */
export async function killUnderLoad(product: Product, options: KillOptions): Promise<Verdicts> {
  const { secs, rate, seed, name, tell } = options
  const folder = mkdtempSync(join(tmpdir(), 'service-chaos-test-'))
  const ledgerFile = join(folder, 'ledger.jsonl')
  const random = seeded(seed + 1)
  const recordings = new Map<string, Recording>()
  const violations: string[] = []
  const counts: Verdicts['counts'] = {}
  let load: Running | undefined
  try {
    const { workspaces, greedy } = await makeLoadWorkspaces(product, name)
    const bases = [product.access.base_url, `http://127.0.0.1:${product.port('gateway')}`]
    for (const [index, { tenant_id, apiToken }] of workspaces.entries()) {
      recordings.set(tenant_id, await record(bases[index % bases.length] ?? '', apiToken))
    }
    const ledger = await openLedger(ledgerFile)
    load = startLoad({ ledger, workspaces, greedy: secs >= 30 ? greedy : null, rate, ms: secs * 1000, seed })
    const stopAcknowledging = acknowledging(product, workspaces, random)
    const started = Date.now()
    const order = shuffled(options.victims, random)
    // The first kill is after a tenth of the time. After the last, as much time is left as lies
    // between two kills.
    const every = (secs * 1000 * 0.9) / order.length
    for (const [index, victim] of order.entries()) {
      await sleep(Math.max(started + secs * 100 + index * every - Date.now(), 0))
      const others = survivorPids(product)
      const pid = await kill(product, victim)
      const back = await restarted(product, victim, pid)
      tell(`${((Date.now() - started) / 1000).toFixed(1)} s: killed ${victim} (${pid}), a new one was there after ${back} ms`)
      if (victim === 'kafka') {
        await sleep(2000)
        for (const [survivor, before] of Object.entries(others)) {
          const now = survivorPids(product)[survivor]
          if (now !== before) violations.push(`${survivor} did not outlive the broker: pid ${before} became ${now}`)
        }
      }
    }
    const result = await load.done
    counts.acknowledged_through_the_api = await stopAcknowledging()
    await ledger.close()
    counts.seed = seed
    counts.statuses = [...result.statuses]
      .sort(([left], [right]) => left - right)
      .map(([status, times]) => `${status || 'none'}: ${times}`)
      .join(', ')
    counts.held_back = result.heldBack
    counts.longest_wait_for_an_answer_ms = result.slowest
    counts.longest_without_an_accepted_post_ms = longestPause(result.acceptedAt)
    if (result.bare503 > 0) violations.push(`${result.bare503} answers 503 without Retry-After`)
    const checked = await check(product, { ledgerFile, tenants: [...workspaces.map((one) => one.tenant_id), greedy.tenant_id], recordings })
    for (const victim of victims) await running(product, victim)
    const [ruled] = workspaces
    const held = ruled ? await checkSilence(product, ruled) : { counts: {}, violations: [] }
    const also = await options.beside?.verdicts(
      ledgerFile,
      workspaces.map((one) => one.tenant_id)
    )
    return {
      counts: { ...counts, ...checked.counts, ...held.counts, ...also?.counts },
      violations: [...violations, ...checked.violations, ...held.violations, ...(also?.violations ?? [])]
    }
  } finally {
    await load?.stop()
    await Promise.all([...recordings.values()].map((recording) => recording.close()))
    rmSync(folder, { recursive: true, force: true })
  }
}

const longestPause = (times: readonly number[]): number =>
  times.reduce((longest, time, index) => Math.max(longest, time - (times[index - 1] ?? time)), 0)

/** Resolves with whether every check held. */
export async function run(args: string[]): Promise<boolean> {
  const { values } = parseArgs({
    args,
    options: {
      secs: { type: 'string', default: '60' },
      rate: { type: 'string', default: '100' },
      seed: { type: 'string', default: '1' },
      clocks: { type: 'string', default: 'right' }
    }
  })
  const clocks = clockModeOf(values.clocks)
  const [secs, rate, seed] = [Number(values.secs), Number(values.rate), Number(values.seed)]
  console.log(`kill: ${rate} alerts/s for ${secs} s, seed ${seed}; ${victims.join(', ')} killed in turn; clocks: ${clocks}`)
  const product = await startProduct(wrongClocks(clocks))
  const beside = clocks === 'right' ? undefined : await watchBeside(product, 'kill')
  try {
    const verdicts = await killUnderLoad(product, { secs, rate, seed, victims, name: 'kill', ...(beside && { beside }), tell: console.log })
    const good = report(verdicts)
    console.log(good ? 'kill: every invariant held' : `kill: ${verdicts.violations.length} violations`)
    return good
  } finally {
    await beside?.close()
    await product.stop()
  }
}
