/**
 * npm run chaos -- vendors: like `deliver`, with the contract servers of all kinds in place of
 * webhooks. First one incident runs without a fault, and each kind must get the requests that the
 * matrix lists; then incidents open, are acknowledged and end while vendors fail, notifiers are
 * killed at each crash point and at random, and so are Postgres and the broker. Acceptance: as
 * `deliver`, for each kind; and what is open at each vendor equals what the ledger says, in the
 * middle of the run and at the end.
 */
import { channels } from '../../services/channels/kinds/index.ts'
import type { CrashPointName } from '../../streams/runtime/crash-point.ts'
import { makeWorkspace, type Product, type TestWorkspace } from '../harness/product.ts'
import { until } from '../harness/until.ts'
import { type Asked, NOT_APPLICABLE } from '../services/channels/contract.ts'
import { spoken } from '../services/channels/matrix.ts'
import { readLedgerRows } from './check-deliveries.ts'
import { judgeOpen, judgeVendors, type VendorFacts, type VendorReceipt } from './check-vendors.ts'
import type { Verdicts } from './checks.ts'
import { type DeliveringOptions, endAll, enginePoints, faultOnce, livedUnderFaults, quiet, ranOn, sleep, spanIn } from './delivering.ts'
import { startNotifier } from './notifiers.ts'
import { createPoster } from './post.ts'
import { markOf, type Told, type ToldEvent, toldEvents } from './vendor-words.ts'
import { startVendors, type Vendors } from './vendors-up.ts'

/** When the ledger has not changed for this long, its records have arrived in Kafka. */
const STILL_MS = 2000
const CLEAN = 999_999
/** Numbers from here on: cases that open while a notifier is to die. */
const EXTRA = 100_000
const EVERY_MS = 500
const PATIENCE_MS = 180_000

type Call = (method: string, path: string, body: object) => Promise<Record<string, unknown>>

/** Makes a workspace with a default channel of each kind, whose words are marked. */
async function makeTold(
  product: Product,
  name: string,
  { configs }: Vendors
): Promise<{ workspace: TestWorkspace; kinds: Map<string, string> }> {
  const pool = product.pool()
  try {
    const workspace = await makeWorkspace(pool, name, 'generic')
    const call: Call = async (method, path, body) => {
      const answer = await product.api(method, `/api/v1/${path}`, body, workspace.apiToken)
      if (answer.status >= 300) throw new Error(`${method} ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`)
      return answer.body
    }
    for (const event of toldEvents)
      await call('POST', 'notifications/templates', { kind: null, event, title: markOf(event), body: markOf(event) })
    const kinds = new Map<string, string>()
    for (const [kind, config] of configs) {
      const made = await call('POST', 'notifications/channels', { name: kind, kind, is_default: true, events: [...toldEvents], config })
      kinds.set(String(made.id), kind)
    }
    // Other tests prove the ownership of addresses and numbers.
    await pool.query('UPDATE notification_channels SET verified_at = coalesce(verified_at, now()) WHERE tenant_id = $1', [
      workspace.tenant_id
    ])
    await call('PATCH', 'workspace', { storm_threshold: 1000 })
    return { workspace, kinds }
  } finally {
    await pool.end()
  }
}

/**
 * Tells of one incident, event by event, without a fault. Returns the differences from the matrix.
 */
async function cleanPass(
  product: Product,
  workspace: TestWorkspace,
  vendors: Vendors
): Promise<{ usual: Map<string, number>; violations: string[] }> {
  const usual = new Map<string, number>()
  const violations: string[] = []
  const poster = createPoster()
  const title = `case-${CLEAN}-clean`
  const post = async (more: object): Promise<void> => {
    const body = JSON.stringify({ title, dedup_key: title, ...more })
    const { status } = await poster.post(`${product.access.base_url}/api/v1/webhooks/incoming/${workspace.door}`, {}, body)
    if (status !== 200) throw new Error(`the alert was answered ${status}`)
  }
  const found = async (status: string): Promise<string | null> => {
    const { body } = await product.api('GET', `/api/v1/incidents?q=${title}&status=${status}`, undefined, workspace.apiToken)
    return ((body.items ?? []) as { id: string }[])[0]?.id ?? null
  }
  async function heardOf(event: ToldEvent, situation: 'down' | 'acknowledge' | 'recover', act: () => Promise<unknown>): Promise<void> {
    const from = vendors.heard.length
    await act()
    await quiet(product, workspace)
    for (const [kind, { row, mail }] of vendors.contracts) {
      const heard = vendors.heard.slice(from).filter((one) => one.kind === kind && (!mail || one.told !== null))
      usual.set(`${kind} ${event}`, heard.filter(({ told, asked }) => told !== null && !isInPlace(kind, asked)).length)
      // A homeserver is asked for its versions once in ten minutes, in the matrix at another time.
      const said = spoken(heard.flatMap(({ did }) => (did === null || did === 'versions' ? [] : [did])))
      const [expected = ''] = row[situation].split(' → ')
      if (!row[situation].startsWith(NOT_APPLICABLE) && said !== expected)
        violations.push(`${kind} is told of ${event} as "${said}", and the matrix says "${expected}"`)
    }
  }
  try {
    await heardOf('down', 'down', async () => {
      await post({ severity: 'critical' })
      await until('the clean incident', () => found('ongoing'))
    })
    const id = await found('ongoing')
    await heardOf('acknowledged', 'acknowledge', () => product.api('POST', `/api/v1/incidents/${id}/acknowledge`, {}, workspace.apiToken))
    await heardOf('up', 'recover', () => product.api('POST', `/api/v1/incidents/${id}/resolve`, {}, workspace.apiToken))
    return { usual, violations }
  } finally {
    poster.close()
  }
}

const changing: ReadonlySet<string> = new Set(Object.values(channels).flatMap((one) => (one?.edit ? [one.kind] : [])))

/** True when the request changes an existing message. */
const isInPlace = (kind: string, { method, path }: Asked): boolean =>
  changing.has(kind) && (method === 'PATCH' || path.endsWith('/editMessageText'))

/** Finds the incident that a message means. */
async function incidentsOf(product: Product, tenant_id: string): Promise<(told: Told) => string | null> {
  const pool = product.pool()
  try {
    const { rows } = await pool.query<{ incident_id: string; title: string }>(
      'SELECT incident_id, title FROM incidents WHERE tenant_id = $1',
      [tenant_id]
    )
    const byCase = new Map(rows.map(({ incident_id, title }) => [Number(/^case-(\d+)-/.exec(title)?.[1]), incident_id]))
    const known = new Set(rows.map(({ incident_id }) => incident_id))
    return ({ nth, ids }) => (nth === null ? ids.find((id) => known.has(id)) : byCase.get(nth)) ?? null
  } finally {
    await pool.end()
  }
}

const holders: ReadonlySet<string> = new Set(
  Object.values(channels).flatMap((one) => (one?.family === 'paging' || one?.family === 'ticketing' ? [one.kind] : []))
)
const desks: ReadonlySet<string> = new Set(Object.values(channels).flatMap((one) => (one?.family === 'ticketing' ? [one.kind] : [])))

interface Stage {
  product: Product
  vendors: Vendors
  workspace: TestWorkspace
  /** By channel. */
  kinds: ReadonlyMap<string, string>
  usual: ReadonlyMap<string, number>
}

/** Judges once nothing changes any more. */
async function judged({ product, vendors, workspace, kinds, usual }: Stage, judge: (facts: VendorFacts) => Verdicts): Promise<Verdicts> {
  const { tenant_id } = workspace
  for (let before = ''; ; ) {
    await quiet(product, workspace)
    const read = await readLedgerRows(product, [tenant_id])
    const now = JSON.stringify([read.rows, vendors.heard.length])
    if (now !== before) {
      before = now
      await sleep(STILL_MS)
      continue
    }
    const incidentOf = await incidentsOf(product, tenant_id)
    const violations: string[] = []
    const receipts: VendorReceipt[] = []
    for (const { kind, told, said, answer, did, asked } of vendors.heard) {
      if (told === null) {
        if (answer === 'refused' && did !== null) violations.push(`${kind} refuses what it is sent on the way: ${did}`)
        continue
      }
      const incident_id = incidentOf(told)
      if (incident_id === null) violations.push(`${kind} heard of something that is no incident: ${JSON.stringify(told)}`)
      else receipts.push({ kind, event: told.event, incident_id, said, answer, did, in_place: isInPlace(kind, asked) })
    }
    const held = vendors.holding().map(({ kind, told }) => ({ kind, incident_id: (told && incidentOf(told)) ?? 'something else' }))
    const rows = read.rows.flatMap((row) => (row.channel_id === null ? [] : [{ ...row, kind: kinds.get(row.channel_id) ?? '' }]))
    const { counts, violations: found } = judge({ rows, receipts, holding: held, holders, desks, changing, usual })
    return { counts: { ...counts, records_on_the_log: read.records }, violations: [...violations, ...found, ...read.odd] }
  }
}

/**
 * Lets a notifier die at a crash point of the engine; incidents open until it has reached that
 * point.
 */
async function dieAt({ product, vendors, workspace }: Stage, point: CrashPointName, tell: (line: string) => void): Promise<void> {
  const doomed = await startNotifier(product, point, { ...vendors.environment, FAIL_AT: point })
  const poster = createPoster()
  const from = Date.now()
  try {
    for (let nth = 0; !doomed.hasEnded(); nth++) {
      if (Date.now() - from > PATIENCE_MS) throw new Error(`no notifier has come to ${point}`)
      const title = `case-${EXTRA + enginePoints.indexOf(point) * 10_000 + nth}-nobody`
      const body = JSON.stringify({ title, dedup_key: title, severity: 'critical' })
      await poster.post(`${product.access.base_url}/api/v1/webhooks/incoming/${workspace.door}`, {}, body)
      await sleep(EVERY_MS)
    }
    tell(`a notifier died at ${point}`)
  } finally {
    poster.close()
    await doomed.stop()
  }
}

async function vendorsUnderFaults(product: Product, vendors: Vendors, options: DeliveringOptions): Promise<Verdicts> {
  const { name, tell } = options
  const { workspace, kinds } = await makeTold(product, name, vendors)
  const clean = await cleanPass(product, workspace, vendors)
  tell(`${kinds.size} kinds: one incident went its way, ${vendors.heard.length} requests`)
  const stage: Stage = { product, vendors, workspace, kinds, usual: clean.usual }
  const second = await startNotifier(product, 'second', vendors.environment)
  try {
    vendors.misbehave()
    const lived = await livedUnderFaults(product, workspace, options, (fault) => {
      const point = enginePoints.find((one) => one === fault)
      return point ? dieAt(stage, point, tell) : faultOnce(product, fault, second, tell, vendors.environment)
    })
    const middle = await judged(stage, judgeOpen)
    tell(`in the middle: ${middle.counts.open_at_vendors} open at vendors, ${middle.counts.open_by_the_ledger} by the ledger`)
    await endAll(product, workspace)
    const last = await judged(stage, judgeVendors)
    const inTheMiddle = middle.violations.map((one) => `in the middle: ${one}`)
    return {
      counts: { ...lived.counts, open_in_the_middle: middle.counts.open_at_vendors ?? 0, ...last.counts },
      violations: [...new Set([...lived.undone, ...clean.violations, ...inTheMiddle, ...last.violations])]
    }
  } finally {
    await second.stop()
  }
}

/** Resolves with whether every check held. */
export async function run(args: string[]): Promise<boolean> {
  const vendors = await startVendors()
  try {
    const kinds = `${vendors.configs.size} kinds`
    return await ranOn('vendors', kinds, vendors.environment, spanIn(args, 1), (product, options) =>
      vendorsUnderFaults(product, vendors, options)
    )
  } finally {
    await vendors.close()
  }
}
