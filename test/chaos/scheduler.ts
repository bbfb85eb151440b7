/**
 * A reference for escalations, written from the design and not from the code: computes from the
 * events of one incident which steps its policy must have reached. Pure.
 *
 * A run begins with the event that opens the incident or takes its acknowledgement back, and ends
 * with the next event that acknowledges or ends it. Within it the policy is a list of places; each
 * is due its delay after the place before it asked somebody. The time at which a place was really
 * reached is read from the log (`reached`): a late place moves those that follow, and nothing else.
 *
 *   must    due so long before the end of its run, and out of every hold, that it must be there
 *   may     due, but the end, a hold or a fault came within the time that it is allowed to take; or
 *           committed before an end that says an earlier time: an alert that resolves says when it
 *           was received, and a fold that could not commit takes it in later
 *   never   everything else: before it is due, while it is held, after the end, a second time
 * Source: docs/design/api/on-call.md#runs.
 */

export interface ReferenceStep {
  delay_seconds: number
  /**
   * People who can be asked, in order; with `one_by_one` each is a part of the step. Empty: nobody
   * can be asked.
   */
  reachable: string[]
  one_by_one: boolean
  /** Empty: any. */
  severities: string[]
}

export interface ReferencePolicy {
  repeat: number
  steps: ReferenceStep[]
}

/** The events of an incident that matter here, in order. */
export type Happening =
  | { what: 'begins' | 'ends' | 'speaks'; ver: number; at: number }
  /** `until`: as it was set. */
  | { what: 'silenced'; ver: number; at: number; until: number }
  | { what: 'unsilenced'; ver: number; at: number }

export interface Place {
  run: number
  cycle: number
  step: number
  part: number
  outcome: 'fired' | 'empty' | 'skipped' | 'exhausted'
  /** Whom it asks. */
  asks: string[]
}

export interface Expected {
  place: Place
  due: number
  /** True when the place must be reached; false when it may be. */
  must: boolean
}

const PAUSE_SECONDS = 300

export const placeName = ({ run, cycle, step, part, outcome }: Omit<Place, 'asks'>): string =>
  `run ${run} cycle ${cycle} step ${step} part ${part} ${outcome}`

/** The places of a run in order, each with the seconds that it waits for the one before. */
function* placesOf(
  policy: ReferencePolicy,
  run: number,
  severity: string
): Generator<{ place: Place; wait: number; countsFrom: 'asked' | 'last' }> {
  const pause = policy.steps[0]?.delay_seconds || PAUSE_SECONDS
  let first = true
  let empty = false
  for (let cycle = 0; cycle <= policy.repeat; cycle++) {
    for (const [step, { delay_seconds, reachable, one_by_one, severities }] of policy.steps.entries()) {
      const begins = step === 0
      // A pause follows the last step, whatever its outcome was.
      let wait = begins ? (first ? delay_seconds : pause) : empty ? 0 : delay_seconds
      let countsFrom: 'asked' | 'last' = begins || empty ? 'last' : 'asked'
      first = false
      if (severities.length > 0 && !severities.includes(severity)) {
        yield { place: { run, cycle, step, part: 0, outcome: 'skipped', asks: [] }, wait, countsFrom }
        empty = false
        continue
      }
      if (reachable.length === 0) {
        yield { place: { run, cycle, step, part: 0, outcome: 'empty', asks: [] }, wait, countsFrom }
        empty = true
        continue
      }
      for (const [part, asks] of (one_by_one ? reachable.map((id) => [id]) : [reachable]).entries()) {
        yield { place: { run, cycle, step, part, outcome: 'fired', asks }, wait, countsFrom }
        wait = delay_seconds || PAUSE_SECONDS
        countsFrom = 'asked'
      }
      empty = false
    }
  }
  yield { place: { run, cycle: policy.repeat + 1, step: 0, part: 0, outcome: 'exhausted', asks: [] }, wait: pause, countsFrom: 'last' }
}

interface Span {
  from: number
  to: number
}

/** Times in which the run is held, in order. */
function holdsIn(happenings: readonly Happening[], end: number): Span[] {
  const spans: Span[] = []
  let open: Span | null = null
  for (const one of happenings) {
    if (one.what !== 'silenced' && one.what !== 'unsilenced') continue
    if (open) spans.push({ from: open.from, to: Math.min(one.at, open.to) })
    open = one.what === 'silenced' ? { from: one.at, to: one.until } : null
  }
  if (open) spans.push({ from: open.from, to: Math.min(open.to, end) })
  return spans
}

export interface ReferenceOptions {
  /** When a place was reached, epoch ms; undefined: not at all. */
  reached(place: Place): number | undefined
  /** Version of the event that reported the place; null when no event did. */
  verOf(place: Place): number | null
  /** The last instant that is judged. */
  until: number
  /** The latest time at which a place that is due at `due` may be reached, epoch ms in and out. */
  allowed(due: number): number
}

/** The places that an incident of this severity must or may have reached under its policy. */
export function expectedOf(
  policy: ReferencePolicy,
  severity: string,
  happenings: readonly Happening[],
  { reached, verOf, until, allowed }: ReferenceOptions
): Expected[] {
  const expected: Expected[] = []
  for (const [index, begin] of happenings.entries()) {
    if (begin.what !== 'begins') continue
    const rest = happenings.slice(index + 1)
    const length = rest.findIndex(({ what }) => what === 'ends' || what === 'begins')
    const last = rest[length]
    const end = last?.at ?? until
    const endVer = last?.ver ?? Number.POSITIVE_INFINITY
    const isBeforeEnd = (place: Place): boolean => (verOf(place) ?? endVer) < endVer
    // A silence from before the run still holds it.
    const holds = holdsIn([...happenings.slice(0, index), ...rest.slice(0, length < 0 ? rest.length : length)], end)
    expected.push(...runOf(policy, severity, begin, { end, isBeforeEnd, holds, reached, allowed }))
  }
  return expected
}

interface RunOptions extends Pick<ReferenceOptions, 'reached' | 'allowed'> {
  /** The time that the ending event says, epoch ms. */
  end: number
  /** Whether the place came before the end, by the order of commits. */
  isBeforeEnd(place: Place): boolean
  holds: readonly Span[]
}

function runOf(
  policy: ReferencePolicy,
  severity: string,
  begin: Happening,
  { end, isBeforeEnd, holds, reached, allowed }: RunOptions
): Expected[] {
  const expected: Expected[] = []
  let last = begin.at
  let asked = begin.at
  for (const { place, wait, countsFrom } of placesOf(policy, begin.ver, severity)) {
    let due = Math.max(last, (countsFrom === 'asked' ? asked : last) + wait * 1000)
    let must = false
    // A place is due when nothing holds it. A hold that begins too soon after that delays it.
    for (const { from, to } of holds) {
      if (to <= due) continue
      if (from > due && allowed(due) < from) break
      const done = reached(place)
      if (from > due && done !== undefined && done <= from) break
      due = Math.max(due, to)
    }
    if (due >= end && !isBeforeEnd(place)) break
    must = allowed(due) < end
    expected.push({ place, due, must })
    const done = reached(place)
    if (done === undefined) break
    last = done
    if (place.outcome === 'fired') asked = done
  }
  return expected
}
