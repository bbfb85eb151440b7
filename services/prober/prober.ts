/**
 * Runs a prober: its presence, the region's assignment, its own share of it, and the results. Three
 * things run side by side:
 *
 *   hello    at the start and every 10 s: who the siblings are, how far the clock is off, which
 *            networks stay closed (hello-loop.ts)
 *   config   long poll for changes of the assignment, from the first hello on
 *            (config-loop.ts, region-assignment.ts)
 *   rounds   checks of the monitors that fall to this prober (rounds.ts), results to delivery.ts
 *
 * While the service is away, only hello and config are affected: rounds continue with the
 * assignment that is held, and results wait in the buffer.
 * Source: docs/design/api/prober.md#s16, docs/design/architecture.md#s6-probers.
 */
import { steadyNow } from '../../streams/runtime/steady.ts'
import { makeSealingKeys } from '../credentials/sealing.ts'
import type { Resolve } from '../http/address-guard.ts'
import type { TimeLimit } from '../process/child.ts'
import type { Log } from '../process/log.ts'
import type { Metrics } from '../process/metrics.ts'
import { createAssertionPool } from './assertion-pool.ts'
import { createCaptures } from './capture-delivery.ts'
import { startConfigLoop } from './config-loop.ts'
import { createDelivery } from './delivery.ts'
import { Hello } from './hello.ts'
import { startHelloLoop } from './hello-loop.ts'
import { watchLoop } from './loop-delay.ts'
import { createPlan } from './plans.ts'
import { createProberMetrics } from './prober-metrics.ts'
import type { ProberFacts } from './prober-type.ts'
import { RegionAssignment } from './region-assignment.ts'
import { createRounds, type Rounds } from './rounds.ts'
import type { Service } from './service.ts'
import { ServiceClock } from './service-clock.ts'
import type { ProberSettings } from './settings.ts'
import { createTrials } from './trials.ts'

const HELLO_EVERY_MS = 10_000
/** Maximum number of results kept; their bytes are limited as well. */
const MAX_RESULTS = 1_000_000
/**
 * Minimum time between two requests for the whole assignment that follow a secret that did not
 * open.
 */
const RELOAD_EVERY_MS = 60_000
/**
 * Time from the start of the shutdown until running rounds are given up, and until unsent results
 * and outcomes of trials are.
 */
const ROUNDS_END_MS = 5000
const RESULTS_END_MS = 9000

export interface ProberOptions {
  settings: Readonly<ProberSettings>
  service: Service
  resolve: Resolve
  version: string
  facts: ProberFacts
  /** Check types that this prober can do. */
  kinds: readonly string[]
  log: Log
  metrics: Metrics
  /** Wall clock, epoch ms. */
  wallClock?: () => number
  /** Milliseconds between two hellos. */
  helloEveryMs?: number
  /** Limit for the assertions of one answer; default: that of the pool. */
  answerLimit?: TimeLimit
}

export interface Prober {
  ready(): boolean
  /** Says goodbye, ends what runs and sends what is left; takes at most 9 s. */
  close(): Promise<void>
}

export function startProber(options: ProberOptions): Prober {
  const { settings, service, version, facts, log, metrics } = options
  const { wallClock = steadyNow, helloEveryMs = HELLO_EVERY_MS } = options
  const { instance, concurrency } = settings
  const ending = new AbortController()
  const { signal } = ending
  const keys = makeSealingKeys()
  let reloadedAt = Number.NEGATIVE_INFINITY
  let onFirstAnswer = (): void => undefined
  const firstAnswer = new Promise<void>((resolve) => {
    onFirstAnswer = resolve
  })

  const clock = new ServiceClock(wallClock, log, () => rounds.reschedule())
  const now = (): number => clock.now()
  const delivery = createDelivery({ service, instance, bounds: { count: MAX_RESULTS, bytes: settings.bufferBytes }, log, metrics })
  const captures = createCaptures({ service, instance, isAway: () => delivery.isAway, log, metrics })
  const trials = createTrials({ service, instance, log })
  const pool = createAssertionPool({
    processes: settings.processes,
    log,
    metrics,
    isAlone: () => rounds.workspaces === 1,
    ...(options.answerLimit && { limit: options.answerLimit })
  })
  const rounds: Rounds = createRounds({
    version,
    pool,
    region: () => hello.region,
    now,
    network: () => hello.network,
    plan: createPlan(keys.privateKey, facts, onUnsealable),
    concurrency,
    onResult: (result) => delivery.add(result),
    captures,
    onTrial: (result) => trials.send(result),
    log,
    metrics
  })
  const loop = watchLoop()
  const gauges = createProberMetrics(metrics, {
    helloAge: () => (hello.answeredAt === null ? -1 : (performance.now() - hello.answeredAt) / 1000),
    oldestDue: () => rounds.oldestDueMs() / 1000
  })
  const assignment = new RegionAssignment({ instance, rounds, now, onCount: gauges.countMonitors })
  const hello = new Hello({
    ...options,
    publicKey: keys.publicKey,
    wallClock,
    delivery,
    clock,
    rounds,
    assignment,
    loop,
    onLoopDelay: (ms) => gauges.loopDelay(ms / 1000),
    onOlderAssignment: reload,
    onAnswer: onFirstAnswer,
    signal
  })
  const helloLoop = startHelloLoop({ say: () => hello.say(), everyMs: helloEveryMs, signal, log })
  const configLoop = startConfigLoop(firstAnswer, {
    service,
    instance,
    version: () => assignment.version,
    apply: (answer) => assignment.apply(answer),
    // The service may have forgotten this prober and its key.
    onFailure: helloLoop.wake,
    signal,
    log
  })

  /** Asks for the whole assignment. What is held is checked until it comes. */
  function reload(): void {
    assignment.forgetVersion()
    configLoop.restart()
  }

  function onUnsealable(): void {
    if (performance.now() - reloadedAt <= RELOAD_EVERY_MS) return
    reloadedAt = performance.now()
    reload()
  }

  return {
    ready: () => hello.answeredAt !== null && assignment.version !== undefined,
    async close() {
      const from = performance.now()
      ending.abort()
      onFirstAnswer()
      // Goodbye comes first, so that the siblings take over while this prober finishes.
      const goodbye = hello.goodbye()
      await rounds.close(from + ROUNDS_END_MS)
      await goodbye
      await Promise.all([trials.close(from + RESULTS_END_MS), delivery.close(from + RESULTS_END_MS)])
      await captures.close(from + RESULTS_END_MS)
      service.close()
      await Promise.all([helloLoop.ended, configLoop.ended])
      pool.close()
      loop.close()
    }
  }
}
