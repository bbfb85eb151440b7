/**
 * Tests of assertions that are evaluated in separate processes: answers, undecidable ones, turns,
 * and the end of processes.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { getPriority } from 'node:os'
import t, { type Test } from 'tap'
import type { Assertion } from '../../../schemas/http/check-config.ts'
import { createAssertionPool, type Job } from '../../../services/prober/assertion-pool.ts'
import { Undecided } from '../../../services/prober/evaluator.ts'
import { createLog } from '../../../services/process/log.ts'
import { createMetrics } from '../../../services/process/metrics.ts'
import { until } from '../../harness/until.ts'

t.setTimeout(390_000)

const never = new AbortController().signal

/** CPU time decides, because this machine may be busy. */
const limit = { processorMs: 500, clockMs: 120_000 }

function make(t: Test, processes: number) {
  const metrics = createMetrics()
  const real = createAssertionPool({ processes, log: createLog('prober', 'fatal'), metrics, limit })
  t.teardown(() => real.close())
  // The pool's processes have low priority, so on a busy machine one may wait long for its turn.
  const pool: typeof real = {
    ...real,
    async evaluate(asked, signal) {
      for (;;) {
        try {
          return await real.evaluate(asked, signal)
        } catch (error) {
          if (!(error instanceof Undecided && error.reason === 'busy')) throw error
        }
      }
    }
  }
  const undecided = async (): Promise<Record<string, unknown>> => {
    const { values } = (await metrics.registry.getSingleMetric('service_prober_undecided_total')?.get()) ?? { values: [] }
    return Object.fromEntries(values.map(({ labels, value }) => [labels.reason, value]))
  }
  return { pool, undecided }
}

let monitors = 0
const job = (assertions: Assertion[], body: string, over: Partial<Job> = {}): Job => ({
  share: 'a',
  monitor: `monitor ${monitors++}`,
  assertions,
  asked: assertions.map((_, at) => at),
  facts: { status: 200, headers: { 'x-a': ['1', '2'] }, latency_ms: 12.5, tls_days: null, redirect_url: null, ip: '192.0.2.1' },
  body: [Buffer.from(body)],
  contentType: undefined,
  ...over
})

const body = (value: string, op: Assertion['op'] = 'matches'): Assertion => ({ source: 'body', op, value })

/** Nested lists that are all written out: the work grows with the square of the body. */
const endless = job([{ source: 'json', property: '$..*', op: 'contains', value: 'x' }], `${'[0,'.repeat(2000)}0${']'.repeat(2000)}`)
const large = job([{ source: 'json', property: '$..*', op: 'contains', value: 'x' }], `[${'[],'.repeat(3_400_000)}[]]`)

/** Returns the processes that this one started for assertions, found by the title that they set. */
function standing(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const isOurs = /^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${name}/status`, 'utf8'))?.[1] === String(process.pid)
        return isOurs && readFileSync(`/proc/${name}/cmdline`, 'utf8').startsWith('prober assertions') ? [Number(name)] : []
      } catch {
        return [] // It ended during the look.
      }
    })
}

t.test('the pool evaluates assertions with the charset and the size limit of the body', async (t) => {
  const { pool } = make(t, 2)
  const assertions: Assertion[] = [
    { source: 'status', op: 'eq', value: 200 },
    body('^f.ne$'),
    body('^fine$', 'not_matches'),
    { source: 'header', property: 'X-A', op: 'matches', value: '^2$' },
    { source: 'latency_ms', op: 'lt', value: 10 }
  ]
  const results = await pool.evaluate(job(assertions, 'fine', { asked: [1, 2, 3, 4] }), never)
  t.match(results, [
    { index: 1, ok: true },
    { index: 2, ok: false, message: 'body does not match what was configured' },
    { index: 3, ok: true },
    { index: 4, ok: false, actual: '12.5' }
  ])
  const latin = job([body('^é$')], '', { body: [Buffer.from([0xe9])], contentType: 'text/plain; charset=latin1' })
  t.match(await pool.evaluate(latin, never), [{ ok: true }], 'in the charset of the answer')
  const cut = await pool.evaluate(job([body('end$'), body('fine')], `${'x'.repeat(300_000)}end`), never)
  for (const { ok, message } of cut) t.same([ok, message], [false, 'body matches what was configured, within its first 256 KiB'])
  const refused = pool.evaluate(job([body('fine'), body('(a|b|c|d){500}')], 'fine'), never)
  await t.rejects(refused, { name: 'Undecided', message: /^Assertion 2 is not evaluated/ })
  t.match(await pool.evaluate(job([body('fine')], 'fine'), never), [{ ok: true }], 'and goes on')
})

t.test('a process that ended is replaced', async (t) => {
  const { pool, undecided } = make(t, 1)
  await t.rejects(pool.evaluate(large, never), Undecided)
  t.match(await pool.evaluate(job([body('fine')], 'fine'), never), [{ ok: true }])
  const counts = await undecided()
  t.equal(Number(counts.deadline ?? 0) + Number(counts.memory ?? 0), 1)
  const again = pool.evaluate(large, never)
  await t.rejects(again, { reason: 'costly', message: /^The assertions took too much lately; they are evaluated again in \d+ s$/ })
  t.same(standing().length, 1, 'which costs nothing')
  const other = { ...large, monitor: 'another' }
  await t.rejects(pool.evaluate(other, AbortSignal.timeout(200)), { name: 'TimeoutError' }, 'who gives up is not kept waiting')
  t.match(await pool.evaluate(job([body('fine')], 'fine'), never), [{ ok: true }])
  const [pid = 0] = standing()
  t.ok(pid > 0)
  const environment = readFileSync(`/proc/${pid}/environ`, 'utf8')
  t.notMatch(environment, 'PATH', 'it has nothing of the environment of the prober')
  t.equal(getPriority(pid), 10, 'it ranks below the prober, and is not starved')
  process.kill(pid, 'SIGKILL')
  await until('another takes its place', () =>
    pool.evaluate(job([body('fine')], 'fine'), never).then(
      () => !standing().includes(pid),
      () => false
    )
  )
})

t.test('workspaces take turns in the pool', async (t) => {
  const { pool } = make(t, 1)
  const order: string[] = []
  const ask = async (name: string): Promise<void> => {
    await pool.evaluate(job([body('fine')], 'fine', { share: name[0] ?? '' }), never)
    order.push(name)
  }
  // Starts the process first, so that no job waits for the start and loses its turn.
  await pool.evaluate(job([body('fine')], 'fine'), never)
  await Promise.all(['a1', 'a2', 'a3', 'a4', 'b1', 'c1'].map(ask))
  t.same(order, ['a1', 'a2', 'b1', 'c1', 'a3', 'a4'])
})

t.test('closing the pool ends its processes, and none starts afterwards', async (t) => {
  const { pool } = make(t, 2)
  const easy = (share: string) => pool.evaluate(job([body('a')], 'a', { share }), never)
  await Promise.all([easy('a'), easy('b')])
  t.ok(standing().length >= 2)
  const running = pool.evaluate(endless, never).catch((error: unknown) => error)
  const waiting = Promise.allSettled(['a', 'b', 'c'].map(easy))
  await new Promise(setImmediate)
  pool.close()
  await running
  t.match(
    (await waiting).filter(({ status }) => status === 'rejected').at(-1),
    { reason: { name: 'Undecided', message: 'The prober is ending' } },
    'who waits for a process gets none'
  )
  await t.rejects(easy('d'), { name: 'Undecided', message: 'The prober is ending' })
  await until('they are gone', () => standing().length === 0)
})
