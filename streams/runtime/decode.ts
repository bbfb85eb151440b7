/**
 * Records of the log as inputs of a fold; those that nobody can read, or that the store does not
 * take, as poison.
 */
import { type Codec, PoisonRecord, type Within } from '../../schemas/codec.ts'
import type { RecordName, Records } from '../../schemas/generated/events.ts'
import type { TopicName } from '../../schemas/topics.ts'
import type { Input, Refusal } from '../define.ts'
import type { Poison } from './dead-letter.ts'
import { Away } from './failures.ts'
import type { FetchedRecord } from './fetched.ts'
import type { InRecord } from './stream.ts'

const tenantOf = ({ value }: Input): string | null => ('tenant_id' in value ? value.tenant_id : null)

/**
 * A record and what it says. Where it stands is asked of it: folds want that of one record in a
 * hundred.
 */
class Read<N extends RecordName> {
  readonly record: N
  readonly value: Records[N]
  readonly timestamp: number
  readonly #from: InRecord

  constructor({ record, value }: { record: N; value: Records[N] }, from: InRecord) {
    this.record = record
    this.value = value
    this.timestamp = from.timestamp
    this.#from = from
  }

  get topic(): TopicName {
    return this.#from.topic
  }

  get partition(): number {
    return this.#from.partition
  }

  get offset(): bigint {
    return this.#from.offset
  }

  get key(): string {
    return this.#from.key
  }
}

/**
 * `unfit`: offsets of records whose effects the store does not take, and why. Rejects with Away
 * when the registry cannot be asked for a schema.
 */
export async function decode(
  codec: Pick<Codec, 'learn'> & { reads: Within },
  records: readonly FetchedRecord[],
  unfit: ReadonlyMap<bigint, string>
): Promise<{ inputs: Input[]; poison: Poison[] }> {
  const inputs: Input[] = []
  const poison: Poison[] = []
  const { reads } = codec
  for (const record of records) {
    // A tombstone says that a key is gone; folds hear it from control records.
    if (record.length < 0) continue
    const { bytes, from } = record
    const to = from + record.length
    try {
      if (!reads.knows(bytes, from, to)) {
        await codec.learn(bytes.subarray(from, to)).catch((error: unknown) => {
          throw error instanceof PoisonRecord ? error : new Away('the registry cannot be asked for a schema', { cause: error })
        })
      }
      const input = new Read(reads.decode(bytes, from, to), record) as Input
      const error = unfit.size > 0 ? unfit.get(record.offset) : undefined
      if (error === undefined) inputs.push(input)
      else poison.push({ record, reason: 'unfit', error, tenant_id: tenantOf(input) })
    } catch (error) {
      if (!(error instanceof PoisonRecord)) throw error
      poison.push({ record, reason: 'decode', error: `${error.name}: ${error.message}`, tenant_id: null })
    }
  }
  return { inputs, poison }
}

/** Refusals of a fold with the bytes they came as. */
export function refusalsToPoison(refused: readonly Refusal[], records: readonly InRecord[]): Poison[] {
  return refused.flatMap(({ input, reason }) => {
    const record = records.find((one) => one.offset === input.offset && one.partition === input.partition && one.topic === input.topic)
    return record ? [{ record, reason: 'refused', error: reason, tenant_id: tenantOf(input) }] : []
  })
}
