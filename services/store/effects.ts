/**
 * Writes each kind of effect (streams/define.ts). Folds and commands both end with these writes, in
 * their own transaction.
 */
import type { Codec } from '../../schemas/codec.ts'
import type { AllEffects, Effects } from '../../streams/define.ts'
import { saveFeed } from './feed.ts'
import { saveIntents } from './intents.ts'
import { changeJobs } from './jobs.ts'
import { insertOutgoing } from './outbox.ts'
import { saveNotices } from './platform-notices.ts'
import type { Tx } from './pool.ts'

type Writers = { [K in keyof AllEffects]: (tx: Tx, effects: AllEffects[K], codec: Codec, all: Effects) => Promise<void> }

const writers: Writers = {
  // If there are intents, outgoing records are written together with the records of the intents.
  outgoing: (tx, outgoing, codec, { intents = [] }) => (intents.length > 0 ? Promise.resolve() : insertOutgoing(tx, outgoing, codec)),
  jobs: changeJobs,
  notices: saveNotices,
  feed: saveFeed,
  intents: (tx, intents, codec, { outgoing }) => saveIntents(tx, intents, codec, outgoing)
}

/**
 * Returns one write for each kind that has effects. They may run concurrently. The caller waits for
 * all of them, and rolls back when one fails.
 */
export function effectWrites(tx: Tx, effects: Effects, codec: Codec): (() => Promise<void>)[] {
  const write = <K extends keyof AllEffects>(kind: K): (() => Promise<void>)[] => {
    const some = effects[kind] as AllEffects[K] | undefined
    return some && some.length > 0 ? [() => writers[kind](tx, some, codec, effects)] : []
  }
  return (Object.keys(writers) as (keyof AllEffects)[]).flatMap(write)
}

/** Writes the effects concurrently. */
export async function writeEffects(tx: Tx, effects: Effects, codec: Codec): Promise<void> {
  await Promise.all(effectWrites(tx, effects, codec).map((write) => write()))
}
