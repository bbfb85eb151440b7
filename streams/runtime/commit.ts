/**
 * Runs the transactions of the loop. Partitions that want to commit at the same time share ONE
 * transaction: one position row each, one lock of the rows that keyed state needs, one COMMIT.
 * Twelve partitions with one record each cost as much as one, and do not wait for each other's
 * locks.
 *
 * In    shares: a partition's position (from, to) and either its inputs (byKey) or what its fold
 *       returned (byPartition)
 * Out   a share resolves to its poison once its transaction has committed. When it rejects, nothing
 *       of it happened (or, after a COMMIT without an answer, only the stored position can tell)
 *
 * One share never fails because of another: when a transaction of several shares fails, each is
 * tried again alone.
 *
 * Source: docs/design/architecture.md#s5.
 */
import type { Pool, QueryResult } from 'pg'
import type { Codec } from '../../schemas/codec.ts'
import type { TopicName } from '../../schemas/topics.ts'
import type { Effects, Input, Outcome } from '../define.ts'
import type { RuntimeLog } from './connect.ts'
import { Crash, crashPoint } from './crash-point.ts'
import { deadLetters, type Poison, writeDeadLetters } from './dead-letter.ts'
import { refusalsToPoison } from './decode.ts'
import { countEffects, joinEffects } from './effects.ts'
import { type KeyedState, moveStatement, saveStates, type Tx } from './offsets.ts'
import { markFolded, type Returned } from './redriven.ts'
import type { InRecord } from './stream.ts'
import { transaction } from './transaction.ts'
import type { Work } from './work.ts'

/** Another owner moved the position; nothing was written. */
export class Fenced extends Error {}

export interface Share {
  topic: TopicName
  partition: number
  /** `from`: the stored position; `to`: the position after this share. */
  from: bigint
  to: bigint
  records: readonly InRecord[]
  inputs: readonly Input[]
  poison: readonly Poison[]
  /** Dead letters that were put back and are among the records. */
  returned: readonly Returned[]
  /**
   * What the fold of a byPartition processor returned; null for byKey, whose fold runs inside the
   * transaction.
   */
  outcome: Outcome | null
  /** State of this partition to store; null deletes a key. */
  state: readonly KeyedState[]
  /**
   * Called before anything is written, when there is poison. If it throws, the share rejects with
   * that error.
   */
  judge?(poison: readonly Poison[]): void
}

export interface CommitterOptions {
  work: Work
  pool: Pool
  codec: Codec
  /** Id of the Kafka cluster whose log holds the records. */
  clusterId: string
  log: RuntimeLog
  /** Returns the writes for the effects of folds. They run concurrently. */
  effectWrites(tx: Tx, effects: Effects, codec: Codec): readonly (() => Promise<void>)[]
  /** Called when a transaction of several shares failed and each is tried alone. */
  onApart(): void
}

interface Waiting {
  share: Share
  resolve(poison: readonly Poison[]): void
  reject(error: unknown): void
}

/**
 * Limit of the records in one transaction (or of the writes, for records that are already folded).
 * It bounds how long the transaction holds its locks. A single share may exceed it.
 */
const GROUP_SIZE = 500
/**
 * A second transaction runs beside the first only when enough work waits to fill it. Two half-empty
 * ones would wait for each other's locks.
 */
const LANES = 2

const sizeOf = ({ records, state, outcome }: Share): number => (outcome ? state.length + countEffects(outcome) : records.length)

/** SQLSTATE of a statement that follows a failed one in a transaction; it is never the cause. */
const ABORTED = '25P02'

/**
 * Runs writes that leave in one round trip. Waits for all of them, because one that continues after
 * the ROLLBACK would run outside the transaction. Throws the first failure that is a cause.
 */
async function all(writes: readonly (() => Promise<void>)[]): Promise<void> {
  const settled = await Promise.allSettled(writes.map(async (write) => write()))
  const reasons = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []))
  const follows = (reason: unknown): boolean => reason instanceof Error && 'code' in reason && reason.code === ABORTED
  if (reasons.length > 0) throw reasons.find((reason) => !follows(reason)) ?? reasons[0]
}

/** If a letter was folded in the meantime, another owner did it. */
async function markReturned(tx: Tx, returned: readonly Returned[]): Promise<void> {
  if (!(await markFolded(tx, returned))) throw new Fenced()
}

export interface Committer {
  /**
   * Resolves to the poison, including the records that the fold refused. Rejects with Fenced when
   * another owner moved the position.
   */
  commit(share: Share): Promise<readonly Poison[]>
}

/** Writes the shares of one transaction. Resolves to the poison of each. */
type Write = (shares: readonly Share[]) => Promise<Map<Share, readonly Poison[]>>

/** Returns the poison of each share that has some. Throws what a share's `judge` throws. */
function judged(shares: readonly Share[], outcomes: readonly Outcome[]): Map<Share, readonly Poison[]> {
  const refusals = outcomes.flatMap((outcome) => outcome.refused)
  const found = new Map<Share, readonly Poison[]>()
  for (const share of shares) {
    const poison = refusals.length > 0 ? [...share.poison, ...refusalsToPoison(refusals, share.records)] : share.poison
    if (poison.length === 0) continue
    share.judge?.(poison)
    found.set(share, poison)
  }
  return found
}

function createWrite({ work, pool, codec, clusterId, log, effectWrites }: CommitterOptions): Write {
  /**
   * Folds the shares. A keyed fold loads its rows in the same round trip that moves the positions.
   * Whether the positions could be moved is known before anything is written.
   */
  async function folded(
    tx: Tx,
    shares: readonly Share[],
    begun: Promise<QueryResult>
  ): Promise<{ outcomes: Outcome[]; poison: Map<Share, readonly Poison[]>; saved: Promise<void> }> {
    const fence = begun.then(({ rowCount }) => {
      if (rowCount !== shares.length) throw new Fenced()
    })
    const inputs = shares.flatMap((share) => share.inputs)
    if (!work.byKey || inputs.length === 0) {
      await fence
      const outcomes = shares.flatMap(({ outcome }) => (outcome ? [outcome] : []))
      return { outcomes, poison: judged(shares, outcomes), saved: Promise.resolve() }
    }
    let poison = new Map<Share, readonly Poison[]>()
    const judge = (outcome: Outcome): void => {
      poison = judged(shares, [outcome])
    }
    const [fenced, keyed] = await Promise.allSettled([fence, work.byKey(tx, inputs, fence, judge)])
    // `saved` is awaited by the caller, except when the fence fails.
    if (keyed.status === 'fulfilled') keyed.value.saved.catch(() => undefined)
    if (fenced.status === 'rejected') throw fenced.reason
    if (keyed.status === 'rejected') throw keyed.reason
    return { outcomes: [keyed.value.outcome], poison, saved: keyed.value.saved }
  }

  return async (shares) => {
    const first = moveStatement(work.name, shares)
    const poison = await transaction(pool, 'READ COMMITTED', log, write, first)
    crashPoint('run.after-commit')
    return poison

    async function write(tx: Tx, begun: Promise<QueryResult>): Promise<Map<Share, readonly Poison[]>> {
      crashPoint('run.after-begin')
      const { outcomes, poison: byShare, saved } = await folded(tx, shares, begun)
      const poison = [...byShare.values()].flat()
      const returned = shares.flatMap((share) => share.returned)
      const states = shares.flatMap(({ partition, state }) => state.map((one) => ({ ...one, partition })))
      const effects = joinEffects([...outcomes, { outgoing: deadLetters(work.name, clusterId, poison) }])
      await all([
        () => saved,
        () => saveStates(tx, work.name, states),
        () => writeDeadLetters(tx, work.name, clusterId, poison),
        () => markReturned(tx, returned),
        () => all(effectWrites(tx, effects, codec))
      ])
      crashPoint('run.before-commit')
      return byShare
    }
  }
}

export function createCommitter(options: CommitterOptions): Committer {
  const { log, onApart } = options
  const together = createWrite(options)
  const waiting: Waiting[] = []
  let waitingSize = 0
  let lanes = 0
  let scheduled = false

  async function settle(group: readonly Waiting[]): Promise<void> {
    try {
      const poison = await together(group.map(({ share }) => share))
      for (const { share, resolve } of group) resolve(poison.get(share) ?? [])
    } catch (error) {
      if (group.length === 1 || error instanceof Crash) {
        for (const { reject } of group) reject(error)
        return
      }
      log.warn({ err: error, shares: group.length }, 'a transaction of several partitions failed; each goes alone')
      onApart()
      for (const one of group) await settle([one])
    }
  }

  function take(): Waiting[] {
    const group: Waiting[] = []
    let size = 0
    for (let next = waiting[0]; next && (group.length === 0 || size + sizeOf(next.share) <= GROUP_SIZE); next = waiting[0]) {
      waiting.shift()
      group.push(next)
      size += sizeOf(next.share)
    }
    waitingSize -= size
    return group
  }

  /**
   * Whether one more lane may open: the first for any waiting share, the second only for a full
   * transaction.
   */
  const mayOpen = (): boolean => waiting.length > 0 && (lanes === 0 || (lanes < LANES && waitingSize >= GROUP_SIZE))

  async function lane(): Promise<void> {
    lanes += 1
    while (waiting.length > 0 && (lanes === 1 || waitingSize >= GROUP_SIZE)) {
      const group = take()
      if (mayOpen()) void lane()
      await settle(group)
    }
    lanes -= 1
    if (mayOpen()) void lane()
  }

  function schedule(): void {
    if (scheduled || !mayOpen()) return
    scheduled = true
    // All shares of one fetch arrive within one turn of the event loop.
    setImmediate(() => {
      scheduled = false
      if (mayOpen()) void lane()
    })
  }

  return {
    commit: (share) =>
      new Promise((resolve, reject) => {
        waiting.push({ share, resolve, reject })
        waitingSize += sizeOf(share)
        schedule()
      })
  }
}
