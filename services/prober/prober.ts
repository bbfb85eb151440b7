/**
 * A prober at work: presence, the region's assignment, its own share of it, and the results. Three things go on beside each other:
 *
 *   hello    at the start and every 10 s: who the siblings are, how far the clock is off, which networks stay closed
 *   config   long poll for what has changed of the assignment, from the first hello on
 *   rounds   checks of the monitors that fall to this prober (share.ts), results to delivery.ts
 *
 * While the service is away nothing but hello and config change: rounds go on with what is held, results wait in the buffer.
 * Source: docs/design/api/prober.md#s16, docs/design/architecture.md#s6-probers.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { mapSecrets } from '../../schemas/http/check-config.ts'
import { type Assignment, type ConfigAnswer, type HelloAnswer, type HelloBody, MOST_BEHIND_MS } from '../../schemas/http/prober.ts'
import { isSealed, makeSealingKeys, openSealed, Unsealable } from '../credentials/sealing.ts'
import { createAddressGuard, type Resolve } from '../http/address-guard.ts'
import type { Log } from '../process/log.ts'
import type { Metrics } from '../process/metrics.ts'
import { createAssertionPool } from './assertion-pool.ts'
import { backOff } from './back-off.ts'
import { createDelivery } from './delivery.ts'
import type { Network } from './http-hop.ts'
import { type HttpPlan, PlanFault, planHttp } from './http-plan.ts'
import { watchLoop } from './loop-delay.ts'
import { createRounds } from './rounds.ts'
import type { Service } from './service.ts'
import type { ProberSettings } from './settings.ts'
import { ownerOf, type Sibling } from './share.ts'

const HELLO_EVERY_MS = 10_000
const POLL_SECONDS = 30
/** Results kept at most; bytes bound them as well. */
const MOST_RESULTS = 1_000_000
/** A clock that is off by less is left alone. */
const SKEW_TOLERATED_MS = 2000
/** An assignment is asked for as a whole, because a secret did not open, at most so often. */
const RELOAD_EVERY_MS = 60_000
/** Between two polls that brought nothing new: a service that answers at once, over and over, is not asked over and over. */
const LEAST_POLL_MS = 1000
const KINDS = ['http']

/** As hello takes it. */
const whole = (ms: number): number => Math.min(MOST_BEHIND_MS, Math.max(0, Math.round(ms)))

export interface ProberOptions {
  settings: Readonly<ProberSettings>
  service: Service
  resolve: Resolve
  version: string
  log: Log
  metrics: Metrics
  /** Wall clock, epoch ms. */
  wallClock?: () => number
  /** Milliseconds between two hellos. */
  helloEveryMs?: number
}

export interface Prober {
  ready(): boolean
  /** Says goodbye, ends what runs, sends what is left: at most 9 s. */
  close(): Promise<void>
}

export function startProber(options: ProberOptions): Prober {
  const { settings, service, version, log, metrics } = options
  const { wallClock = Date.now, helloEveryMs = HELLO_EVERY_MS } = options
  const keys = makeSealingKeys()
  const ending = new AbortController()
  const assignments = new Map<string, Assignment>()
  const onceSeen = new Map<string, number>()
  let region = ''
  let live: readonly Sibling[] = []
  let correction = 0
  let closed: readonly string[] = []
  let held: number | undefined
  let helloAt: number | null = null
  let reloadedAt = Number.NEGATIVE_INFINITY
  let network = networkOf([])
  let wakeHello: (() => void) | undefined
  let polling: AbortController | undefined
  let onFirstHello: (() => void) | undefined
  const firstHello = new Promise<void>((resolve) => {
    onFirstHello = resolve
  })

  const now = (): number => wallClock() + correction
  const delivery = createDelivery({
    service,
    instance: settings.instance,
    bounds: { count: MOST_RESULTS, bytes: settings.bufferBytes },
    log,
    metrics
  })
  const pool = createAssertionPool({ processes: settings.processes, log, metrics, isAlone: () => rounds.workspaces === 1 })
  const rounds = createRounds({
    version,
    pool,
    region: () => region,
    now,
    network: () => network,
    plan,
    concurrency: settings.concurrency,
    onResult: (result) => delivery.add(result),
    log,
    metrics
  })
  const monitors = metrics.gauge('service_prober_monitors', 'Monitors of the region, and those that this prober checks', ['share'])
  const age = metrics.gauge('service_prober_hello_age_seconds', 'Seconds since the service last answered a hello, -1 before the first', [])
  // Read when somebody looks: a timer for it would wake the process for nothing.
  Object.assign(age, { collect: () => age.set(helloAt === null ? -1 : (performance.now() - helloAt) / 1000) })

  const loop = watchLoop()
  const late = metrics.gauge(
    'service_prober_oldest_due_seconds',
    'Seconds that the oldest check is late that could have begun, 0 when none is',
    []
  )
  Object.assign(late, { collect: () => late.set(rounds.oldestDueMs() / 1000) })
  const heldUp = metrics.gauge('service_prober_event_loop_delay_seconds', 'Longest delay of the event loop between the last two hellos', [])

  function networkOf(block: readonly string[]): Network {
    const { hostname, port, protocol } = new URL(settings.url)
    const ownApi = `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`
    const guard = createAddressGuard({ open: settings.open, closed: block, own: [...settings.own, ownApi] })
    return { guard, resolve: options.resolve }
  }

  function plan(assignment: Assignment): HttpPlan | { fault: string } {
    try {
      const config = mapSecrets(assignment.config, (value) => (isSealed(value) ? openSealed(keys.privateKey, value) : value))
      return planHttp({ ...assignment, config }, `monitoring-prober/${version}`)
    } catch (error) {
      if (error instanceof PlanFault) return { fault: error.message }
      if (!(error instanceof Unsealable)) throw error
      // Sealed to the key of an earlier process of this name: the whole assignment comes anew, sealed to this one's.
      if (performance.now() - reloadedAt > RELOAD_EVERY_MS) {
        reloadedAt = performance.now()
        held = undefined
        polling?.abort()
      }
      return { fault: 'The secrets of the monitor do not open with the key of this prober' }
    }
  }

  const isMine = ({ monitor_id, type }: Assignment): boolean => {
    const owner = ownerOf(monitor_id, type, live)
    // A type that nobody of the region knows is reported by somebody, rather than kept silent about.
    return (
      (owner ??
        ownerOf(
          monitor_id,
          '',
          live.map((sibling) => ({ ...sibling, kinds: [''] }))
        )) === settings.instance
    )
  }

  function share(assignment: Assignment): void {
    if (isMine(assignment)) rounds.watch(assignment)
    else rounds.unwatch(assignment.monitor_id)
  }

  function count(): void {
    monitors.set({ share: 'region' }, assignments.size)
    monitors.set({ share: 'own' }, rounds.size)
  }

  function applyHello(answer: HelloAnswer, tookMs: number): void {
    helloAt = performance.now()
    if (region !== '' && region !== answer.region) log.warn({ from: region, to: answer.region }, 'the region of the token has changed')
    region = answer.region
    delivery.setLimits({ batch: answer.config.result_batch, flushMs: answer.config.result_flush_ms })
    correct(answer.skew_ms + tookMs / 2)
    if (answer.config.block_cidrs.join() !== closed.join()) {
      closed = answer.config.block_cidrs
      network = networkOf(closed)
    }
    const next = answer.drain ? [] : answer.live
    if (JSON.stringify(next) !== JSON.stringify(live)) {
      live = next
      // Only who came to this prober or left it is touched; the others go on in their rhythm.
      for (const assignment of assignments.values()) if (isMine(assignment) !== rounds.watches(assignment.monitor_id)) share(assignment)
      count()
      log.info({ region, live: live.map(({ instance_id }) => instance_id), own: rounds.size }, 'siblings changed')
    }
    // A store that went back in time, or a service that is another one: what is held means nothing to it.
    if (held !== undefined && answer.assignment_version < held) {
      held = undefined
      polling?.abort()
    }
    onFirstHello?.()
  }

  /** `aheadMs`: how far the wall clock is ahead of the service's. The way there counts as behind, so half the way there and back was put on top. */
  function correct(aheadMs: number): void {
    const next = Math.abs(aheadMs) > SKEW_TOLERATED_MS ? -Math.round(aheadMs) : 0
    if (Math.abs(next - correction) <= SKEW_TOLERATED_MS / 2) return
    log.warn(
      { skew_ms: Math.round(aheadMs) },
      next === 0 ? 'the clock is right again' : 'the clock is off: slots are counted by the time of the service'
    )
    correction = next
    rounds.reschedule()
  }

  function applyConfig(answer: ConfigAnswer): boolean {
    let isNews = answer.full || answer.monitors.length > 0 || answer.removed.length > 0
    if (answer.full) {
      const kept = new Set(answer.monitors.map(({ monitor_id }) => monitor_id))
      for (const id of assignments.keys()) if (!kept.has(id)) remove(id)
    }
    for (const assignment of answer.monitors) {
      assignments.set(assignment.monitor_id, assignment)
      share(assignment)
    }
    for (const id of answer.removed) remove(id)
    held = answer.version
    const instant = now()
    for (const [id, expiresAt] of onceSeen) if (expiresAt < instant) onceSeen.delete(id)
    for (const { check_id, monitor_id, scheduled_at, count: counts, expires_at } of answer.once) {
      const expiresAt = Date.parse(expires_at)
      if (onceSeen.has(check_id) || expiresAt < instant) continue
      isNews = true
      onceSeen.set(check_id, expiresAt)
      rounds.once(monitor_id, { checkId: check_id, scheduledAt: Date.parse(scheduled_at), count: counts, expiresAt })
    }
    count()
    return isNews
  }

  function remove(id: string): void {
    assignments.delete(id)
    rounds.unwatch(id)
  }

  const helloBody = (leaving: boolean): HelloBody => ({
    instance_id: settings.instance,
    version,
    kinds: KINDS,
    public_key: keys.publicKey.toString('base64'),
    capacity: { concurrent: settings.concurrency, per_second: settings.concurrency },
    clock_at: new Date(wallClock()).toISOString(),
    load: Math.min(1, rounds.running / settings.concurrency),
    oldest_due_ms: whole(rounds.oldestDueMs()),
    event_loop_delay_ms: whole(loop.longest()),
    leaving
  })

  async function sayHello(): Promise<void> {
    const from = performance.now()
    const said = helloBody(false)
    const { status, body } = await service.hello(said)
    heldUp.set((said.event_loop_delay_ms ?? 0) / 1000)
    if (body) loop.told()
    if (!body) throw new Error(`The service answers hello with the status ${status}`)
    if (!ending.signal.aborted) applyHello(body, performance.now() - from)
  }

  async function sleep(ms: number): Promise<void> {
    // Ended early by the end of the prober: the loop looks at that itself.
    await wait(ms, undefined, { signal: ending.signal }).catch(() => undefined)
  }

  async function helloLoop(): Promise<void> {
    let failures = 0
    while (!ending.signal.aborted) {
      try {
        await sayHello()
        if (failures > 0) log.info('the service answers again')
        failures = 0
      } catch (error) {
        failures++
        if (failures === 1) log.warn({ err: error }, 'the service does not answer hello: checks go on with what is held')
      }
      const woken = new Promise<void>((resolve) => {
        wakeHello = resolve
      })
      await Promise.race([sleep(failures > 0 ? Math.min(helloEveryMs, backOff(failures, Math.random())) : helloEveryMs), woken])
    }
  }

  async function configLoop(): Promise<void> {
    await firstHello
    let failures = 0
    while (!ending.signal.aborted) {
      polling = new AbortController()
      const poll = polling
      const onEnd = (): void => poll.abort()
      ending.signal.addEventListener('abort', onEnd, { once: true })
      const from = performance.now()
      try {
        const { status, body } = await service.config(settings.instance, held, POLL_SECONDS, poll.signal)
        if (status >= 300) throw new Error(`The service answers config with the status ${status}`)
        failures = 0
        const isNews = body !== null && applyConfig(body)
        if (!isNews && performance.now() - from < LEAST_POLL_MS) await sleep(LEAST_POLL_MS)
      } catch (error) {
        if (ending.signal.aborted) return
        // Aborted by ourselves: what is held was given up.
        if (poll.signal.aborted) continue
        failures++
        if (failures === 1) log.warn({ err: error }, 'the service does not answer for the assignment: checks go on with what is held')
        // It may have forgotten this prober, and its key with it.
        wakeHello?.()
        await sleep(backOff(failures, Math.random()))
      } finally {
        ending.signal.removeEventListener('abort', onEnd)
      }
    }
  }

  const loops = [helloLoop(), configLoop()]

  return {
    ready: () => helloAt !== null && held !== undefined,
    async close() {
      const from = performance.now()
      ending.abort()
      onFirstHello?.()
      // First: its siblings take over while it finishes.
      const goodbye = service
        .hello(helloBody(true), 2000)
        .catch((error: unknown) => log.warn({ err: error }, 'the service was not told that this prober leaves'))
      await rounds.close(from + 5000)
      await goodbye
      await delivery.close(from + 9000)
      service.close()
      await Promise.all(loops)
      pool.close()
      loop.close()
    }
  }
}
