/**
 * Reads whole topics of the log back from their beginning, decoded, for the checks of a fault run.
 */
import type { Codec } from '../../schemas/codec.ts'
import { createCodec } from '../../schemas/codec.ts'
import type { TopicName } from '../../schemas/topics.ts'
import { registryUrl } from '../../services/local/registry.ts'
import { createMetrics } from '../../services/process/metrics.ts'
import { connectStream } from '../../streams/runtime/connect.ts'
import { connectRegistry } from '../../streams/runtime/registry.ts'
import type { InRecord } from '../../streams/runtime/stream.ts'
import type { Product } from '../harness/product.ts'

export interface ReadBack {
  codec: Codec
  /** Everything that is on the topic, in order per partition. */
  read(topic: TopicName): Promise<InRecord[]>
  close(): Promise<void>
}

const ATTEMPTS = 10

const quiet = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined }

export async function readBack(product: Product): Promise<ReadBack> {
  const registry = await connectRegistry(registryUrl(product.port('registry')))
  const codec = createCodec({ ids: await registry.idsOfAll(), schemaById: registry.schemaById })
  const brokers = [`127.0.0.1:${product.port('kafka')}`]
  const stream = await connectStream({ brokers, clientId: 'test-read-back', topicPrefix: '', log: quiet, metrics: createMetrics() })
  return {
    codec,
    async read(topic) {
      for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
        const records: InRecord[] = []
        const follower = await stream.follow({ topics: [topic], from: 'beginning', onRecords: (some) => void records.push(...some) })
        const whole = await follower.caughtUp
        await follower.close()
        if (!whole) continue
        // An older version wrote with schemas that are not the newest.
        for (const { value } of records) if (value && !codec.knows(value)) await codec.learn(value)
        return records
      }
      throw new Error(`${topic} could not be read to its end`)
    },
    close: () => stream.close()
  }
}
