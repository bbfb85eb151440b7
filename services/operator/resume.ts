/**
 * The operator's command that lets a stopped partition continue at its position, after the cause
 * was fixed: `npm run resume -- <processor> <topic> <partition> --by <name> --why <reason>`.
 * Without arguments it lists the stopped partitions. Running processors notice within seconds. If
 * the records are still poison, the partition stops again before any of them is committed. It needs
 * only Postgres (SERVICE_POSTGRES_SYSTEM_URL).
 * Source: docs/design/architecture.md#s5-failures.
 */
import { endStop, readOpenStops } from '../../streams/runtime/stops.ts'
import { localEnvironment, readConfig } from '../process/config.ts'
import { createPool, type Pool, transaction } from '../store/pool.ts'
import { findStop, listOf, type StopWords, stopWordsOf } from './stops.ts'
import { runTool, UsageError } from './tool.ts'

const USAGE = `usage: npm run resume                                                              lists what is stopped
       npm run resume -- <processor> <topic> <partition> --by <name> --why <reason>   ends the stop; it goes on where it stands`

/** Parses the arguments: the stop that they name, or null for the list. Throws UsageError. */
export const wantedOf = (words: readonly string[]): StopWords | null => stopWordsOf(words, USAGE, 0)?.stop ?? null

/** Throws UsageError when the partition is not stopped. */
export const resume = (pool: Pool, { by, why, ...place }: StopWords): Promise<string> =>
  transaction(pool, async (tx) => {
    const stop = await findStop(tx, place)
    if (!(await endStop(tx, stop, { by, how: 'resume', why }))) throw new UsageError('somebody else has ended the stop just now')
    return `${stop.processor} goes on with ${stop.topic} partition ${stop.partition} at offset ${stop.next}`
  })

async function main(): Promise<void> {
  const wanted = wantedOf(process.argv.slice(2))
  const config = readConfig(localEnvironment(), ['system'])
  const pool = createPool(config.postgresSystemUrl, { application_name: 'resume', max: 1 })
  try {
    const lines = wanted ? [await resume(pool, wanted)] : listOf(await readOpenStops(pool))
    process.stdout.write(`${lines.join('\n')}\n`)
  } finally {
    await pool.end()
  }
}

runTool(import.meta.url, main)
