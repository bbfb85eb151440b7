/**
 * Writes outcomes into the ledger. Outcomes that come in during one transaction, and shortly after
 * it, are written by the next one, which also claims the next deliveries at the same targets.
 * Nothing is dropped while Postgres is down. When Postgres refuses a batch, its outcomes are tried
 * one by one, and those that it still refuses are left until their lease runs out.
 */
import type { Codec } from '../../schemas/codec.ts'
import { crashPoint } from '../../streams/runtime/crash-point.ts'
import { createRest } from '../../streams/runtime/rest.ts'
import type { Log } from '../process/log.ts'
import type { DeliveryRow } from '../store/deliveries.ts'
import { type Step, saveSteps } from '../store/delivery-outcomes.ts'
import { type Pool, type Tx, transaction } from '../store/pool.ts'

const MAX_BATCH = 200
const AGAIN_MS = 500
/** After this many tries of a batch, its steps are written one by one to find the faulty one. */
const TRIES = 3

/**
 * Least time between the starts of two transactions, unless many outcomes wait. A transaction costs
 * nearly the same for one outcome as for ten.
 */
const APART_MS = 25
const MANY = 32

export interface Recorder {
  add(step: Step): void
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
}

export function createRecorder({ pool, codec, log, worker, follow, onDone }: RecorderOptions): Recorder {
  const waiting: Step[] = []
  const { rest, end } = createRest()
  let running: Promise<void> | null = null
  let begun = Number.NEGATIVE_INFINITY

  const save = (steps: readonly Step[]): Promise<readonly DeliveryRow[]> =>
    transaction(pool, async (tx) => {
      await saveSteps(tx, codec, worker, steps)
      return follow(tx, steps)
    })

  async function singly(steps: readonly Step[]): Promise<readonly DeliveryRow[]> {
    for (const step of steps)
      await transaction(pool, (tx) => saveSteps(tx, codec, worker, [step])).catch((error: unknown) =>
        log.error(
          { err: error, delivery_id: step.row.delivery_id, tenant_id: step.row.tenant_id },
          'an outcome could not be recorded; its lease runs out'
        )
      )
    return []
  }

  async function run(): Promise<void> {
    while (waiting.length > 0) {
      const early = begun + APART_MS - performance.now()
      if (early > 0 && waiting.length < MANY) await rest(early)
      begun = performance.now()
      const batch = waiting.splice(0, MAX_BATCH)
      let claimed: readonly DeliveryRow[] = []
      for (let tries = 1; ; tries++) {
        try {
          claimed = await (tries <= TRIES ? save(batch) : singly(batch))
          break
        } catch (error) {
          log.warn({ err: error, steps: batch.length }, 'outcomes cannot be recorded; trying again')
          await rest(AGAIN_MS)
        }
      }
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
    async drained() {
      end()
      while (running) await running
    }
  }
}
