/**
 * The operator's command that puts dead letters back onto their topic, after the cause of their
 * failure was fixed: `npm run redrive -- --processor <name> [--topic …] [--workspace …] [--reason
 * …] [--since …] [--until …] [--limit …] [--dry-run] --by <name> --why <reason>`.
 *
 * A letter goes to the end of its original partition, for its processor only; the fold sees it with
 * its original position (streams/runtime/redriven.ts). A letter whose record was cut is listed and
 * not sent. Letters that were put back before are skipped, and one that is on the log twice is
 * folded once, so the command may be run again whatever happened to the last run. It needs Postgres
 * (SERVICE_POSTGRES_SYSTEM_URL), the schema registry and Kafka.
 * Source: docs/design/architecture.md#s5-failures.
 */
import { parseArgs } from 'node:util'
import { type Codec, PoisonRecord } from '../../schemas/codec.ts'
import { topicNames } from '../../schemas/topics.ts'
import { connectStream, readLogState } from '../../streams/runtime/connect.ts'
import type { Range } from '../../streams/runtime/intents.ts'
import { readRanges } from '../../streams/runtime/read-range.ts'
import { markSent, readRedrivenIds } from '../../streams/runtime/redriven.ts'
import { connectCodec } from '../../streams/runtime/registry-codec.ts'
import type { Append, InRecord } from '../../streams/runtime/stream.ts'
import { processorNames } from '../../streams/topology.ts'
import { localEnvironment, readConfig } from '../process/config.ts'
import { createLog } from '../process/log.ts'
import { createMetrics } from '../process/metrics.ts'
import { stopLeading, tryLead } from '../store/leader.ts'
import { createPool, type Pool } from '../store/pool.ts'
import { findWorkspace } from '../store/tenants.ts'
import { type Back, backOf, isMeant, type LetterFilter } from './letters.ts'
import { type Accounted, accountedOf } from './stops.ts'
import { runTool, UsageError } from './tool.ts'

const USAGE = `usage: npm run redrive -- --processor <name> --by <name> --why <reason>
  --topic <topic>            letters of this topic only
  --workspace <slug or id>   letters that name this workspace only
  --reason <reason>          decode, refused, unfit, redrive or skipped only
  --since <time>             records from this time on, such as 2026-11-23T10:00:00Z
  --until <time>             records before this time
  --limit <number>           at most so many, 1,000 by default
  --dry-run                  lists them and sends nothing; --by and --why may be missing`

const REASONS = ['decode', 'refused', 'unfit', 'redrive', 'skipped']
const LIMIT = 1000
const MOST = 10_000
/** The limit of letters held in memory at once. */
const MAX_BYTES = 64 * 1024 * 1024
/** How much is sent, and recorded as sent, at once. */
const SLICE_RECORDS = 100
const SLICE_BYTES = 4 * 1024 * 1024
const MAX_LISTED = 100

export interface RedriveWords extends Omit<LetterFilter, 'tenant_id'> {
  workspace: string | null
  limit: number
  /** Null: nothing is sent. */
  accounted: Accounted | null
}

function instantOf(option: string, text: string | undefined): number | null {
  if (text === undefined) return null
  const at = /^\d{4}-\d\d-\d\dT/.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(at)) throw new UsageError(`${option}: expected a time such as 2026-11-23T10:00:00Z, got "${text.slice(0, 100)}"`)
  return at
}

function oneOf(option: string, text: string | undefined, names: readonly string[]): string | null {
  if (text === undefined) return null
  if (!names.includes(text)) throw new UsageError(`${option}: expected one of ${names.join(', ')}; got "${text.slice(0, 100)}"`)
  return text
}

/** Parses the arguments. Throws UsageError. */
export function wantedOf(words: readonly string[]): RedriveWords {
  const text = { type: 'string' } as const
  const flag = { type: 'boolean' } as const
  const options = {
    processor: text,
    topic: text,
    workspace: text,
    reason: text,
    since: text,
    until: text,
    limit: text,
    by: text,
    why: text,
    'dry-run': flag,
    help: flag
  } as const
  let values: ReturnType<typeof parseArgs<{ options: typeof options }>>['values']
  try {
    values = parseArgs({ args: [...words], options }).values
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\n${USAGE}`)
  }
  if (values.help || words.length === 0) throw new UsageError(USAGE)
  const processor = oneOf('--processor', values.processor, processorNames)
  if (processor === null) throw new UsageError(`--processor: expected one of ${processorNames.join(', ')}\n${USAGE}`)
  const limit = /^\d{1,6}$/.test(values.limit ?? String(LIMIT)) ? Number(values.limit ?? LIMIT) : Number.NaN
  if (!(limit >= 1 && limit <= MOST)) throw new UsageError(`--limit: expected a whole number from 1 to ${MOST}, got "${values.limit}"`)
  return {
    processor,
    topic: oneOf('--topic', values.topic, topicNames),
    workspace: values.workspace ?? null,
    reason: oneOf('--reason', values.reason, REASONS),
    since: instantOf('--since', values.since),
    until: instantOf('--until', values.until),
    limit,
    accounted: values['dry-run'] ? null : accountedOf(values.by, values.why)
  }
}

export interface RedriveDeps {
  pool: Pool
  codec: Codec
  brokers: string[]
  topicPrefix: string
  log: Append
  tell(line: string): void
}

interface Found {
  backs: Back[]
  /** The letters that are not sent, with the reason: the first of them, and how many there are. */
  left: { place: string; not: string }[]
  leftOut: number
  /** There are more letters than the limit allows. */
  isMore: boolean
}

/** Ends the search when enough letters were found. */
class Enough extends Error {}

async function find({ pool, codec, brokers, topicPrefix }: RedriveDeps, filter: LetterFilter, limit: number): Promise<Found> {
  const quiet = createLog('redrive', 'silent')
  const kafka = { brokers, clientId: 'redrive', topicPrefix, log: quiet }
  const { clusterId, ends } = await readLogState(kafka, ['dlq.v1'])
  const before = await readRedrivenIds(pool, filter.processor)
  const places = new Set<string>()
  const found: Found = { backs: [], left: [], leftOut: 0, isMore: false }
  let bytes = 0
  const leave = (place: string, not: string): void => {
    found.leftOut += 1
    if (found.left.length < MAX_LISTED) found.left.push({ place, not })
  }
  async function take(record: InRecord): Promise<void> {
    if (record.value === null) return
    if (!codec.knows(record.value)) await codec.learn(record.value)
    const letter = codec.decode('DeadLetter', record.value)
    if (!isMeant(letter, filter)) return
    // A letter can be on the log twice: the relay may send it twice. One that was made by an older
    // version, and again after a restore, has another id for the same place.
    const place = `${letter.log} ${letter.topic} ${letter.partition} ${letter.offset}`
    const isKnown = before.has(letter.event_id) || places.has(place)
    before.add(letter.event_id)
    places.add(place)
    if (isKnown) return
    const back = backOf(letter, clusterId)
    if ('not' in back) {
      leave(`${letter.topic} ${letter.partition} ${letter.offset}`, back.not)
      return
    }
    if (found.backs.length >= limit || bytes >= MAX_BYTES) throw new Enough()
    bytes += letter.value?.length ?? 0
    found.backs.push(back)
  }
  const ranges = new Map<number, Range>()
  for (const [place, end] of ends) if (end > 0n) ranges.set(Number(place.split(':')[1]), { first: 0n, last: end - 1n })
  try {
    await readRanges(kafka, 'dlq.v1', ranges, async (records) => {
      for (const record of records)
        await take(record).catch((error: unknown) => {
          if (!(error instanceof PoisonRecord)) throw error
          leave(`dlq.v1 ${record.partition} ${record.offset}`, error.message)
        })
    })
  } catch (error) {
    if (!(error instanceof Enough)) throw error
    found.isMore = true
  }
  // In their original order, so that records with one key stay in order.
  found.backs.sort(({ letter: a }, { letter: b }) => a.partition - b.partition || Number(a.offset - b.offset))
  return found
}

/** Appends the letters in order, and records each slice as sent after it was acknowledged. */
async function send({ pool, log }: RedriveDeps, backs: readonly Back[], { by, why }: Accounted): Promise<void> {
  for (let from = 0; from < backs.length; ) {
    let to = from
    for (let bytes = 0; to < backs.length && to - from < SLICE_RECORDS && bytes < SLICE_BYTES; to++)
      bytes += backs[to]?.record.value?.length ?? 0
    const slice = backs.slice(from, to)
    await log.append(slice.map(({ record }) => record)).catch((error: unknown) => {
      throw new Error(`${from} letters are on their topics again; whether the next ${slice.length} are is not known: run it again`, {
        cause: error
      })
    })
    await markSent(
      pool,
      slice.map(({ letter }) => letter),
      by,
      why
    )
    from = to
  }
}

/** Throws UsageError when there is no such workspace, or another redrive is running. */
export async function redrive(deps: RedriveDeps, { workspace, limit, accounted, ...filter }: RedriveWords): Promise<void> {
  const { pool, tell } = deps
  const found = workspace === null ? null : await findWorkspace(pool, workspace)
  if (workspace !== null && !found) throw new UsageError(`there is no workspace ${workspace}`)
  const session = await pool.connect()
  let isOver = false
  try {
    if (!(await tryLead(session, 'redrive'))) throw new UsageError('another redrive is running: wait for its end')
    const { backs, left, leftOut, isMore } = await find(deps, { ...filter, tenant_id: found?.tenant_id ?? null }, limit)
    const lines = [
      ...left.map(({ place, not }) => `${place}: not sent: ${not}`),
      ...backs.map(({ letter: { topic, partition, offset, letter_id } }) => `${topic} ${partition} ${offset}: letter ${letter_id}`)
    ].slice(0, MAX_LISTED)
    for (const line of lines) tell(line)
    if (backs.length + leftOut > lines.length) tell(`… and ${backs.length + leftOut - lines.length} more`)
    if (accounted) await send(deps, backs, accounted)
    tell(`${backs.length} letter(s) ${accounted ? 'put back' : 'would be put back'}, ${leftOut} not`)
    if (isMore) tell('there are more: run it again for the next')
    await stopLeading(session, 'redrive')
    isOver = true
  } finally {
    session.release(!isOver) // The lock ends with its session at the latest.
  }
}

async function main(): Promise<void> {
  const wanted = wantedOf(process.argv.slice(2))
  const config = readConfig(localEnvironment(), ['kafka', 'registry', 'system'])
  const { kafkaBrokers: brokers, topicPrefix } = config
  const codec = await connectCodec(config.registryUrl)
  const pool = createPool(config.postgresSystemUrl, { application_name: 'redrive', max: 2 })
  const log = createLog('redrive', 'silent')
  const stream = await connectStream({ brokers, clientId: 'redrive', topicPrefix, log, metrics: createMetrics() })
  const tell = (line: string): void => void process.stdout.write(`${line}\n`)
  try {
    await redrive({ pool, codec, brokers, topicPrefix, log: stream.log, tell }, wanted)
  } finally {
    await stream.close()
    await pool.end()
  }
}

runTool(import.meta.url, main)
