/** Records of the log as inputs of a fold; those that nobody can read, or that the store does not take, as poison. */
import { type Codec, PoisonRecord } from '../../schemas/codec.ts'
import type { Input, Refusal } from '../define.ts'
import type { Poison } from './dead-letter.ts'
import { Away } from './failures.ts'
import type { InRecord } from './stream.ts'

const tenantOf = ({ value }: Input): string | null => ('tenant_id' in value ? value.tenant_id : null)

/** `unfit`: offsets of records whose effects the store does not take, and why. Rejects with Away when the registry cannot be asked for a schema. */
export async function decode(
  codec: Codec,
  records: readonly InRecord[],
  unfit: ReadonlyMap<bigint, string>
): Promise<{ inputs: Input[]; poison: Poison[] }> {
  const inputs: Input[] = []
  const poison: Poison[] = []
  for (const record of records) {
    const { topic, partition, offset, timestamp, key, value } = record
    if (value === null) continue // A tombstone says that a key is gone; folds hear it from control records.
    try {
      if (!codec.knows(value)) {
        await codec.learn(value).catch((error: unknown) => {
          throw error instanceof PoisonRecord ? error : new Away('the registry cannot be asked for a schema', { cause: error })
        })
      }
      const decoded = codec.decodeAny(value)
      // Field by field: a spread costs more than the decoding of a small record.
      const input = { record: decoded.record, value: decoded.value, topic, partition, offset, timestamp, key } as Input
      const error = unfit.get(offset)
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
