/**
 * Hello: what this prober reports about itself, and what it takes from the answer: region,
 * siblings, clock, closed networks, batch sizes.
 */
import { type HelloAnswer, type HelloBody, MAX_BEHIND_MS } from '../../schemas/http/prober.ts'
import { createAddressGuard, type Resolve } from '../http/address-guard.ts'
import type { Log } from '../process/log.ts'
import type { Network } from './connection.ts'
import type { Delivery } from './delivery.ts'
import type { LoopDelay } from './loop-delay.ts'
import type { RegionAssignment } from './region-assignment.ts'
import type { Rounds } from './rounds.ts'
import type { Service } from './service.ts'
import type { ServiceClock } from './service-clock.ts'
import type { ProberSettings } from './settings.ts'

const GOODBYE_MS = 2000

/** Rounds and limits milliseconds as hello takes them. */
const whole = (ms: number): number => Math.min(MAX_BEHIND_MS, Math.max(0, Math.round(ms)))

export interface HelloOptions {
  service: Pick<Service, 'hello'>
  settings: Readonly<ProberSettings>
  version: string
  /** Check types that this prober can do. */
  kinds: readonly string[]
  /** Raw X25519 key. Secrets of assignments are sealed to it. */
  publicKey: Buffer
  wallClock: () => number
  resolve: Resolve
  delivery: Pick<Delivery, 'setLimits'>
  clock: Pick<ServiceClock, 'correct'>
  rounds: Pick<Rounds, 'running' | 'size' | 'oldestDueMs'>
  assignment: Pick<RegionAssignment, 'setLive' | 'version'>
  loop: LoopDelay
  /**
   * Called after each answered hello with the longest delay of the event loop since the hello
   * before, in ms.
   */
  onLoopDelay(ms: number): void
  /**
   * Called when the service has an older assignment than the one held: its store went back in time,
   * or it is another service.
   */
  onOlderAssignment(): void
  /** Called when an answer was applied. */
  onAnswer(): void
  /** After this is aborted, an answer changes nothing. */
  signal: AbortSignal
  log: Log
}

export class Hello {
  readonly #options: HelloOptions
  #region = ''
  #closed: readonly string[] = []
  #network: Network
  #answeredAt: number | null = null

  constructor(options: HelloOptions) {
    this.#options = options
    this.#network = networkOf(options.settings, options.resolve, [])
  }

  /** Empty until the first answer. */
  get region(): string {
    return this.#region
  }

  /** The network that checks may reach. */
  get network(): Network {
    return this.#network
  }

  /** When the last answer came, by performance.now(); null before the first. */
  get answeredAt(): number | null {
    return this.#answeredAt
  }

  /** Says hello and applies the answer. Rejects if the service did not answer with a body. */
  async say(): Promise<void> {
    const { service, loop, signal, onLoopDelay } = this.#options
    const from = performance.now()
    const said = this.#body(false)
    const { status, body } = await service.hello(said)
    onLoopDelay(said.event_loop_delay_ms ?? 0)
    if (body) loop.told()
    if (!body) throw new Error(`The service answers hello with the status ${status}`)
    if (!signal.aborted) this.#take(body, performance.now() - from)
  }

  /** Tells the service that this prober leaves. Never rejects. */
  async goodbye(): Promise<void> {
    const { service, log } = this.#options
    try {
      await service.hello(this.#body(true), GOODBYE_MS)
    } catch (error) {
      log.warn({ err: error }, 'the service was not told that this prober leaves')
    }
  }

  #body(leaving: boolean): HelloBody {
    const { settings, version, kinds, publicKey, wallClock, rounds, loop } = this.#options
    return {
      instance_id: settings.instance,
      version,
      kinds: [...kinds],
      public_key: publicKey.toString('base64'),
      capacity: { concurrent: settings.concurrency, per_second: settings.concurrency },
      clock_at: new Date(wallClock()).toISOString(),
      load: Math.min(1, rounds.running / settings.concurrency),
      oldest_due_ms: whole(rounds.oldestDueMs()),
      event_loop_delay_ms: whole(loop.longest()),
      leaving
    }
  }

  #take(answer: HelloAnswer, tookMs: number): void {
    const { delivery, clock, assignment, rounds, log, settings, resolve, onOlderAssignment, onAnswer } = this.#options
    this.#answeredAt = performance.now()
    const { region, config } = answer
    if (this.#region !== '' && this.#region !== region) log.warn({ from: this.#region, to: region }, 'the region of the token has changed')
    this.#region = region
    delivery.setLimits({ batch: config.result_batch, flushMs: config.result_flush_ms })
    // The way to the service makes this clock look late, so half of the round trip is added. The
    // estimate may be off by the other half, as when the service had to wait before it answered.
    clock.correct(answer.skew_ms + tookMs / 2, tookMs / 2)
    if (config.block_cidrs.join() !== this.#closed.join()) {
      this.#closed = config.block_cidrs
      this.#network = networkOf(settings, resolve, this.#closed)
    }
    const live = answer.drain ? [] : answer.live
    if (assignment.setLive(live)) {
      log.info({ region, live: live.map(({ instance_id }) => instance_id), own: rounds.size }, 'siblings changed')
    }
    if (assignment.version !== undefined && answer.assignment_version < assignment.version) onOlderAssignment()
    onAnswer()
  }
}

function networkOf(settings: Readonly<ProberSettings>, resolve: Resolve, closed: readonly string[]): Network {
  const { hostname, port, protocol } = new URL(settings.url)
  const ownApi = `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`
  return { guard: createAddressGuard({ open: settings.open, closed, own: [...settings.own, ownApi] }), resolve }
}
