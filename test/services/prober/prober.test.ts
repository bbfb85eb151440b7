/**
 * Tests of a whole prober against a service that speaks the protocol: assignment, shares, rounds,
 * results, and an outage of the service.
 */
import t, { type Test } from 'tap'
import { Check } from 'typebox/value'
import { Result, ResultsBody } from '../../../schemas/http/prober.ts'
import { uuidv4 } from '../../../schemas/uuid.ts'
import { type Prober, startProber } from '../../../services/prober/prober.ts'
import { createService } from '../../../services/prober/service.ts'
import type { ProberSettings } from '../../../services/prober/settings.ts'
import { ownerOf } from '../../../services/prober/share.ts'
import { createLog } from '../../../services/process/log.ts'
import { createMetrics, type Metrics } from '../../../services/process/metrics.ts'
import { until } from '../../harness/until.ts'
import { type FakeService, fakeService, TOKEN } from './fake-service.ts'
import { assignment, facts, http, noNames, tcp } from './stand.ts'

t.setTimeout(300_000)
t.jobs = 4

interface Started {
  prober: Prober
  metrics: Metrics
}

function start(t: Test, fake: FakeService, changes: Partial<ProberSettings> = {}, wallClock?: () => number): Started {
  const metrics = createMetrics()
  const settings: ProberSettings = {
    url: fake.url,
    token: TOKEN,
    instance: 'prober-1',
    open: ['127.0.0.0/8'],
    own: [],
    resolvers: [],
    concurrency: 10,
    processes: 2,
    bufferBytes: 1_048_576,
    ...changes
  }
  const prober = startProber({
    settings,
    service: createService(fake.url, settings.token, '1.2.3'),
    resolve: noNames,
    version: '1.2.3',
    facts,
    kinds: ['http'],
    log: createLog('prober', process.env.TEST_LOG ?? 'fatal'),
    metrics,
    helloEveryMs: 100,
    ...(wallClock && { wallClock })
  })
  let isClosed = false
  const close = prober.close
  prober.close = () => {
    isClosed = true
    return close()
  }
  t.teardown(async () => {
    if (!isClosed) await prober.close()
  })
  return { prober, metrics }
}

/** Makes a monitor that is checked every second. */
const every = (target: string, changes: Parameters<typeof assignment>[1] = {}) =>
  assignment(target, { monitor_id: uuidv4(), interval_seconds: 1, timeout_seconds: 1, ...changes })

const figure = async (metrics: Metrics, name: string): Promise<number> => {
  const found = await metrics.registry.getSingleMetric(name)?.get()
  return found?.values.reduce((sum, { value }) => sum + value, 0) ?? Number.NaN
}

t.test('the prober says hello, takes its assignment and sends valid results', async (t) => {
  const fake = await fakeService(t)
  const asked: (string | undefined)[] = []
  const base = await http(t, (request, response) => {
    asked.push(request.headers.authorization)
    response.end('fine')
  })
  const monitor = every(`${base}/`, {
    config_version: 7,
    config: { auth: { type: 'bearer', token: 'the-secret' } },
    assertions: [{ source: 'body', op: 'contains', value: 'fine' }]
  })
  fake.assign(monitor)
  const { prober } = start(t, fake)
  const results = await until('two results', () => fake.of(monitor.monitor_id).length >= 2 && fake.of(monitor.monitor_id))
  t.ok(prober.ready())
  t.match(fake.hellos[0], {
    instance_id: 'prober-1',
    kinds: ['http'],
    leaving: false,
    version: '1.2.3',
    public_key: /^[A-Za-z0-9+/]{43}=$/
  })
  for (const batch of fake.batches) t.ok(Check(ResultsBody, batch), 'the shape is that of the protocol')
  const [first, second] = results
  t.match(first, {
    outcome: 'success',
    config_version: 7,
    count: true,
    on_demand: false,
    http: { status: 200, remote_ip: '127.0.0.1' },
    assertions: [{ index: 0, ok: true, actual: null }],
    attempts: [{ outcome: 'success' }]
  })
  const apart = (second?.seq ?? 0) - (first?.seq ?? 0)
  t.ok(apart > 0 && apart % 1000 === 0, 'one slot after the other')
  t.equal(Date.parse(first?.scheduled_at ?? ''), first?.seq)
  t.not(first?.check_id, second?.check_id)
  t.same(new Set(asked), new Set(['Bearer the-secret']), 'the sealed token was opened')
  t.notMatch(JSON.stringify(fake.batches), 'the-secret')
})

t.test('a failing monitor is checked at its down interval until it has recovered', async (t) => {
  const fake = await fakeService(t)
  let status = 500
  const base = await http(t, (_request, response) => response.writeHead(status).end())
  const monitor = every(`${base}/`, { interval_seconds: 3, down_interval_seconds: 1, recovery_rounds: 2 })
  fake.assign(monitor)
  start(t, fake)
  const of = () => fake.of(monitor.monitor_id)
  await until('four failures', () => of().length >= 4)
  const apart = (results: readonly Result[]): number[] => results.slice(1).map(({ seq }, nth) => seq - (results[nth]?.seq ?? 0))
  t.ok(
    apart(of()).every((ms) => ms % 1000 === 0 && ms < 3000),
    'the quicker slots'
  )
  status = 200
  const good = () => of().filter(({ outcome }) => outcome === 'success')
  await until('four successes', () => good().length >= 4)
  t.ok(
    apart(good().slice(2)).every((ms) => ms % 3000 === 0),
    'and the usual ones'
  )
})

t.test('a changed assignment takes effect, and a removed monitor is no longer checked', async (t) => {
  const fake = await fakeService(t)
  const base = await http(t, (request, response) => response.writeHead(request.url === '/b' ? 500 : 200).end())
  const monitor = every(`${base}/a`)
  fake.assign(monitor)
  start(t, fake)
  await until('a success', () => fake.results.some(({ outcome }) => outcome === 'success'))
  fake.assign({ ...monitor, target: `${base}/b`, config_version: 2 })
  await until('a failure of the new version', () =>
    fake.results.some(({ outcome, config_version }) => outcome === 'failure' && config_version === 2)
  )
  const other = every(`${base}/a`)
  fake.remove(monitor.monitor_id)
  fake.assign(other)
  const polls = fake.polls
  await until('the change was fetched', () => fake.polls > polls)
  const before = fake.of(monitor.monitor_id).length
  await until('the other is checked', () => fake.of(other.monitor_id).length >= 3)
  t.ok(fake.of(monitor.monitor_id).length - before <= 1, 'at most a round that was under way')
  const slots = fake.of(monitor.monitor_id).map(({ seq }) => seq)
  t.same(slots, [...new Set(slots)], 'no slot twice')
})

t.test('checks go on while the service is away, and results arrive once and in order', async (t) => {
  for (const mode of ['503', 'cut'] as const) {
    const fake = await fakeService(t)
    fake.resultBatch = 2
    let checks = 0
    const base = await http(t, (_request, response) => {
      checks++
      response.end()
    })
    const monitors = [every(`${base}/`), every(`${base}/`)]
    fake.assign(...monitors)
    const { metrics } = start(t, fake)
    await until('a first result', () => fake.results.length > 0)
    fake.mode = mode
    const from = checks
    await until('checks while it is away', () => checks >= from + 6)
    const kept = await until('they wait', async () => (await figure(metrics, 'service_prober_results_buffered')) >= 5)
    t.ok(kept)
    fake.mode = 'up'
    await until('all of them', async () => fake.results.length === (await figure(metrics, 'service_prober_checks_total')))
    t.ok(fake.results.length >= from + 5, `${mode}: what was checked meanwhile is there`)
    for (const { monitor_id } of monitors) {
      const slots = fake.of(monitor_id).map(({ seq }) => seq)
      t.same(
        slots,
        [...new Set(slots)].sort((one, other) => one - other),
        `${mode}: in order, none twice`
      )
    }
    t.ok(fake.batches.every(({ results }) => results.length <= 2))
  }
})

t.test('a full buffer drops results and counts them, and the others arrive later', async (t) => {
  const fake = await fakeService(t)
  const base = await http(t, (_request, response) => response.end())
  const monitor = every(`${base}/`)
  fake.assign(monitor)
  const { prober, metrics } = start(t, fake, { bufferBytes: 2500 })
  await until('a result', () => fake.results.length > 0)
  fake.mode = 'cut'
  const dropped = () => figure(metrics, 'service_prober_results_dropped_total')
  await until('some are dropped', async () => (await dropped()) > 0)
  t.ok((await figure(metrics, 'service_prober_results_buffered_bytes')) <= 2500)
  fake.mode = 'up'
  await until('nothing waits', async () => (await figure(metrics, 'service_prober_results_buffered')) === 0)
  await prober.close()
  const slots = fake.of(monitor.monitor_id).map(({ seq }) => seq)
  t.same(
    slots,
    [...new Set(slots)].sort((one, other) => one - other),
    'in order, none twice'
  )
  t.equal(slots.length + (await dropped()), await figure(metrics, 'service_prober_checks_total'), 'only what was counted is missing')
})

t.test('a malformed result does not block the others', async (t) => {
  const fake = await fakeService(t)
  const base = await http(t, (request, response) => response.writeHead(request.url === '/odd' ? 418 : 200).end())
  const odd = every(`${base}/odd`)
  const good = Array.from({ length: 6 }, () => every(`${base}/`))
  fake.isMisshapen = ({ http: answer }) => answer?.status === 418
  fake.mode = 'up'
  fake.assign(odd, ...good)
  const { metrics } = start(t, fake)
  await until('the odd one is dropped', async () => (await figure(metrics, 'service_prober_results_refused_total')) >= 2)
  await until('the good ones arrive', () => good.every(({ monitor_id }) => fake.of(monitor_id).length >= 2))
  t.equal(fake.of(odd.monitor_id).length, 0)
})

t.test('two probers share the monitors, and one takes over when the other leaves', async (t) => {
  const fake = await fakeService(t)
  const base = await http(t, (_request, response) => response.end())
  const monitors = Array.from({ length: 8 }, () => every(`${base}/`))
  fake.assign(...monitors)
  const live = ['prober-1', 'prober-2'].map((instance_id) => ({ instance_id, kinds: ['http'] }))
  const { prober: first } = start(t, fake)
  start(t, fake, { instance: 'prober-2' })
  const doneBy = (from: number) =>
    new Map(fake.batches.slice(from).flatMap(({ instance_id, results }) => results.map(({ monitor_id }) => [monitor_id, instance_id])))
  const isShared = (from: number) => {
    const done = doneBy(from)
    return monitors.every(({ monitor_id }) => done.get(monitor_id) === ownerOf(monitor_id, 'http', live))
  }
  await until('both work', () => fake.hellos.some(({ instance_id }) => instance_id === 'prober-2'))
  const from = await until('each has its share', () => isShared(0) && fake.batches.length)
  await until('still', () => fake.batches.length > from + 4 && isShared(from))
  await first.close()
  t.ok(
    fake.hellos.some(({ instance_id, leaving }) => instance_id === 'prober-1' && leaving),
    'it said goodbye'
  )
  const after = fake.batches.length
  await until('the other has all', () => {
    const done = doneBy(after)
    return monitors.every(({ monitor_id }) => done.get(monitor_id) === 'prober-2')
  })
})

t.test('a slot that cannot start before the next one is a missed window', async (t) => {
  t.test('a slot is missed while the previous round is still running', async (t) => {
    const fake = await fakeService(t)
    const silent = await tcp(t, () => undefined)
    const monitor = every(`http://127.0.0.1:${silent}/`, { timeout_seconds: 3 })
    fake.assign(monitor)
    start(t, fake)
    await until(
      'both',
      () => fake.results.some(({ reason }) => reason === 'timeout') && fake.results.some(({ outcome }) => outcome === 'missed_window')
    )
    const missed = fake.results.find(({ outcome }) => outcome === 'missed_window')
    t.match(missed, { reason: null, attempts: [], count: true })
    t.ok(Check(Result, missed))
    const slots = fake.of(monitor.monitor_id).map(({ seq }) => seq)
    t.equal(new Set(slots).size, slots.length, 'one result for each slot')
  })
  t.test('a slot is missed while no place is free', async (t) => {
    const fake = await fakeService(t)
    const silent = await tcp(t, () => undefined)
    const base = await http(t, (_request, response) => response.end())
    const quick = every(`${base}/`)
    fake.assign(...[1, 2, 3].map(() => every(`http://127.0.0.1:${silent}/`, { timeout_seconds: 2 })), quick)
    start(t, fake, { concurrency: 1 })
    await until('the quick one misses', () => fake.of(quick.monitor_id).some(({ outcome }) => outcome === 'missed_window'))
    await until('and is checked again', () => fake.of(quick.monitor_id).some(({ outcome }) => outcome === 'success'), 30_000)
  })
})

t.test('an on-demand check runs at once and only once', async (t) => {
  const fake = await fakeService(t)
  let asked = 0
  const base = await http(t, (_request, response) => {
    asked++
    response.end()
  })
  const monitor = every(`${base}/`, { interval_seconds: 86_400 })
  fake.assign(monitor)
  const { prober } = start(t, fake)
  await until('it is ready', () => prober.ready())
  const check = {
    check_id: uuidv4(),
    monitor_id: monitor.monitor_id,
    scheduled_at: new Date().toISOString(),
    count: false,
    expires_at: new Date(Date.now() + 60_000).toISOString()
  }
  fake.once(check)
  fake.once({ ...check, check_id: uuidv4(), expires_at: new Date(Date.now() - 1000).toISOString() })
  await until('the result', () => fake.results.length > 0)
  t.match(fake.results, [
    { check_id: check.check_id, on_demand: true, count: false, outcome: 'success', seq: Date.parse(check.scheduled_at) }
  ])
  const polls = fake.polls
  fake.once(check)
  await until('it came again', () => fake.polls > polls)
  t.equal(asked, 1, 'what it knows it does not do twice, and what has expired not at all')
})

t.test('the answer of a failed check is captured once, apart from its result', async (t) => {
  const fake = await fakeService(t)
  const base = await http(t, (_request, response) => response.writeHead(503, { 'x-served-by': 'web-3' }).end('Down for repairs'))
  const config = { capture_on_failure: true }
  const kept = every(`${base}/kept`, { config, config_version: 3 })
  const other = every(`${base}/other`)
  fake.assign(kept, other)
  const { prober, metrics } = start(t, fake)
  await until('three failures of each', () => [kept, other].every(({ monitor_id }) => fake.of(monitor_id).length >= 3))
  await until('the answer', () => fake.captures.length > 0)
  const [first] = fake.captures
  t.match(fake.captures, [
    {
      monitor_id: kept.monitor_id,
      tenant_ref: kept.tenant_ref,
      config_version: 3,
      reason: 'http_status',
      status: 503,
      body: 'Down for repairs'
    }
  ])
  t.ok(
    fake.of(kept.monitor_id).some(({ check_id, outcome }) => check_id === first?.check_id && outcome === 'failure'),
    'it is that of a result'
  )
  t.notMatch(JSON.stringify(fake.batches), /repairs|web-3/, 'and no result has any of it')
  const before = fake.trials.length
  fake.once({
    check_id: uuidv4(),
    monitor_id: kept.monitor_id,
    scheduled_at: new Date().toISOString(),
    count: false,
    expires_at: new Date(Date.now() + 60_000).toISOString(),
    definition: { ...kept, monitor_id: uuidv4() }
  })
  await until('what was tried', () => fake.trials.length > before)
  await prober.close()
  t.equal(fake.captures.length, 1, 'not of each failure, and not of what is only tried')
  t.equal(await figure(metrics, 'service_prober_captures_dropped_total'), 0)
})

t.test('a service that refuses captured answers still gets every result', async (t) => {
  const fake = await fakeService(t)
  fake.refusesCaptures = 422
  const base = await http(t, (_request, response) => response.writeHead(503).end('down'))
  const monitor = every(`${base}/`, { config: { capture_on_failure: true } })
  fake.assign(monitor)
  const { metrics } = start(t, fake)
  await until('dropped', async () => (await figure(metrics, 'service_prober_captures_dropped_total')) === 1)
  const known = fake.of(monitor.monitor_id).length
  await until('more results', () => fake.of(monitor.monitor_id).length > known + 1)
  t.equal(await figure(metrics, 'service_prober_results_dropped_total'), 0)
})

t.test('a trial check is answered separately and makes no result', async (t) => {
  const fake = await fakeService(t)
  const base = await http(t, (_request, response) => response.writeHead(503).end())
  const { prober } = start(t, fake)
  await until('it is ready', () => prober.ready())
  const tried = every(`${base}/`, { retry: { count: 3, strategy: 'none', base_seconds: 1, max_total_seconds: 60 } })
  const check = (over: object = {}) => ({
    check_id: uuidv4(),
    monitor_id: tried.monitor_id,
    scheduled_at: new Date().toISOString(),
    count: false,
    expires_at: new Date(Date.now() + 60_000).toISOString(),
    definition: tried,
    ...over
  })
  const first = check()
  fake.once(first)
  await until('what it came to', () => fake.trials.length === 1)
  t.match(fake.trials, [{ result: { check_id: first.check_id, outcome: 'failure', reason: 'http_status' } }])
  t.equal(fake.trials[0]?.result.attempts.length, 1)
  const strange = check({ definition: { ...tried, type: 'carrier-pigeon' } })
  fake.once(strange)
  await until('another', () => fake.trials.length === 2)
  t.match(fake.trials[1]?.result, {
    check_id: strange.check_id,
    outcome: 'prober_error',
    message: /does not know checks of the type carrier-pigeon/
  })
  t.same(fake.results, [])
})

t.test('a trial that ends while the prober closes is still answered', async (t) => {
  const fake = await fakeService(t)
  let asked = (): void => undefined
  const isAsked = new Promise<void>((resolve) => {
    asked = resolve
  })
  let answer = (): void => undefined
  const base = await http(t, (_request, response) => {
    answer = () => void response.writeHead(503).end()
    asked()
  })
  const { prober } = start(t, fake)
  await until('it is ready', () => prober.ready())
  const tried = every(`${base}/`, { timeout_seconds: 30 })
  const check_id = uuidv4()
  fake.once({
    check_id,
    monitor_id: tried.monitor_id,
    scheduled_at: new Date().toISOString(),
    count: false,
    expires_at: new Date(Date.now() + 60_000).toISOString(),
    definition: tried
  })
  await isAsked
  const closed = prober.close()
  await until('goodbye', () => fake.hellos.some(({ leaving }) => leaving))
  answer()
  await closed
  t.match(fake.trials, [{ result: { check_id, outcome: 'failure', reason: 'http_status' } }])
})

t.test('a wrong clock is corrected by the time in hello', async (t) => {
  const fake = await fakeService(t)
  fake.aheadMs = 3_600_000
  const base = await http(t, (_request, response) => response.end())
  fake.assign(every(`${base}/`))
  start(t, fake)
  const [result] = await until('a result', () => fake.results.length > 0 && fake.results)
  const off = Date.now() + fake.aheadMs - Date.parse(result?.scheduled_at ?? '')
  t.ok(Math.abs(off) < 10_000, `${off} ms from the time of the service`)
  fake.aheadMs = 0
  await until('and back', () => fake.results.some(({ scheduled_at }) => Math.abs(Date.now() - Date.parse(scheduled_at)) < 10_000))
})

t.test('a check that cannot run is a prober error, not a failure of the target', async (t) => {
  const fake = await fakeService(t)
  fake.assign(
    every('http://127.0.0.1:1/', { type: 'group' }),
    every('http://127.0.0.1:1/', { assertions: [{ source: 'body', op: 'matches', value: '(' }] })
  )
  start(t, fake)
  await until('both', () => new Set(fake.results.map(({ monitor_id }) => monitor_id)).size === 2)
  for (const result of fake.results) t.match(result, { outcome: 'prober_error', reason: null, message: String, attempts: [] })
})

t.test('the prober refuses its own service and networks that the service closes', async (t) => {
  const fake = await fakeService(t)
  const base = await http(t, (_request, response) => response.end())
  const [own, target] = [every(`${fake.url}/api/v1/prober/hello`), every(`${base}/`)]
  fake.assign(own, target)
  start(t, fake)
  await until('both', () => fake.of(own.monitor_id).length > 0 && fake.of(target.monitor_id).length > 0)
  t.match(fake.of(own.monitor_id), [{ outcome: 'failure', reason: 'blocked_target' }])
  t.match(fake.of(target.monitor_id), [{ outcome: 'success' }])
  fake.blockCidrs = ['127.0.0.0/8']
  await until('closed', () => fake.of(target.monitor_id).some(({ reason }) => reason === 'blocked_target'))
})

t.test('a closing prober sends its buffered results', async (t) => {
  const fake = await fakeService(t)
  const base = await http(t, (_request, response) => response.end())
  fake.assign(every(`${base}/`))
  const { prober, metrics } = start(t, fake)
  await until('a result', () => fake.results.length > 0)
  fake.mode = '503'
  await until('some wait', async () => (await figure(metrics, 'service_prober_results_buffered')) >= 2)
  fake.mode = 'up'
  await prober.close()
  t.equal(await figure(metrics, 'service_prober_results_buffered'), 0)
  t.equal(fake.results.length, await figure(metrics, 'service_prober_checks_total'))
})

t.test('a prober with a wrong token is not ready and can be closed', async (t) => {
  const fake = await fakeService(t)
  const { prober } = start(t, fake, { token: `prober_${'0'.repeat(64)}` })
  await until('it has asked', () => fake.unauthorized > 0)
  t.notOk(prober.ready())
  await prober.close()
  t.equal(fake.hellos.length, 0)
})

t.test('a prober with a token that is not valid yet keeps asking, and works once it is valid', async (t) => {
  const fake = await fakeService(t)
  const token = `prober_${'0'.repeat(64)}`
  const base = await http(t, (_request, response) => response.end())
  const monitor = every(`${base}/`)
  fake.assign(monitor)
  const { prober } = start(t, fake, { token })
  await until('it has asked several times', () => fake.unauthorized >= 3)
  t.notOk(prober.ready())
  t.same([fake.hellos, fake.polls, fake.results], [[], 0, []])
  fake.token = token
  await until('it is ready', () => prober.ready())
  await until('a result', () => fake.of(monitor.monitor_id).length > 0)
})

t.test('a service that answers every poll at once is not polled in a tight loop', async (t) => {
  const fake = await fakeService(t)
  fake.isEager = true
  const base = await http(t, (_request, response) => response.end())
  const monitor = every(`${base}/`)
  fake.assign(monitor)
  start(t, fake)
  const before = await until('a result', () => fake.results.length > 0 && fake.polls)
  await until('three slots later', () => fake.results.length >= 4)
  t.ok(fake.polls - before <= 30, `${fake.polls - before} polls in three slots of a second`)
})
