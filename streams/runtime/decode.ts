/**
 * Decodes records of the log into inputs of a fold. Records that cannot be read, or that the store
 * does not accept, become poison. A dead letter that was put back is decoded as the original
 * record, once, and only for the processor that it is meant for (redriven.ts).
 */
import { type Codec, PoisonRecord, UnknownSchema, type Within } from '../../schemas/codec.ts'
import type { RecordName, Records } from '../../schemas/generated/events.ts'
import type { TopicName } from '../../schemas/topics.ts'
import type { Input, Refusal } from '../define.ts'
import type { Poison } from './dead-letter.ts'
import { Away, SchemaMissing } from './failures.ts'
import type { FetchedRecord } from './fetched.ts'
import { type Returned, readRedriven } from './redriven.ts'
import type { Skip } from './stops.ts'
import type { InRecord } from './stream.ts'

const tenantOf = ({ value }: Input): string | null => ('tenant_id' in value ? value.tenant_id : null)

/**
 * A decoded record. Its place on the log is computed on request, because folds need it for one
 * record in a hundred. For a letter that was put back, the place and time are those where it first
 * stood.
 */
class Read<N extends RecordName> {
  readonly record: N
  readonly value: Records[N]
  readonly timestamp: number
  readonly #from: InRecord
  readonly #returned: Returned | null

  constructor({ record, value }: { record: N; value: Records[N] }, from: InRecord, returned: Returned | null) {
    this.record = record
    this.value = value
    this.timestamp = returned === null ? from.timestamp : returned.at
    this.#from = from
    this.#returned = returned
  }

  get topic(): TopicName {
    return this.#from.topic
  }

  get partition(): number {
    return this.#from.partition
  }

  /** Set when offset and time are those of the first place. */
  get redriven(): true | undefined {
    return this.#returned === null ? undefined : true
  }

  get offset(): bigint {
    return this.#returned === null ? this.#from.offset : this.#returned.offset
  }

  /** Where it was read. */
  get position(): bigint {
    return this.#from.offset
  }

  get key(): string {
    return this.#from.key
  }
}

export interface Reading {
  codec: Pick<Codec, 'learn'> & { reads: Within }
  /** The processor's name; `clusterId` is the cluster whose log it reads. */
  processor: string
  clusterId: string
  /** Whether a letter that was put back has already been folded. */
  isFolded(letter_id: string): Promise<boolean>
}

/** What is already known about some offsets before decoding. */
export interface Beforehand {
  /** Records whose effects the store does not accept, with the reason. */
  unfit: ReadonlyMap<bigint, string>
  /** Offsets that an operator has the processor pass over. */
  skips: readonly Skip[]
}

export interface Readings {
  inputs: Input[]
  poison: Poison[]
  /** Letters that were put back and are among the records. */
  returned: Returned[]
  /**
   * How many records were read. It is fewer than given when the schema of the next record is
   * missing.
   */
  count: number
}

const SKIPPED: Pick<Poison, 'reason' | 'error' | 'tenant_id'> = {
  reason: 'skipped',
  error: 'an operator had it passed over',
  tenant_id: null
}

/**
 * Returns the dead letter that a record says it is. Null when it is not for this processor or was
 * folded before. Throws PoisonRecord when the letter does not fit the log.
 */
async function returnedOf(record: FetchedRecord, seen: readonly Returned[], reading: Reading): Promise<Returned | null> {
  const { headers, topic, partition, offset: position } = record
  const letter = readRedriven(headers)
  if ('fault' in letter) throw new PoisonRecord(letter.fault)
  if (letter.processor !== reading.processor) return null
  if (letter.log !== reading.clusterId || letter.topic !== topic || letter.partition !== partition || letter.offset >= position)
    throw new PoisonRecord(`it says that it stood at ${letter.topic}:${letter.partition}:${letter.offset} of log ${letter.log}`)
  if (seen.some(({ letter_id }) => letter_id === letter.letter_id) || (await reading.isFolded(letter.letter_id))) return null
  return { ...letter, position }
}

/**
 * Decodes the records. Rejects with Away when the registry cannot be asked for a schema, and with
 * SchemaMissing when it does not know the schema of the first record.
 */
export async function decode(reading: Reading, records: readonly FetchedRecord[], { unfit, skips }: Beforehand): Promise<Readings> {
  const inputs: Input[] = []
  const poison: Poison[] = []
  const returned: Returned[] = []
  const { codec } = reading
  const { reads } = codec
  let count = 0
  for (const record of records) {
    count += 1
    // A tombstone says that a key is gone; folds learn that from control records.
    if (record.length < 0) continue
    if (skips.length > 0 && skips.some(({ first, last }) => first <= record.offset && record.offset <= last)) {
      poison.push({ record, ...SKIPPED })
      continue
    }
    const { bytes, from } = record
    const to = from + record.length
    let reason: Poison['reason'] = 'redrive'
    let letter: Returned | null = null
    try {
      if (record.isRedriven) {
        letter = await returnedOf(record, returned, reading)
        if (letter === null) continue
      }
      reason = 'decode'
      if (!reads.knows(bytes, from, to)) {
        await codec.learn(bytes.subarray(from, to), true).catch((error: unknown) => {
          throw error instanceof PoisonRecord ? error : new Away('the registry cannot be asked for a schema', { cause: error })
        })
      }
      const input = new Read(reads.decode(bytes, from, to), record, letter) as Input
      if (letter !== null) returned.push(letter)
      const error = unfit.size > 0 ? unfit.get(record.offset) : undefined
      if (error === undefined) inputs.push(input)
      else poison.push({ record, reason: 'unfit', error, tenant_id: tenantOf(input) })
    } catch (error) {
      if (!(error instanceof PoisonRecord)) throw error
      if (error instanceof UnknownSchema) {
        if (count === 1) throw new SchemaMissing(error.id, record.offset)
        return { inputs, poison, returned, count: count - 1 } // The next step starts with it.
      }
      if (letter !== null) returned.push(letter)
      poison.push({ record, reason, error: `${error.name}: ${error.message}`, tenant_id: null })
    }
  }
  return { inputs, poison, returned, count }
}

const positionOf = (input: Input): bigint => (input instanceof Read ? input.position : input.offset)

/** Returns the records that a fold refused as poison, with their original bytes. */
export function refusalsToPoison(refused: readonly Refusal[], records: readonly InRecord[]): Poison[] {
  return refused.flatMap(({ input, reason }) => {
    const offset = positionOf(input)
    const record = records.find((one) => one.offset === offset && one.partition === input.partition && one.topic === input.topic)
    return record ? [{ record, reason: 'refused', error: reason, tenant_id: tenantOf(input) }] : []
  })
}
