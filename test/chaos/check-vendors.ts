/**
 * Checks deliveries to all kinds of vendors after a fault run, from the ledger, from the requests
 * that the contract servers got, and from what they have open. It checks the same as
 * check-deliveries.ts, and also: each attempt says the same as the one before under the same key; a
 * vendor did something twice only because nobody knew of the first time; a desk has one ticket for
 * one incident; what is open at a vendor was told of and has not ended.
 */

import { countsOf, groupBy, judgeEnds, judgeRow, type LedgerRow, type Must, type Receipt } from './check-deliveries.ts'
import type { Verdicts } from './checks.ts'
import type { ToldEvent } from './vendor-words.ts'

/** A row with the kind of its channel. */
export type VendorRow = LedgerRow & { kind: string }

export interface VendorReceipt {
  kind: string
  event: ToldEvent
  incident_id: string
  /** Key and words. */
  said: string
  answer: Receipt['answer']
  /** What the vendor did, named as in the matrix; null: the vendor did not look at it. */
  did: string | null
  /**
   * True when the request changes an existing message. Any change of the incident causes that,
   * whether or not people are told of it.
   */
  in_place: boolean
}

export interface VendorFacts {
  rows: readonly VendorRow[]
  receipts: readonly VendorReceipt[]
  /** What is open there. */
  holding: readonly { kind: string; incident_id: string }[]
  /** Kinds of vendors at which something can be open. */
  holders: ReadonlySet<string>
  /** Kinds that search for what they have opened before. */
  desks: ReadonlySet<string>
  /**
   * Kinds that change an existing message, and send a new one when they do not know what is there.
   */
  changing: ReadonlySet<string>
  /** Requests of one attempt that tell something and change nothing in place, by `kind event`. */
  usual: ReadonlyMap<string, number>
}

const nameOf = ({ kind, event, incident_id }: { kind: string; event: string; incident_id: string | null }): string =>
  `${kind} ${event} ${incident_id}`

/**
 * True when doing it twice leaves a second trace. An edit, or a request that the vendor recognizes,
 * leaves none.
 */
const leavesMark = ({ answer, did }: VendorReceipt): boolean =>
  (answer === 'took' || answer === 'silence') && did !== null && !/^(?:edit|the same)/.test(did)

/** All deliveries of one event of one incident to one vendor. */
function judgeTold(name: string, rows: readonly VendorRow[], all: readonly VendorReceipt[], facts: VendorFacts, must: Must): void {
  const [first] = rows
  const heard = all.filter(({ in_place }) => !in_place)
  must(first !== undefined || heard.length === 0, () => `${name}: was heard, and the ledger does not know it`)
  if (!first) return
  const told = () =>
    `${name}: ${JSON.stringify(rows.map(({ state, attempt_log }) => [state, ...attempt_log.map(({ outcome, error }) => error ?? outcome)]))}, heard ${heard.map(({ answer, did }) => did ?? answer).join(', ')}`
  for (const row of rows) judgeRow(row, told, must)
  const attempts = rows.reduce((sum, row) => sum + row.attempts, 0)
  const unknown = rows.reduce((sum, { ambiguous }) => sum + ambiguous, 0)
  const least = facts.changing.has(first.kind) ? 1 : 0
  const usual = Math.max(facts.usual.get(`${first.kind} ${first.event}`) ?? 0, least) * rows.length
  const bySaid = groupBy(heard, ({ said }) => said)
  // A refused message may be sent in another form: an edit as a message, an end as a note.
  const taken = heard.filter(({ answer }) => answer !== 'refused')
  const words = new Set(taken.map(({ said }) => said)).size
  must(words <= usual, () => `an attempt said something else than the one before: ${told()}`)
  must(taken.length <= attempts * Math.max(usual, 1), () => `more was heard than was tried: ${told()}`)
  for (const same of bySaid.values()) {
    const marks = same.filter(leavesMark).length
    must(marks <= rows.length + unknown, () => `done ${marks} times, and ${unknown} outcomes were unknown: ${told()}`)
    if (facts.desks.has(first.kind) && first.event === 'down') must(marks <= 1, () => `opened ${marks} tickets of one incident: ${told()}`)
  }
  const known = all.some(({ answer, did }) => did !== null && answer !== 'refused')
  must(known || !rows.some(({ accepted }) => accepted), () => `accepted, and the vendor has heard nothing of it: ${told()}`)
}

/**
 * Checks that what is open at a vendor was told of and has not ended. A delivery that visibly
 * failed may leave it either way.
 */
function judgeHolding({ rows, receipts, holding, holders }: VendorFacts, must: Must): number {
  const isEnd = ({ event, answer }: VendorReceipt): boolean => event === 'up' && answer === 'refused'
  const refusedEnds = new Set(receipts.filter(isEnd).map(({ kind, incident_id }) => `${kind} ${incident_id}`))
  const held = new Set(holding.map(({ kind, incident_id }) => `${kind} ${incident_id}`))
  let open = 0
  const of = groupBy(
    rows.filter(({ kind }) => holders.has(kind)),
    ({ kind, incident_id }) => `${kind} ${incident_id}`
  )
  for (const [name, ours] of of) {
    const told = ours.filter(({ event, accepted }) => event === 'down' && accepted)
    const maybe = ours.some(({ event, ambiguous }) => event === 'down' && ambiguous > 0)
    const ends = ours.filter(({ event }) => event === 'up')
    const ended = ends.some(({ accepted }) => accepted)
    const failed = ends.some(({ state, ambiguous }) => state === 'failed' || state === 'expired' || ambiguous > 0)
    const show = () => `${name}: ${JSON.stringify(ours.map(({ event, state, ambiguous }) => [event, state, ambiguous]))}`
    if (told.length > 0 && !ended && !failed) {
      open += 1
      must(held.has(name), () => `is not open there, and nobody ended it: ${show()}`)
    }
    // When the vendor refuses the end, a note on the ticket says that it stays open.
    if ((ended && !refusedEnds.has(name)) || (told.length === 0 && !maybe))
      must(!held.has(name), () => `is open there, and nothing says so: ${show()}`)
  }
  for (const name of held) must(of.has(name), () => `${name}: is open there, and the ledger does not know it`)
  return open
}

/** Checks while incidents are still ongoing. Pure. */
export function judgeOpen(facts: VendorFacts): Verdicts {
  const violations: string[] = []
  const open = judgeHolding(facts, (holds, sentence) => {
    if (!holds) violations.push(sentence())
  })
  return { counts: { open_at_vendors: facts.holding.length, open_by_the_ledger: open }, violations }
}

/** Checks after everything has ended. Pure. */
export function judgeVendors(facts: VendorFacts): Verdicts {
  const { rows, receipts } = facts
  const violations: string[] = []
  const must: Must = (holds, sentence) => {
    if (!holds) violations.push(sentence())
  }
  const heardOf = groupBy(receipts, nameOf)
  const rowsOf = groupBy(rows, nameOf)
  for (const name of new Set([...rowsOf.keys(), ...heardOf.keys()]))
    judgeTold(name, rowsOf.get(name) ?? [], heardOf.get(name) ?? [], facts, must)
  for (const [stream, heard] of groupBy(
    receipts.filter(({ in_place }) => !in_place),
    ({ kind, incident_id }) => `${kind} ${incident_id}`
  )) {
    const events = heard.map(({ event }) => event)
    const end = events.indexOf('up')
    must(end < 0 || !events.slice(end).includes('down'), () => `${stream} heard of a failure behind its end: ${events.join(' ')}`)
  }
  for (const one of receipts) {
    const { kind, did, answer, incident_id } = one
    const before = () => receipts.filter((other) => other !== one && other.kind === kind && other.incident_id === incident_id)
    must(
      answer !== 'refused' || did === null,
      () =>
        `${kind} refuses what it is sent: ${did}: ${one.said}\nand was sent of the same incident:\n${before()
          .map(({ said }) => said)
          .join('\n')}`
    )
  }
  const told = judgeEnds(rows, must)
  const open = judgeHolding(facts, must)
  return {
    counts: {
      ...countsOf(rows),
      kinds: new Set(rows.map(({ kind }) => kind)).size,
      requests_that_tell: receipts.length,
      requests_that_tell_again: receipts.length - new Set(receipts.map(({ kind, said }) => `${kind} ${said}`)).size,
      targets_told_of_a_failure: told,
      open_at_vendors: facts.holding.length,
      open_by_the_ledger: open
    },
    violations
  }
}
