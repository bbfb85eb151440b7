/**
 * Tests of hostile monitors against a whole prober: what their owners configure or watch affects
 * only their own checks.
 */
import t, { type Test } from 'tap'
import { type Assignment, type HelloBody, PROBER_BEHIND_MS, type Result } from '../../../schemas/http/prober.ts'
import { uuidv4 } from '../../../schemas/uuid.ts'
import { ANSWER_LIMIT } from '../../../services/prober/assertion-pool.ts'
import { type Prober, startProber } from '../../../services/prober/prober.ts'
import { createService } from '../../../services/prober/service.ts'
import { createLog } from '../../../services/process/log.ts'
import { createMetrics, type Metrics } from '../../../services/process/metrics.ts'
import { until } from '../../harness/until.ts'
import { type FakeService, fakeService, TOKEN } from './fake-service.ts'
import { assignment, facts, http, noNames, tcp } from './stand.ts'

t.setTimeout(1_800_000)

const HOSTILE = uuidv4()

function start(t: Test, fake: FakeService, concurrency: number): { prober: Prober; metrics: Metrics } {
  const metrics = createMetrics()
  const prober = startProber({
    settings: {
      url: fake.url,
      token: TOKEN,
      instance: 'prober-1',
      open: ['127.0.0.0/8'],
      own: [],
      resolvers: [],
      concurrency,
      processes: 2,
      bufferBytes: 16_777_216
    },
    service: createService(fake.url, TOKEN, '1.2.3'),
    resolve: noNames,
    version: '1.2.3',
    facts,
    kinds: ['http'],
    log: createLog('prober', process.env.TEST_LOG ?? 'fatal'),
    metrics,
    helloEveryMs: 100,
    // CPU time decides what is too costly, even on a busy machine.
    answerLimit: { ...ANSWER_LIMIT, clockMs: 120_000 }
  })
  t.teardown(() => prober.close())
  return { prober, metrics }
}

/**
 * Makes a monitor in a workspace of its own that is checked every three seconds. If the prober is
 * blocked for longer, the monitor misses a check.
 */
const every = (target: string, changes: Partial<Assignment> = {}): Assignment =>
  assignment(target, { monitor_id: uuidv4(), tenant_ref: uuidv4(), interval_seconds: 3, timeout_seconds: 1, ...changes })

const matches = (value: string): Assignment['assertions'][number] => ({ source: 'body', op: 'matches', value })

/** Runs of 496 letters: on each, the expressions below come close to a match but never reach it. */
const nearly = `${'abcd'.repeat(124)} `

/** On a busy machine the prober may not reach every check of the hostile monitor. */
const isDone = ({ outcome }: Result): boolean => outcome !== 'missed_window'

/** Letters without a pattern that the engine could learn. */
function letters(count: number): string {
  let seed = 1
  return Array.from({ length: count }, () => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff
    return 'abcd'[(seed >> 16) % 4] ?? 'a'
  }).join('')
}

/** The same rule as in the service. */
const isLive = ({ oldest_due_ms = Number.NaN, event_loop_delay_ms = Number.NaN }: HelloBody): boolean =>
  Math.max(oldest_due_ms, event_loop_delay_ms) <= PROBER_BEHIND_MS

/** Each case would block a prober that evaluated it in the process of its other checks. */
const cases: { name: string; body: string; assertions: Assignment['assertions']; says: RegExp }[] = [
  {
    name: 'twenty expressions that an older version stored, each of them too large',
    body: nearly.repeat(200),
    assertions: Array.from({ length: 20 }, (_, n) => matches(`(a|b|c|d){500}${n}`)),
    says: /^Assertion 1 is not evaluated: its expression must come to at most 1000 parts/
  },
  {
    name: 'twenty expressions within the bound, on a text that suits them ill',
    body: letters(262_144),
    assertions: Array.from({ length: 20 }, (_, n) => matches(`a[abcd]{${480 + n}}[xy]`)),
    says: /^The assertions were not decided in time/
  },
  {
    name: 'a path that finds everything in a body of many parts',
    body: `[${'[],'.repeat(3_400_000)}[]]`,
    assertions: [{ source: 'json', property: '$..*', op: 'contains', value: 'x' }],
    says: /^The assertions (were not decided in time|need more memory)/
  }
]

for (const { name, body, assertions, says } of cases) {
  t.test(name, async (t) => {
    const fake = await fakeService(t)
    const target = await http(t, (request, response) => response.end(request.url === '/hostile' ? body : 'fine'))
    const [plain, asserting] = [every(`${target}/`), every(`${target}/`, { assertions: [matches('^fine$')] })]
    const neighbours = [plain, asserting]
    const hostile = every(`${target}/hostile`, {
      monitor_id: HOSTILE,
      assertions,
      interval_seconds: 5,
      timeout_seconds: 3,
      config: { max_body_bytes: 10_485_760 }
    })
    fake.assign(...neighbours)
    start(t, fake, 10)
    await until('the neighbours are checked', () => neighbours.every(({ monitor_id }) => fake.of(monitor_id).length >= 2))
    const before = fake.hellos.length
    fake.assign(...neighbours, hostile)
    // Its process has low priority, so on a busy machine it may wait.
    const result = await until(
      'the hostile one is checked',
      () => fake.of(HOSTILE).find((one) => isDone(one) && !/too busy/.test(one.message ?? '')),
      1_200_000
    )
    t.match(result, { outcome: 'prober_error', reason: null, message: says }, 'nobody is told that the target is down')
    await until('the neighbours go on', () => neighbours.every(({ monitor_id }) => fake.of(monitor_id).filter(isDone).length >= 4))
    await until('a hello after it', () => fake.hellos.length > before + 2)
    const outcomes = (results: Result[]): Set<string> => new Set(results.map(({ outcome }) => outcome))
    t.same(outcomes(fake.of(plain.monitor_id)), new Set(['success']), 'no check is missed or fails')
    // The process that evaluates it has low priority, too. On a busy machine a check may still run
    // when the next one is due.
    t.same(outcomes(fake.of(asserting.monitor_id).filter(isDone)), new Set(['success']), 'none that asserts fails')
    t.ok(fake.hellos.every(isLive), 'the prober is live all the time')
  })
}

t.test('a failed status is reported even if the assertions are too costly', async (t) => {
  const fake = await fakeService(t)
  const [, costly] = cases
  const target = await http(t, (_request, response) => response.writeHead(503).end(costly?.body))
  const hostile = every(`${target}/`, { interval_seconds: 5, timeout_seconds: 3, assertions: costly?.assertions ?? [] })
  fake.assign(hostile)
  start(t, fake, 10)
  const result = await until('a result', () => fake.of(hostile.monitor_id).find(isDone))
  t.match(result, { outcome: 'failure', reason: 'http_status', message: /^The status is 503/ })
})

t.test('a workspace whose targets all hang leaves places for the others', async (t) => {
  const fake = await fakeService(t)
  const silent = await tcp(t, () => undefined)
  const target = await http(t, (_request, response) => response.end('fine'))
  const [flooding, first, second] = [uuidv4(), uuidv4(), uuidv4()]
  // Twice as many as there are places; they are due over ten seconds, and each hangs for nine.
  const hanging = Array.from({ length: 400 }, () =>
    every(`http://127.0.0.1:${silent}/`, { tenant_ref: flooding, interval_seconds: 10, timeout_seconds: 9 })
  )
  const others = [first, second].flatMap((tenant_ref) => Array.from({ length: 10 }, () => every(`${target}/`, { tenant_ref })))
  fake.assign(...hanging)
  const { prober } = start(t, fake, 200)
  await until('it is ready', () => prober.ready())
  fake.assign(...hanging, ...others)
  await until('there are more than can begin', () => fake.results.some(({ outcome }) => outcome === 'missed_window'))
  const from = fake.results.length
  await until('everybody else is checked', () =>
    others.every(({ monitor_id }) => fake.results.slice(from).filter((one) => one.monitor_id === monitor_id).length >= 3)
  )
  const theirs = fake.results.filter(({ tenant_ref }) => tenant_ref !== flooding)
  t.same(new Set(theirs.map(({ outcome }) => outcome)), new Set(['success']), 'no check of theirs is missed')
  for (const { monitor_id } of others) {
    const slots = fake.of(monitor_id).map(({ seq }) => seq)
    const wanted = slots.map((_, nth) => (slots[0] ?? 0) + nth * 3000)
    t.same(slots, wanted, 'every slot, one after the other')
  }
  t.ok(fake.hellos.every(isLive), 'who floods it does not make the prober late')
})

t.test('hello reports how late the prober is', async (t) => {
  const fake = await fakeService(t)
  const { metrics } = start(t, fake, 10)
  await until('it says hello', () => fake.hellos.length > 0)
  t.match(fake.hellos[0], { oldest_due_ms: 0, event_loop_delay_ms: Number }, 'with nothing to do it is not late')
  // The loop's delay is measured once a second, so only longer delays are certain to be seen.
  const end = performance.now() + 2500
  while (performance.now() < end);
  const told = await until('a hello tells of the delay', () =>
    fake.hellos.find(({ event_loop_delay_ms = 0 }) => event_loop_delay_ms >= 1000)
  )
  t.ok(told)
  await until('and it is told once', () => (fake.hellos.at(-1)?.event_loop_delay_ms ?? 1000) < 1000)
  t.ok(metrics.registry.getSingleMetric('service_prober_event_loop_delay_seconds'))
})
