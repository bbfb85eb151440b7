/**
 * The operator's command that makes a stopped partition skip some records and continue: `npm run
 * skip -- <processor> <topic> <partition> <offsets> --by <name> --why <reason>`, with offsets as
 * `120` or `120-139,150`. The records become dead letters (reason `skipped`), so that they can be
 * put back later. Without arguments it lists the stopped partitions. It needs Postgres
 * (SERVICE_POSTGRES_SYSTEM_URL), and Kafka for the end of the log.
 * Source: docs/design/architecture.md#s5-failures.
 */
import type { TopicName } from '../../schemas/topics.ts'
import { readLogState } from '../../streams/runtime/connect.ts'
import { endStop, readOpenStops, type Skip } from '../../streams/runtime/stops.ts'
import { localEnvironment, readConfig } from '../process/config.ts'
import { createLog } from '../process/log.ts'
import { createPool, type Pool, transaction } from '../store/pool.ts'
import { findStop, listOf, rangesText, type StopWords, stopWordsOf } from './stops.ts'
import { runTool, UsageError } from './tool.ts'

const USAGE = `usage: npm run skip                                                                        lists what is stopped
       npm run skip -- <processor> <topic> <partition> <offsets> --by <name> --why <reason>   passes over the offsets, and goes on
offsets: 120 or 120-139,150`

const MAX_RANGES = 1000

export interface SkipWords extends StopWords {
  skips: Skip[]
}

function skipsOf(text: string): Skip[] {
  const ranges = text.split(',').map((range) => /^(\d{1,18})(?:-(\d{1,18}))?$/.exec(range))
  const skips = ranges.map((range) => ({ first: BigInt(range?.[1] ?? -1), last: BigInt(range?.[2] ?? range?.[1] ?? -2) }))
  if (skips.length > MAX_RANGES) throw new UsageError(`expected at most ${MAX_RANGES} ranges of offsets, got ${skips.length}`)
  if (skips.some(({ first, last }) => first < 0n || last < first))
    throw new UsageError(`expected offsets such as 120 or 120-139,150, got "${text.slice(0, 100)}"`)
  return skips
}

/** Parses the arguments. Null for the list. Throws UsageError. */
export function wantedOf(words: readonly string[]): SkipWords | null {
  const found = stopWordsOf(words, USAGE, 1)
  return found && { ...found.stop, skips: skipsOf(found.rest[0] ?? '') }
}

/**
 * `end`: the offset after the last record of the partition. Throws UsageError when the partition is
 * not stopped, or when the offsets are not among the records at which it stopped.
 */
export const skip = (pool: Pool, { by, why, skips, ...place }: SkipWords, end: bigint): Promise<string> =>
  transaction(pool, async (tx) => {
    const stop = await findStop(tx, place)
    const outside = skips.find(({ first, last }) => first < stop.next || last >= end)
    if (outside)
      throw new UsageError(
        `expected offsets from ${stop.next}, where it stands, to ${end - 1n}, the last on the log; got ${outside.first}-${outside.last}`
      )
    const isHit = stop.offsets.some((offset) => skips.some(({ first, last }) => first <= offset && offset <= last))
    if (!isHit) throw new UsageError(`expected some of the offsets that it is stopped for: ${rangesText(stop.offsets)}`)
    if (!(await endStop(tx, stop, { by, how: 'skip', why }, skips))) throw new UsageError('somebody else has ended the stop just now')
    const count = skips.reduce((sum, { first, last }) => sum + last - first + 1n, 0n)
    return `${stop.processor} goes on with ${stop.topic} partition ${stop.partition} at offset ${stop.next}; ${count} offset(s) become dead letters`
  })

async function main(): Promise<void> {
  const wanted = wantedOf(process.argv.slice(2))
  const config = readConfig(localEnvironment(), wanted ? ['kafka', 'system'] : ['system'])
  const pool = createPool(config.postgresSystemUrl, { application_name: 'skip', max: 1 })
  try {
    if (!wanted) {
      process.stdout.write(`${listOf(await readOpenStops(pool)).join('\n')}\n`)
      return
    }
    const log = createLog('skip', 'fatal')
    const topic = wanted.topic as TopicName
    const state = await readLogState({ brokers: config.kafkaBrokers, clientId: 'skip', topicPrefix: config.topicPrefix, log }, [topic])
    process.stdout.write(`${await skip(pool, wanted, state.ends.get(`${topic}:${wanted.partition}`) ?? 0n)}\n`)
  } finally {
    await pool.end()
  }
}

runTool(import.meta.url, main)
