/**
 * Checks deliveries after a fault run, from the ledger, from the requests that receivers got, and
 * from the log: each intent ends once; a delivery is repeated only when nobody knew that it had
 * arrived, and then under the same key and with the same bytes; nobody is told of a failure after
 * its end; everybody who was told of a failure, or may have been, is told of its end, or that
 * delivery visibly failed.
 */
import type { Delivery } from '../../schemas/generated/events.ts'
import type { Product } from '../harness/product.ts'
import type { Verdicts } from './checks.ts'
import { readBack } from './readback.ts'

/** A request that a receiver got; receipts are in the order of arrival. */
export interface Receipt {
  /** The key of the delivery at the receiver. */
  key: string
  /** incident.created, incident.acknowledged or incident.resolved. */
  event: string
  incident_id: string
  /** The channel. */
  path: string
  body: string
  /** The answer of the receiver; `silence`: it accepted the request and did not say so. */
  answer: 'took' | 'refused' | 'later' | 'silence'
}

/** A row of the ledger. */
export interface LedgerRow {
  delivery_id: string
  incident_id: string | null
  target_id: string
  channel_id: string | null
  event: string
  state: string
  suppressed_by: string | null
  suppressed_cause: string | null
  ver: number
  attempts: number
  ambiguous: number
  accepted: boolean
  attempt_log: { n: number; outcome: string; error: string | null }[]
}

export const FINAL: readonly string[] = ['sent', 'delivered', 'failed', 'expired', 'suppressed', 'fallback_used']

export function groupBy<V>(values: readonly V[], keyOf: (value: V) => string): Map<string, V[]> {
  const groups = new Map<string, V[]>()
  for (const value of values) {
    const key = keyOf(value)
    const group = groups.get(key)
    if (group) group.push(value)
    else groups.set(key, [value])
  }
  return groups
}

export type Must = (holds: boolean, sentence: () => string) => void

/** Checks what the ledger says of one delivery. `told` shows what the receiver got. */
export function judgeRow(row: LedgerRow, told: () => string, must: Must): void {
  const { delivery_id: id, event, attempts, ambiguous, attempt_log } = row
  must(FINAL.includes(row.state), () => `${id} (${event}) has not ended: ${row.state}`)
  const known = attempt_log.filter(({ outcome }) => outcome === 'accepted' || outcome === 'refused')
  must(known.length <= 1, () => `something was sent behind an outcome that was recorded: ${told()}`)
  must(row.accepted === (row.state === 'sent' || row.state === 'delivered'), () => `accepted is ${row.accepted} of ${row.state}: ${told()}`)
  const lost = attempt_log.filter(({ error }) => error === 'worker_lost').length
  must(attempts <= attempt_log.length, () => `attempts that nobody tells of: ${told()}`)
  must(lost <= ambiguous, () => `${lost} workers were lost, and ${ambiguous} outcomes unknown: ${told()}`)
}

/** Checks one delivery: its row in the ledger against what the receiver got. */
function judgeOne(row: LedgerRow, heard: readonly Receipt[], must: Must): void {
  const { delivery_id: id, event, attempts, ambiguous, attempt_log } = row
  const told = () => `${id} (${event}): ${JSON.stringify(attempt_log)}, heard ${heard.map(({ answer }) => answer).join(', ')}`
  judgeRow(row, told, must)
  must(heard.length <= attempts, () => `more was heard than was tried: ${told()}`)
  must(new Set(heard.map(({ body }) => body)).size <= 1, () => `an attempt said something else than the one before: ${told()}`)
  const first = heard.findIndex(({ answer }) => answer === 'took' || answer === 'refused')
  const repeats = first < 0 ? 0 : heard.length - first - 1
  must(repeats <= ambiguous, () => `repeated ${repeats} times, and ${ambiguous} outcomes were unknown: ${told()}`)
  must(heard.length === 0 || attempt_log.length > 0, () => `heard, and not in the ledger: ${told()}`)
}

/**
 * The vendor was asked and has nothing to end, because the message that was to open it has not
 * arrived.
 */
const NOTHING_THERE: ReadonlySet<string | null> = new Set(['not_opened', 'ticket_gone', 'ticket_closed'])

/**
 * Everybody who was told of a failure, or may have been, must be told of its end, or that delivery
 * visibly failed, or there is nothing that could end. Returns how many were told.
 */
export function judgeEnds(rows: readonly LedgerRow[], must: Must): number {
  let told = 0
  for (const [target, of] of groupBy(rows, ({ target_id, incident_id }) => `${target_id} of ${incident_id}`)) {
    const heard = of.some(({ event, accepted, ambiguous }) => event === 'down' && (accepted || ambiguous > 0))
    if (!heard) continue
    told += 1
    const up = of.filter(({ event }) => event === 'up')
    const isOff = up.some(({ suppressed_by }) => suppressed_by === 'disabled')
    const isAbsent = up.some(({ suppressed_by, suppressed_cause }) => suppressed_by === 'preference' && NOTHING_THERE.has(suppressed_cause))
    must(
      isOff ||
        (isAbsent && !of.some(({ event, accepted }) => event === 'down' && accepted)) ||
        up.some(({ state }) => ['sent', 'delivered', 'failed', 'expired'].includes(state)),
      () =>
        `${target} heard of the failure and not of its end: ${JSON.stringify(of.map(({ event, state, suppressed_by, suppressed_cause }) => [event, state, suppressed_by, suppressed_cause]))}`
    )
  }
  return told
}

export const countsOf = (rows: readonly LedgerRow[]): Record<string, number> => {
  const count = (of: (row: LedgerRow) => boolean): number => rows.filter(of).length
  return {
    deliveries: rows.length,
    deliveries_that_were_accepted: count(({ accepted }) => accepted),
    deliveries_that_failed: count(({ state }) => state === 'failed' || state === 'expired'),
    deliveries_that_were_suppressed: count(({ state }) => state === 'suppressed'),
    outcomes_unknown: rows.reduce((sum, { ambiguous }) => sum + ambiguous, 0),
    workers_lost: rows.reduce((sum, { attempt_log }) => sum + attempt_log.filter(({ error }) => error === 'worker_lost').length, 0)
  }
}

/** Checks rows and receipts together. Pure. */
export function judgeDeliveries(rows: readonly LedgerRow[], receipts: readonly Receipt[]): Verdicts {
  const violations: string[] = []
  const must: Must = (holds, sentence) => {
    if (!holds) violations.push(sentence())
  }
  const byKey = groupBy(receipts, ({ key }) => key)
  for (const row of rows) judgeOne(row, byKey.get(row.delivery_id) ?? [], must)
  const known = new Set(rows.map(({ delivery_id }) => delivery_id))
  for (const key of byKey.keys()) must(known.has(key), () => `${key} was heard, and the ledger does not know it`)

  for (const [stream, heard] of groupBy(receipts, ({ path, incident_id }) => `${path} ${incident_id}`)) {
    const events = heard.map(({ event }) => event)
    const end = events.indexOf('incident.resolved')
    must(
      end < 0 || !events.slice(end).includes('incident.created'),
      () => `${stream} heard of a failure behind its end: ${events.join(' ')}`
    )
  }
  const told = judgeEnds(rows, must)
  return {
    counts: { ...countsOf(rows), heard: receipts.length, heard_again: receipts.length - byKey.size, targets_told_of_a_failure: told },
    violations
  }
}

const isFinal = ({ state }: Pick<Delivery, 'state'>): boolean => FINAL.includes(state)

/** The log has one end of each delivery, that of the row, and no step after it. */
function judgeLog(rows: readonly LedgerRow[], records: readonly Delivery[]): string[] {
  const violations: string[] = []
  const byDelivery = groupBy([...new Map(records.map((one) => [one.event_id, one])).values()], ({ delivery_id }) => delivery_id)
  for (const { delivery_id, state, ver } of rows) {
    const steps = (byDelivery.get(delivery_id) ?? []).sort((one, other) => one.ver - other.ver)
    const ends = steps.filter(isFinal)
    const last = steps.at(-1)
    if (ends.length !== 1 || last?.state !== state || last.ver !== ver)
      violations.push(
        `${delivery_id} is ${state} at ver ${ver}, and the log tells of ${steps.map((one) => `${one.ver} ${one.state}`).join(', ')}`
      )
  }
  return violations
}

/**
 * Reads the deliveries of workspaces in their order, and the differences between ledger, intents
 * and log.
 */
export async function readLedgerRows(
  product: Product,
  tenants: readonly string[]
): Promise<{ rows: LedgerRow[]; records: number; odd: string[] }> {
  const pool = product.pool()
  const log = await readBack(product)
  try {
    const { rows } = await pool.query<LedgerRow>(
      `SELECT delivery_id, incident_id, target_id, channel_id, event, state, suppressed_by, suppressed_cause, ver, attempts, ambiguous, accepted, attempt_log
         FROM deliveries WHERE tenant_id = ANY ($1::uuid[]) ORDER BY seq`,
      [tenants]
    )
    const { rows: strays } = await pool.query<{ intent_id: string; n: number }>(
      `SELECT i.intent_id, count(d.delivery_id)::int AS n FROM intents i LEFT JOIN deliveries d ON d.tenant_id = i.tenant_id AND d.intent_id = i.intent_id
        WHERE i.tenant_id = ANY ($1::uuid[]) GROUP BY i.intent_id HAVING count(d.delivery_id) <> 1`,
      [tenants]
    )
    const own = new Set(rows.map(({ delivery_id }) => delivery_id))
    const records: Delivery[] = []
    for (const { value } of await log.read('notification.deliveries.v1')) {
      const decoded = value ? log.codec.decodeAny(value) : null
      if (decoded?.record === 'Delivery' && own.has(decoded.value.delivery_id)) records.push(decoded.value)
    }
    const odd = strays.map(({ intent_id, n }) => `intent ${intent_id} has ${n} deliveries`)
    return { rows, records: records.length, odd: [...odd, ...judgeLog(rows, records)] }
  } finally {
    await Promise.all([pool.end(), log.close()])
  }
}

export async function checkDeliveries(product: Product, tenants: readonly string[], receipts: readonly Receipt[]): Promise<Verdicts> {
  const { rows, records, odd } = await readLedgerRows(product, tenants)
  const judged = judgeDeliveries(rows, receipts)
  return { counts: { ...judged.counts, records_on_the_log: records }, violations: [...judged.violations, ...odd] }
}
