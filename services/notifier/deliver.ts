/**
 * Sends deliveries. It claims those that are due, launches an attempt at each that must still be
 * sent (launch.ts), and hands the outcome to the recorder.
 *
 * - A delivery that a job decides is claimed in the job's own transaction when there is room
 *   (`desk`). So three commits lead from an alert to the request: the fold, the job, the outcome.
 * - The next delivery at a target is claimed together with the outcome of the one before it.
 * - Attempts are limited per process, per workspace and per target. A target that does not answer
 *   is rested (breaker.ts). Mails get a share of these places (mail-places.ts).
 * - A lease lasts longer than any attempt. When a worker dies, its lease runs out, and the next
 *   attempt uses the same key.
 * Source: docs/design/architecture.md#s13-delivery, docs/design/api/notifications.md#s8-5.
 */
import type { Codec } from '../../schemas/codec.ts'
import { crashPoint } from '../../streams/runtime/crash-point.ts'
import type { Channel, Deployment } from '../channels/channel.ts'
import type { HttpLimits } from '../delivery/http.ts'
import type { Senders } from '../delivery/perform.ts'
import type { Log } from '../process/log.ts'
import type { Metrics } from '../process/metrics.ts'
import { claimNext, type DeliveryRow, LANES, type MadeDelivery } from '../store/deliveries.ts'
import type { Step } from '../store/delivery-outcomes.ts'
import { freePages } from '../store/delivery-pages.ts'
import { type Pool, type Tx, transaction } from '../store/pool.ts'
import type { Attempted } from './attempt.ts'
import { Breaker } from './breaker.ts'
import { type CatchUp, neverHolds } from './catch-up.ts'
import { deliveryMetrics } from './deliver-metrics.ts'
import { InFlight } from './in-flight.ts'
import { createLaunches } from './launch.ts'
import { isMail, MailPlaces } from './mail-places.ts'
import { shareOfWorkspace, startQueue } from './queue.ts'
import { createRecorder } from './recorder.ts'

export interface DelivererOptions {
  /** As service_system. */
  pool: Pool
  codec: Codec
  log: Log
  metrics: Metrics
  channels: Readonly<Partial<Record<string, Channel>>>
  senders: Senders
  deployment: Deployment
  secretsKey: string
  publicUrl: string
  /** Name of this process on the log. */
  worker: string
  pollMs?: number
  leaseMs?: number
  maxInFlight?: number
  random?: () => number
  /** Holds the deliveries after an outage. Without it, nothing holds them. */
  catchUp?: CatchUp
  /** Limits of one request; for tests. */
  limits?: HttpLimits
}

/** A delivery that a job has made, and that may be claimed in the job's transaction. */
export type Place = Omit<MadeDelivery, 'target_id'> & { target_id: string }

/** Where jobs hand in the deliveries that they have claimed. */
export interface Desk {
  readonly leaseMs: number
  /** Maximum number of concurrent attempts of one workspace. */
  readonly roomOfWorkspace: number
  /**
   * Takes places for those of the deliveries for which this process has room: in total, of their
   * workspace and at their target. Takes none after an outage. Give them back when the transaction
   * is over.
   */
  reserve(made: readonly MadeDelivery[]): readonly Place[]
  giveBack(places: readonly Place[]): void
  take(rows: readonly DeliveryRow[]): void
  /** Tells that deliveries are in the queue; `left` names them where they are known. */
  wake(left?: readonly MadeDelivery[]): void
}

export interface Deliverer extends Desk {
  /** True when the last look at the queue succeeded. */
  ready(): boolean
  /** Claims nothing more, then finishes and records the attempts in flight. */
  close(): Promise<void>
}

const MAX_IN_FLIGHT = 256

/** Tells the breakers who answered, and who did not. */
function noteAttempt(breaker: Breaker, mail: MailPlaces, row: DeliveryRow, { step, answered, operator }: Attempted): void {
  if (isMail(row) && step.attempt?.http_status != null) mail.answered()
  if (answered) breaker.answered(row.target_id)
  // The server failed and not the address, so the address does not rest.
  else if (isMail(row) && operator) mail.failed(performance.now())
  else breaker.failed(row.target_id, performance.now())
}

interface Room {
  inFlight: InFlight
  mail: MailPlaces
  room(): number
  roomOfWorkspace: number
}

/** Takes places for those of the deliveries for which there is room. */
function takePlaces(made: readonly MadeDelivery[], { inFlight, mail, room, roomOfWorkspace }: Room): readonly Place[] {
  const places: Place[] = []
  for (const { target_id, ...one } of made) {
    if (room() < 1) break
    if (target_id === null || inFlight.isFull(target_id) || inFlight.of(one.tenant_id) >= roomOfWorkspace) continue
    if (isMail(one) && !mail.isRoomFor(one.tenant_id, performance.now())) continue
    const place = { ...one, target_id }
    inFlight.add([place])
    places.push(place)
  }
  return places
}

export function startDeliverer(options: DelivererOptions): Deliverer {
  const { pool, codec, log, metrics, worker, pollMs = 1000, leaseMs = 60_000, maxInFlight = MAX_IN_FLIGHT } = options
  const { catchUp = neverHolds } = options
  const breaker = new Breaker()
  const resting = (): string[] => breaker.resting(performance.now())
  const inFlight = new InFlight()
  const roomOfWorkspace = shareOfWorkspace(maxInFlight)
  const mail = new MailPlaces(inFlight, maxInFlight, roomOfWorkspace)
  const counted = deliveryMetrics(metrics, pool, log, { targets: resting, mail: () => mail.rests(performance.now()) })
  let closing = false

  const room = (): number => (closing || recorder.isBehind() ? 0 : maxInFlight - inFlight.total)

  // After an outage, what a job has decided waits for the folds, too.
  const reserve = (made: readonly MadeDelivery[]): readonly Place[] =>
    made.length === 0 || !catchUp.answered() ? [] : takePlaces(made, { inFlight, mail, room, roomOfWorkspace })

  const recorder = createRecorder({
    pool,
    codec,
    log,
    worker,
    // After an outage, outcomes are written at once, but what follows waits for the folds.
    follow: (tx, steps) => (closing || !catchUp.answered() ? Promise.resolve([]) : next(tx, steps)),
    onDone(steps, claimed) {
      for (const step of steps) counted.done(step)
      // Add before removing: a target that still has attempts in flight stays followed.
      take(claimed)
      inFlight.remove(steps.map(({ row }) => row))
      // There is room, and these targets have nothing more to claim.
      if (claimed.length < steps.length) queue.wake()
    },
    onFailure: catchUp.failed
  })

  /**
   * Claims the next deliveries at the targets of `steps`: at most half of the places and half of a
   * workspace's share. The rest is left for all other targets.
   */
  async function next(tx: Tx, steps: readonly Step[]): Promise<DeliveryRow[]> {
    const rows = steps.map(({ row }) => row).filter(({ lane, target_id }) => lane === LANES.incident && inFlight.isFollowed(target_id))
    const targets = [...new Map(rows.map(({ tenant_id, target_id }) => [`${tenant_id} ${target_id}`, { tenant_id, target_id }])).values()]
    const claimed = await claimNext(tx, targets, {
      leaseMs,
      room: Math.floor(maxInFlight / 2) - (inFlight.total - steps.length),
      roomOfWorkspace: Math.ceil(roomOfWorkspace / 2),
      resting: resting(),
      mail: mail.roomAfter(steps, performance.now())
    })
    const found = new Set(claimed.map(({ target_id }) => target_id))
    for (const { target_id } of targets) if (!found.has(target_id)) inFlight.unfollow(target_id)
    return claimed
  }

  const launches = createLaunches(options, {
    leaseMs,
    attempted(row, attempted) {
      noteAttempt(breaker, mail, row, attempted)
      counted.attempted(row.kind, attempted)
      recorder.add(attempted.step)
    },
    settled: recorder.add
  })

  function take(rows: readonly DeliveryRow[], claimedAt = performance.now()): void {
    if (rows.length === 0) return
    crashPoint('deliver.after-claim')
    inFlight.add(rows)
    launches.launch(rows, claimedAt)
  }

  const queue = startQueue({
    pool,
    log,
    pollMs,
    leaseMs,
    maxInFlight,
    room,
    mailRoom: () => mail.room(performance.now()),
    resting,
    take,
    catchUp,
    free: async () => {
      // A page that this process sent looks lost until its outcome is written.
      if (!recorder.isBehind()) await transaction(pool, (tx) => freePages(tx, `notifier:${worker}`, codec))
    }
  })
  return {
    leaseMs,
    roomOfWorkspace,
    reserve,
    giveBack: (places) => inFlight.remove(places),
    take,
    wake(left = []) {
      for (const { target_id } of left) if (target_id !== null) inFlight.follow(target_id)
      queue.wake()
    },
    ready: queue.ready,
    async close() {
      closing = true
      await queue.close()
      // Deliveries that were claimed with the last outcomes are sent, too.
      do {
        await launches.ended()
        await recorder.drained()
      } while (!launches.isIdle())
      counted.close()
    }
  }
}
