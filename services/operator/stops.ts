/**
 * What the commands about stopped partitions share: which stop is meant, who acts and why, and how
 * stops are shown.
 */
import { parseArgs } from 'node:util'
import { topicNames } from '../../schemas/topics.ts'
import { readOpenStops, type Skip, type Stop } from '../../streams/runtime/stops.ts'
import { processorNames } from '../../streams/topology.ts'
import type { Tx } from '../store/pool.ts'
import { UsageError } from './tool.ts'

export interface Accounted {
  /** The name of the operator who decides. */
  by: string
  why: string
}

export interface StopWords extends Accounted {
  processor: string
  topic: string
  partition: number
}

const MOST_WHY = 500
const MOST_BY = 100

/** Checks a name and a reason: each must be one line that is not empty. Throws UsageError. */
export function accountedOf(by: string | undefined, why: string | undefined): Accounted {
  const line = (option: string, text: string | undefined, most: number, what: string): string => {
    const found = text?.trim() ?? ''
    if (found === '' || found.length > most || /\p{Cc}/u.test(found))
      throw new UsageError(`${option}: expected ${what}, one line of at most ${most} characters`)
    return found
  }
  return { by: line('--by', by, MOST_BY, 'who decides this'), why: line('--why', why, MOST_WHY, 'the reason') }
}

const OPTIONS = { by: { type: 'string' }, why: { type: 'string' }, help: { type: 'boolean' } } as const

/**
 * Parses the arguments of a command about one stop: processor, topic, partition, then `further`
 * words. Null when only the list of stops is asked for. Throws UsageError.
 */
export function stopWordsOf(words: readonly string[], usage: string, further: number): { stop: StopWords; rest: string[] } | null {
  let parsed: ReturnType<typeof parseArgs<{ options: typeof OPTIONS; allowPositionals: true }>>
  try {
    parsed = parseArgs({ args: [...words], options: OPTIONS, allowPositionals: true })
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\n${usage}`)
  }
  if (parsed.values.help) throw new UsageError(usage)
  if (words.length === 0) return null
  const [processor = '', topic = '', partition = '', ...rest] = parsed.positionals
  if (parsed.positionals.length !== 3 + further) throw new UsageError(usage)
  if (!processorNames.some((name) => name === processor))
    throw new UsageError(`expected a processor (${processorNames.join(', ')}), got "${processor}"`)
  if (!topicNames.some((name) => name === topic)) throw new UsageError(`expected a topic such as alerts.inbound.v1, got "${topic}"`)
  if (!/^\d{1,4}$/.test(partition)) throw new UsageError(`expected the number of a partition, got "${partition}"`)
  return { stop: { processor, topic, partition: Number(partition), ...accountedOf(parsed.values.by, parsed.values.why) }, rest }
}

/** Returns the open stop that is meant. Otherwise throws UsageError, which lists the open stops. */
export async function findStop(tx: Tx, { processor, topic, partition }: Omit<StopWords, 'by' | 'why'>): Promise<Stop> {
  const open = await readOpenStops(tx)
  const found = open.find((stop) => stop.processor === processor && stop.topic === topic && stop.partition === partition)
  if (!found) throw new UsageError(`${processor} is not stopped on ${topic} partition ${partition}\n${listOf(open).join('\n')}`)
  return found
}

/** Writes offsets as ranges, for example `12-15,20`. */
export function rangesText(offsets: readonly bigint[]): string {
  const ranges: Skip[] = []
  for (const offset of [...offsets].sort((a, b) => (a < b ? -1 : 1))) {
    const last = ranges.at(-1)
    if (last && offset <= last.last + 1n) last.last = offset
    else ranges.push({ first: offset, last: offset })
  }
  return ranges.map(({ first, last }) => (first === last ? `${first}` : `${first}-${last}`)).join(',')
}

/** Returns a line for each open stop, with its offsets. */
export function listOf(stops: readonly Stop[]): string[] {
  if (stops.length === 0) return ['no partition is stopped']
  return stops.map(
    ({ processor, topic, partition, next, detail, offsets, stopped_at }) =>
      `${processor} ${topic} ${partition}: at offset ${next} since ${new Date(stopped_at).toISOString()}: ${detail}; offsets ${rangesText(offsets)}`
  )
}
