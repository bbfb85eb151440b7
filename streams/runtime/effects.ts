/**
 * Joins the effects of several folds into one. When streams/define.ts gets a new kind, the compiler
 * asks for it here.
 */
import type { AllEffects, Effects } from '../define.ts'

/** Within a kind, the order is that of `list`. */
export function joinEffects(list: readonly Effects[]): AllEffects {
  return {
    outgoing: list.flatMap(({ outgoing = [] }) => outgoing),
    jobs: list.flatMap(({ jobs = [] }) => jobs),
    notices: list.flatMap(({ notices = [] }) => notices),
    feed: list.flatMap(({ feed = [] }) => feed),
    intents: list.flatMap(({ intents = [] }) => intents)
  }
}

export const countEffects = (effects: Effects): number =>
  [effects.outgoing, effects.jobs, effects.notices, effects.feed, effects.intents].reduce((count, some) => count + (some?.length ?? 0), 0)
