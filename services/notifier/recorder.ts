/**
 * Writes outcomes into the ledger. Outcomes that come in during one transaction, and shortly after
 * it, are written by the next one, which also claims the next deliveries at the same targets.
 *
 * - Nothing is dropped while Postgres is away: a batch is tried until it is written. Only a process
 *   that ends gives up, after some seconds.
 * - When Postgres refuses a batch, its outcomes are tried one by one. One that it still refuses is
 *   tried without the texts of the other side, so that nothing is sent again because of its words.
 *   If it refuses that as well, the outcome is left until its lease runs out.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Codec } from '../../schemas/codec.ts'
import { crashPoint } from '../../streams/runtime/crash-point.ts'
import { isRetryable } from '../../streams/runtime/failures.ts'
import { createRest } from '../../streams/runtime/rest.ts'
import type { Log } from '../process/log.ts'
import type { DeliveryRow } from '../store/deliveries.ts'
import { type Step, saveSteps } from '../store/delivery-outcomes.ts'
import { type Pool, type Tx, transaction } from '../store/pool.ts'

const MAX_BATCH = 200
const AGAIN_MS = 500
/** After so many refusals of a batch, its steps are written one by one to find the faulty one. */
const TRIES = 3
/** How often a process that ends tries a batch while Postgres is away: for some ten seconds. */
const LAST_TRIES = 20
/** A batch that is older than this waits for Postgres. Every lease lasts far longer. */
const BEHIND_MS = 5000

/**
 * Least time between the starts of two transactions, unless many outcomes wait. A transaction costs
 * nearly the same for one outcome as for ten.
 */
const APART_MS = 25
const MANY = 32

export interface Recorder {
  add(step: Step): void
  /**
   * True while outcomes have waited for Postgres for several seconds. Their leases may have run
   * out, so a claim could take their deliveries once more.
   */
  isBehind(): boolean
  /** Resolves when every added outcome is written, or left to its lease. */
  drained(): Promise<void>
}

export interface RecorderOptions {
  pool: Pool
  codec: Codec
  log: Pick<Log, 'warn' | 'error'>
  worker: string
  /** Claims the next deliveries at the targets of `steps`, in the same transaction. */
  follow(tx: Tx, steps: readonly Step[]): Promise<readonly DeliveryRow[]>
  /**
   * Called with the steps that are written or given up, and the deliveries that were claimed with
   * them.
   */
  onDone(steps: readonly Step[], claimed: readonly DeliveryRow[]): void
  /** Called when a batch could not be written. `since`: of performance.now(), when that began. */
  onFailure?(error: unknown, since: number): void
}

/**
 * SQLSTATE of a row that is there already. Nobody else writes these rows, so it is the fault of a
 * step.
 */
const UNIQUE = '23505'
/** These errors end the session, and say nothing about the statement. */
const SESSION_ENDS = ['FATAL', 'PANIC']

/** Whether the same batch may be written later, because Postgres or the registry is away. */
function isAway(error: unknown): boolean {
  if (error instanceof Error && 'severity' in error && SESSION_ENDS.includes(String(error.severity))) return true
  return isRetryable(error) && !(error instanceof Error && 'code' in error && error.code === UNIQUE)
}

const UNSTORABLE = 'The words of the other side could not be stored'

/** Returns the step without the texts that came from the other side, or were sent to it. */
function withoutTexts(step: Step): Step {
  const { attempt, health } = step
  const error = attempt?.error == null ? null : UNSTORABLE
  return {
    ...step,
    attempt: attempt && { ...attempt, error, provider_message_id: null, reply: null },
    health: health && { ...health, error: health.error === null ? null : UNSTORABLE },
    request: null,
    remote_ref: null
  }
}

export function createRecorder({ pool, codec, log, worker, follow, onDone, onFailure }: RecorderOptions): Recorder {
  const waiting: Step[] = []
  const { rest, end } = createRest()
  let running: Promise<void> | null = null
  let begun = Number.NEGATIVE_INFINITY
  let closing = false

  const save = (steps: readonly Step[]): Promise<readonly DeliveryRow[]> =>
    transaction(pool, async (tx) => {
      await saveSteps(tx, codec, worker, steps)
      return follow(tx, steps)
    })

  /** Returns why Postgres refuses the step; null when it is written. Rejects while it is away. */
  const refusalOf = (step: Step): Promise<unknown> =>
    transaction(pool, (tx) => saveSteps(tx, codec, worker, [step])).then(
      () => null,
      (error: unknown) => {
        if (isAway(error)) throw error
        return error
      }
    )

  /** Rejects while Postgres is away. A step that was written already changes nothing. */
  async function singly(steps: readonly Step[]): Promise<readonly DeliveryRow[]> {
    for (const step of steps) {
      const err = await refusalOf(step)
      if (err === null) continue
      const isKept = (await refusalOf(withoutTexts(step))) === null
      const said = isKept ? 'an outcome is recorded without its texts' : 'an outcome could not be recorded; its lease runs out'
      log.error({ err, delivery_id: step.row.delivery_id, tenant_id: step.row.tenant_id }, said)
    }
    return []
  }

  /** Writes a batch. Resolves to the deliveries that were claimed with it. */
  async function write(batch: readonly Step[]): Promise<readonly DeliveryRow[]> {
    let refusals = 0
    let lastTries = 0
    for (;;) {
      try {
        return await (refusals < TRIES ? save(batch) : singly(batch))
      } catch (error) {
        onFailure?.(error, begun)
        if (!isAway(error)) refusals += 1
        else if (closing) lastTries += 1
        if (lastTries > LAST_TRIES) {
          log.error({ err: error, steps: batch.length }, 'outcomes could not be recorded before the end; their leases run out')
          return []
        }
        log.warn({ err: error, steps: batch.length }, 'outcomes cannot be recorded; trying again')
        await sleep(AGAIN_MS)
      }
    }
  }

  async function run(): Promise<void> {
    while (waiting.length > 0) {
      const early = begun + APART_MS - performance.now()
      if (early > 0 && waiting.length < MANY) await rest(early)
      begun = performance.now()
      const batch = waiting.splice(0, MAX_BATCH)
      const claimed = await write(batch)
      crashPoint('deliver.after-record')
      onDone(batch, claimed)
    }
  }

  return {
    add(step) {
      waiting.push(step)
      running ??= run().finally(() => {
        running = null
      })
    },
    isBehind: () => running !== null && performance.now() - begun > BEHIND_MS,
    async drained() {
      closing = true
      end()
      while (running) await running
    }
  }
}
