/**
 * Checks that the stored positions of a processor belong to the log that the broker has. The log
 * can be replaced only across a new connection or assignment. After each of these, `forget` makes
 * the next check ask the broker again.
 */
import type { Pool } from 'pg'
import type { TopicName } from '../../schemas/topics.ts'
import { type RuntimeLog, readLogState } from './connect.ts'
import { Away } from './failures.ts'
import { otherCluster, readPositions, verifyPositions } from './offsets.ts'

export interface LogIdentity {
  /**
   * Rejects with LogChanged when it is another log, with Away when the broker does not answer, and
   * with Postgres's error when Postgres is away.
   */
  verify(): Promise<void>
  /** Like `verify`, but asks again when `forget` was called in the meantime. */
  verifyLatest(): Promise<void>
  forget(): void
}

export interface LogIdentityOptions {
  pool: Pool
  processor: string
  topics: readonly TopicName[]
  brokers: string[]
  clientId: string
  topicPrefix: string
  clusterId: string
  log: RuntimeLog
}

export function createLogIdentity(options: LogIdentityOptions): LogIdentity {
  let verified: Promise<void> | null = null

  async function ask(): Promise<void> {
    const positions = await readPositions(options.pool, options.processor)
    const state = await readLogState(options, options.topics).catch((error: unknown) => {
      throw new Away('the broker does not say which log it has', { cause: error })
    })
    if (state.clusterId !== options.clusterId) throw otherCluster(options.clusterId, state.clusterId)
    verifyPositions(positions, state)
  }

  function verify(): Promise<void> {
    verified ??= ask().catch((error: unknown) => {
      verified = null
      throw error
    })
    return verified
  }

  return {
    verify,
    async verifyLatest() {
      for (let asked: Promise<void> | null = null; asked === null || asked !== verified; ) {
        asked = verify()
        await asked
      }
    },
    forget() {
      verified = null
    }
  }
}
