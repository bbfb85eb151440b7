/**
 * Answers: later messages about an incident, behind its first one. Each is kept by an id of its
 * own, so that every one of them can become neutral. Pure.
 */
import type { RemoteRef } from './channel.ts'

const KEY = 'reply_'

/**
 * Returns what is stored of an answer. It adds to what is stored already. `where` names the answer
 * at the vendor; without it, its id does.
 */
export const answerOf = (id: string, where: string = id): RemoteRef => ({ [`${KEY}${id}`]: where })

/** Keys of the answers in a stored reference. */
export const answerKeysIn = (ref: RemoteRef): string[] => Object.keys(ref).filter((key) => key.startsWith(KEY))

/** The names at the vendor of the answers in a stored reference. */
export const answersIn = (ref: RemoteRef): string[] => answerKeysIn(ref).flatMap((key) => ref[key] ?? [])
