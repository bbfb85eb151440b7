/**
 * Outcomes on their way into the ledger: what comes in while one transaction runs is written by the
 * next. Nothing is dropped while Postgres is away; a batch that Postgres refuses is tried singly,
 * and what it refuses then is left to its lease.
 */
import type { Codec } from '../../schemas/codec.ts'
import { crashPoint } from '../../streams/runtime/crash-point.ts'
import { createRest } from '../../streams/runtime/rest.ts'
import type { Log } from '../process/log.ts'
import { type Step, saveSteps } from '../store/delivery-outcomes.ts'
import { type Pool, transaction } from '../store/pool.ts'

const MAX_BATCH = 200
const AGAIN_MS = 500
/** Then a fault is looked for in single steps. */
const TRIES = 3

export interface Recorder {
  add(step: Step): void
  /** Resolves when all that was added is written, or left to its lease. */
  drained(): Promise<void>
}

export interface RecorderOptions {
  pool: Pool
  codec: Codec
  log: Pick<Log, 'warn' | 'error'>
  worker: string
  /** Told of each step that is written, or given up. */
  onDone(step: Step): void
}

export function createRecorder({ pool, codec, log, worker, onDone }: RecorderOptions): Recorder {
  const waiting: Step[] = []
  const { rest, end } = createRest()
  let running: Promise<void> | null = null

  const save = (steps: readonly Step[]): Promise<Set<string>> => transaction(pool, (tx) => saveSteps(tx, codec, worker, steps))

  async function singly(steps: readonly Step[]): Promise<void> {
    for (const step of steps)
      await save([step]).catch((error: unknown) =>
        log.error(
          { err: error, delivery_id: step.row.delivery_id, tenant_id: step.row.tenant_id },
          'an outcome could not be recorded; its lease runs out'
        )
      )
  }

  async function run(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.splice(0, MAX_BATCH)
      for (let tries = 1; ; tries++) {
        try {
          if (tries <= TRIES) await save(batch)
          else await singly(batch)
          break
        } catch (error) {
          log.warn({ err: error, steps: batch.length }, 'outcomes cannot be recorded; trying again')
          await rest(AGAIN_MS)
        }
      }
      crashPoint('deliver.after-record')
      for (const step of batch) onDone(step)
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
