/**
 * Translates the queries of schemas/analytics.ts into statements of clickhouse/queries with their
 * parameters. Every query belongs to a workspace: `tenant_id` is added here, and every statement
 * filters every table that it reads by it. Values are passed only as typed parameters. Most queries
 * are one statement, whose rows are the answer as the engine wrote them; uptime needs several,
 * which uptime.ts combines.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type BucketSize, type Entity, type Queries, type QueryName, queryLimits, queryNames } from '../../schemas/analytics.ts'
import { projectRoot } from '../../schemas/files.ts'
import type { TopicName } from '../../schemas/topics.ts'
import { BadRequest, type Buckets, bucketsOf, cellsFor, firstCell, stretchesOf } from './buckets.ts'
import type { Params } from './engine.ts'
import { excludedBy, type VersionRow } from './exclusions.ts'
import { type CountRow, type LifeRow, type OpeningRow, summaryRows, uptimeRows } from './uptime.ts'

export interface Statement {
  sql: string
  params: Params
}

export interface Question {
  statements: readonly Statement[]
  /** Makes the answer, a JSON array of rows, from the results of the statements in their order. */
  answer(texts: readonly string[]): string
  /**
   * The topics whose rows it reads. The answer is complete up to the lowest of their watermarks.
   */
  topics: readonly TopicName[]
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

const wrong = (what: string, expected: string): never => {
  throw new BadRequest(`${what}: expected ${expected}`)
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value)

function uuid(value: unknown, what: string): string {
  return typeof value === 'string' && UUID.test(value) ? value : wrong(what, 'a UUID')
}

function whole(value: unknown, what: string, min = 0, max = Number.MAX_SAFE_INTEGER): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= min && value <= max
    ? value
    : wrong(what, `a whole number from ${min} to ${max}`)
}

const LAST_INSTANT = 4_102_444_800_000
const instant = (value: unknown, what: string): number => whole(value, what, 0, LAST_INSTANT)

function list<T>(value: unknown, what: string, each: (one: unknown, what: string) => T): T[] {
  if (value === undefined || value === null) return []
  if (!Array.isArray(value) || value.length > queryLimits.entities) return wrong(what, `a list of at most ${queryLimits.entities}`)
  return value.map((one, index) => each(one, `${what}[${index}]`))
}

/** The caller must say what it may see. A missing value never means everything. */
function sightOf(sight: unknown): { all_teams: boolean; own_team_ids: string[]; hidden_team_ids: string[] } {
  if (sight === 'all') return { all_teams: true, own_team_ids: [], hidden_team_ids: [] }
  if (!isObject(sight) || !Array.isArray(sight.own) || !Array.isArray(sight.hidden))
    return wrong('sight', 'all, or the lists own and hidden')
  return { all_teams: false, own_team_ids: list(sight.own, 'sight.own', text), hidden_team_ids: list(sight.hidden, 'sight.hidden', text) }
}

const flag = (value: unknown, what: string): boolean => (typeof value === 'boolean' ? value : wrong(what, 'true or false'))

const MAX_TEXT = 200
/** The longest key that a signal may have. */
const MAX_KEY = 512
function textUpTo(most: number, value: unknown, what: string): string {
  return typeof value === 'string' && value.length <= most ? value : wrong(what, `at most ${most} characters`)
}
const text = (value: unknown, what: string): string => textUpTo(MAX_TEXT, value, what)

function oneOf<T extends string>(value: unknown, what: string, known: readonly T[]): T {
  return known.find((one) => one === value) ?? wrong(what, `one of ${known.join(', ')}`)
}

const sizes: readonly BucketSize[] = ['hour', 'day', 'week', 'month', 'all']
const limit = (value: unknown): number => whole(value, 'limit', 1, queryLimits.rows)

function range({ from, to }: Record<string, unknown>): { from: number; to: number } {
  const found = { from: instant(from, 'from'), to: instant(to, 'to') }
  if (found.from >= found.to) wrong('from', 'an instant before to')
  return found
}

function buckets(params: Record<string, unknown>): Buckets & { from: number; to: number } {
  const { from, to } = range(params)
  const zone = params.time_zone === undefined ? 'UTC' : text(params.time_zone, 'time_zone')
  return { from, to, ...bucketsOf(from, to, oneOf(params.bucket, 'bucket', sizes), zone) }
}

function entity(value: unknown, what: string): Required<Entity> {
  if (!isObject(value)) return wrong(what, 'an object')
  return {
    kind: oneOf(value.kind, `${what}.kind`, ['monitor', 'heartbeat']),
    id: uuid(value.id, `${what}.id`).toLowerCase(),
    created_at: instant(value.created_at, `${what}.created_at`),
    // An api of an older version does not say it.
    open: value.open === undefined ? true : flag(value.open, `${what}.open`),
    tags: list(value.tags, `${what}.tags`, text),
    group_id: value.group_id === undefined || value.group_id === null ? '' : text(value.group_id, `${what}.group_id`)
  }
}

const tables = {
  monitor: { transitions: 'monitor_transitions', key: 'monitor_id' },
  heartbeat: { transitions: 'heartbeat_transitions', key: 'heartbeat_id' }
} as const

/** The state changes of the entities: one statement for each kind among them. */
const lives = (entities: readonly Entity[], from: number, until: number): Part[] =>
  (['monitor', 'heartbeat'] as const).flatMap((kind): Part[] => {
    const ids = entities.filter((one) => one.kind === kind).map(({ id }) => id)
    return ids.length > 0 ? [['lives', { kind, ...tables[kind], ids, from, until }]] : []
  })

type Part = [name: StatementName, params: Params]

const rowsOf = <T>(text: string | undefined): T[] => (text === undefined ? [] : (JSON.parse(text) as T[]))

/**
 * Converts a page cursor to the parameters of its statement. Without a cursor, everything up to the
 * end of the range.
 */
function cursor<T extends string>(value: unknown, names: readonly T[], first: Record<T, unknown>): Record<T, unknown> {
  if (value === undefined || value === null) return first
  if (!isObject(value)) return wrong('before', 'the keys of a row')
  return Object.fromEntries(
    names.map((name) => [name, typeof first[name] === 'string' ? text(value[name], name) : whole(value[name], name)])
  ) as Record<T, unknown>
}

const DAY = 86_400_000
const MAX_CELLS = 200_000

/** A query that needs several statements. */
interface Composed {
  parts: readonly Part[]
  answer: Question['answer']
}

type Asked = Record<string, unknown>

/** Either one statement, whose rows are the answer, or several. */
type Builder = { topics: readonly TopicName[] } & (
  | { statement: StatementName; build(params: Asked, now: number): Params }
  | { compose(params: Asked, now: number): Composed }
)

const builders: { [N in QueryName]: Builder } = {
  checks_list: {
    topics: ['checks.results.v1', 'checks.captures.v1'],
    statement: 'checks_list',
    build(params) {
      const { from, to } = range(params)
      const before = cursor(params.before, ['checked_at', 'seq', 'region'], { checked_at: to, seq: 0, region: '' })
      return {
        monitor_id: uuid(params.monitor_id, 'monitor_id'),
        from,
        to,
        regions: list(params.regions, 'regions', text),
        outcomes: list(params.outcomes, 'outcomes', text),
        reasons: list(params.reasons, 'reasons', text),
        before_at: before.checked_at,
        before_seq: before.seq,
        before_region: before.region,
        limit: limit(params.limit)
      }
    }
  },
  check_capture: {
    topics: ['checks.captures.v1'],
    statement: 'check_capture',
    build: (params) => ({ monitor_id: uuid(params.monitor_id, 'monitor_id'), check_id: uuid(params.check_id, 'check_id') })
  },
  pings_list: {
    topics: ['heartbeat.pings.v1'],
    statement: 'pings_list',
    build(params) {
      const { from, to } = range(params)
      const before = cursor(params.before, ['received_at', 'n'], { received_at: to, n: 0 })
      return {
        heartbeat_id: uuid(params.heartbeat_id, 'heartbeat_id'),
        from,
        to,
        kinds: list(params.kinds, 'kinds', text),
        before_at: before.received_at,
        before_n: before.n,
        limit: limit(params.limit)
      }
    }
  },
  runs: {
    topics: ['heartbeat.pings.v1'],
    statement: 'runs',
    build: (params) => ({ heartbeat_id: uuid(params.heartbeat_id, 'heartbeat_id'), ...range(params) })
  },
  status_changes_list: {
    topics: ['monitor.transitions.v1', 'heartbeat.transitions.v1'],
    statement: 'status_changes_list',
    build(params) {
      const { from, to } = range(params)
      const before = cursor(params.before, ['at', 'ver'], { at: to, ver: 0 })
      return {
        kind: oneOf(params.kind, 'kind', ['monitor', 'heartbeat']),
        id: uuid(params.id, 'id'),
        from,
        to,
        before_at: before.at,
        before_ver: before.ver,
        limit: limit(params.limit)
      }
    }
  },
  uptime: {
    topics: ['monitor.transitions.v1', 'heartbeat.transitions.v1', 'maintenance.windows.v1', 'incident.events.v1', 'checks.results.v1'],
    compose(params, now) {
      const { from, to, edges, ends } = buckets(params)
      const entities = list(params.entities, 'entities', entity)
      if (edges.length * entities.length > MAX_CELLS) wrong('entities', `at most ${MAX_CELLS} buckets of all entities together`)
      const until = Math.max(from, Math.min(to, now))
      const ids = entities.map(({ id }) => id)
      // An api of an older version names no sight. Then no incident counts.
      const seen = params.sight === undefined ? { ids: [], ...sightOf('all') } : { ids, ...sightOf(params.sight) }
      const counts = stretchesOf({ edges, ends }, until, now).map((stretch): Part => ['counts', { ids, edges, begin: from, ...stretch }])
      return {
        parts: [['exclusions', { from, until }], ['openings', { ...seen, from, until, edges }], ...counts, ...lives(entities, from, until)],
        answer([exclusions, openings, ...more]) {
          const known = more.slice(counts.length)
          const facts = { exclusions: excludedBy(rowsOf<VersionRow>(exclusions)), lives: known.flatMap((one) => rowsOf<LifeRow>(one)) }
          const counted = {
            openings: rowsOf<OpeningRow>(openings),
            counts: more.slice(0, counts.length).flatMap((one) => rowsOf<CountRow>(one))
          }
          return JSON.stringify(uptimeRows(entities, { ...facts, ...counted }, { edges, ends }, until))
        }
      }
    }
  },
  uptime_summary: {
    topics: ['monitor.transitions.v1', 'heartbeat.transitions.v1', 'maintenance.windows.v1'],
    compose(params) {
      const until = whole(params.at, 'at', 30 * DAY, LAST_INSTANT)
      const from = until - 30 * DAY
      const entities = list(params.entities, 'entities', entity)
      return {
        parts: [['exclusions', { from, until }], ...lives(entities, from, until)],
        answer([exclusions, ...known]) {
          const facts = { exclusions: excludedBy(rowsOf<VersionRow>(exclusions)), lives: known.flatMap((one) => rowsOf<LifeRow>(one)) }
          return JSON.stringify(summaryRows(entities, facts, [from, until - 7 * DAY, until - DAY], until))
        }
      }
    }
  },
  latency: {
    topics: ['checks.results.v1'],
    statement: 'latency',
    build(params, now) {
      const { from, to, edges, ends } = buckets(params)
      const cells = cellsFor({ edges, ends }, now)
      return {
        monitor_ids: list(params.monitor_ids, 'monitor_ids', uuid),
        regions: list(params.regions, 'regions', text),
        cells_from: firstCell(from, cells),
        to,
        edges,
        ends,
        cells,
        by_region: params.by_region === true,
        by_monitor: params.by_monitor !== false,
        limit: queryLimits.figures + 1
      }
    }
  },
  latency_phases: {
    topics: ['checks.results.v1'],
    statement: 'latency_phases',
    build: (params) => ({
      ...range(params),
      monitor_ids: list(params.monitor_ids, 'monitor_ids', uuid),
      regions: list(params.regions, 'regions', text)
    })
  },
  incidents: {
    topics: ['incident.events.v1'],
    statement: 'incidents',
    build(params) {
      const { from, to, edges, ends } = buckets(params)
      return {
        from,
        to,
        edges,
        ends,
        severities: list(params.severities, 'severities', text),
        team_ids: list(params.team_ids, 'team_ids', text),
        source_kinds: list(params.source_kinds, 'source_kinds', text),
        monitor_ids: list(params.monitor_ids, 'monitor_ids', uuid),
        group_by: params.group_by === undefined ? 'none' : oneOf(params.group_by, 'group_by', ['none', 'severity', 'team', 'monitor']),
        ...sightOf(params.sight),
        limit: queryLimits.figures + 1
      }
    }
  },
  noise: {
    topics: ['incident.events.v1', 'alerts.inbound.v1'],
    statement: 'noise',
    build: (params) => ({ ...range(params), limit: limit(params.limit), ...sightOf(params.sight) })
  },
  integration_activity: {
    topics: ['alerts.inbound.v1', 'alerts.raw.v1'],
    statement: 'integration_activity',
    build(params) {
      const at = whole(params.at, 'at', 31 * DAY, LAST_INSTANT)
      return { integration_ids: list(params.integration_ids, 'integration_ids', uuid), since: at - 31 * DAY, day: at - DAY }
    }
  },
  alerts_list: {
    topics: ['alerts.inbound.v1'],
    statement: 'alerts_list',
    build(params) {
      const { from, to } = range(params)
      const before = cursor(params.before, ['received_at', 'n'], { received_at: to, n: 0 })
      return {
        integration_id: uuid(params.integration_id, 'integration_id'),
        dedup_key: textUpTo(MAX_KEY, params.dedup_key, 'dedup_key'),
        from,
        to,
        at: instant(params.at, 'at'),
        before_at: before.received_at,
        before_n: before.n,
        limit: limit(params.limit)
      }
    }
  },
  deliveries_list: {
    topics: ['alerts.raw.v1'],
    statement: 'deliveries_list',
    build(params) {
      const { from, to } = range(params)
      const before = cursor(params.before, ['received_at', 'n'], { received_at: to, n: 0 })
      return {
        integration_id: uuid(params.integration_id, 'integration_id'),
        from,
        to,
        outcomes: list(params.outcomes, 'outcomes', text),
        before_at: before.received_at,
        before_n: before.n,
        limit: limit(params.limit)
      }
    }
  },
  delivery_payload: {
    topics: ['alerts.raw.v1'],
    statement: 'delivery_payload',
    build: (params) => ({ integration_id: uuid(params.integration_id, 'integration_id'), raw_id: uuid(params.raw_id, 'raw_id') })
  }
}

/** Each name is a file of clickhouse/queries. */
export const statementNames = [
  'checks_list',
  'check_capture',
  'pings_list',
  'runs',
  'status_changes_list',
  'latency',
  'latency_phases',
  'incidents',
  'noise',
  'lives',
  'exclusions',
  'openings',
  'counts',
  'integration_activity',
  'alerts_list',
  'deliveries_list',
  'delivery_payload'
] as const

type StatementName = (typeof statementNames)[number]

const read = new Map<StatementName, string>()

/** Returns the text of a statement. The file is read once. */
export function statementOf(name: StatementName): string {
  const known = read.get(name)
  if (known !== undefined) return known
  const sql = readFileSync(join(projectRoot, 'clickhouse/queries', `${name}.sql`), 'utf8').replace(/^--.*\n/gm, '')
  read.set(name, sql)
  return sql
}

/**
 * `now`: epoch ms; time after it counts as nothing. Throws BadRequest, whose message says which
 * parameter was wrong and why.
 */
export function questionOf<N extends QueryName>(name: N, tenant_id: string, params: Queries[N]['params'], now: number): Question
export function questionOf(name: unknown, tenant_id: unknown, params: unknown, now: number): Question
export function questionOf(name: unknown, tenant_id: unknown, params: unknown, now: number): Question {
  const known = oneOf(name, 'name', queryNames)
  const tenant = uuid(tenant_id, 'tenant_id')
  if (!isObject(params)) return wrong('params', 'an object')
  const builder = builders[known]
  const { parts, answer }: Composed =
    'compose' in builder
      ? builder.compose(params, now)
      : { parts: [[builder.statement, builder.build(params, now)]], answer: ([rows = '[]']) => rows }
  const statements = parts.map(([part, given]) => ({ sql: statementOf(part), params: { ...given, tenant_id: tenant } }))
  return { statements, answer, topics: builder.topics }
}
