/**
 * Says who is on call, now or at another instant, and where nobody is.
 * Source: docs/design/api/on-call.md#oc-10 and #oc-17.
 */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { iso } from '../../../schemas/http/common.ts'
import { Coverage, CoverageQuery, NowAnswer, type NowItem, NowQuery } from '../../../schemas/http/on-call.ts'
import { MAX_COVERAGE_DAYS } from '../../../schemas/http/on-call-words.ts'
import { policiesAsking } from '../../store/escalation-policies.ts'
import { membersAmong } from '../../store/members.ts'
import { onCallAt } from '../../store/on-call.ts'
import { type Tx, tenantTransaction } from '../../store/pool.ts'
import { loadPlans, timelineOf } from '../../store/schedule-plans.ts'
import { lastVersions, readSchedule, type Schedule, schedulesAt } from '../../store/schedules.ts'
import { type Caller, callerOf } from '../http/caller.ts'
import { on } from '../http/endpoint.ts'
import { notFound } from '../http/errors.ts'
import type { Services } from '../services.ts'
import { reachOf } from './reachability.ts'
import { instantNear, spanAhead } from './spans.ts'

const MAX_SCHEDULES = 200
const MAX_LINES = 500
/** The most policies that are named for a schedule. */
const MAX_POLICIES = 20
const DEFAULT_COVERAGE_DAYS = 28

async function asked(tx: Tx, { tenant_id }: Caller, { schedule_id, team_id }: { schedule_id?: string; team_id?: string }, at: number) {
  if (schedule_id === undefined) return schedulesAt(tx, tenant_id, { team_id: team_id?.toLowerCase(), at, most: MAX_SCHEDULES })
  const schedule = await readSchedule(tx, tenant_id, schedule_id.toLowerCase())
  if (!schedule || (schedule.deleted_at !== null && schedule.deleted_at <= at)) throw notFound()
  return [schedule]
}

async function itemsAt(tx: Tx, tenant_id: string, schedules: readonly Schedule[], at: number): Promise<NowItem[]> {
  const found = await onCallAt(
    tx,
    tenant_id,
    schedules.map(({ schedule_id }) => schedule_id),
    at
  )
  const ids = [...found.values()].flatMap(({ user_ids, next }) => [...user_ids, ...(next?.user_ids ?? [])])
  const people = await membersAmong(tx, tenant_id, ids)
  const reach = await reachOf(tx, tenant_id, ids)
  const asking = await policiesAsking(
    tx,
    tenant_id,
    schedules.map(({ schedule_id }) => schedule_id)
  )
  // A person who was on call and has left since is known only by their id.
  const named = (some: readonly string[]) => some.map((id) => ({ id, name: people.get(id)?.name ?? '' }))
  return schedules.flatMap(({ schedule_id, name, team_id }) => {
    const answer = found.get(schedule_id)
    if (!answer) return []
    const { user_ids, origin, layer, until, next, schedule_version, tzdb, fallback = null } = answer
    const users = named(user_ids).map((one) => {
      const { methods } = reach(one.id, team_id)
      return { ...one, reachable: methods.length > 0, methods }
    })
    const policies = asking
      .filter((one) => one.schedule_id === schedule_id)
      .slice(0, MAX_POLICIES)
      .map(({ policy_id, name, level }) => ({ policy_id, name, level }))
    return [
      {
        ...{ schedule_id, name, team_id, users, policies, origin, layer, fallback, until: iso(until) },
        ...{ next: next && { users: named(next.user_ids), from: iso(next.from) }, schedule_version, tzdb }
      }
    ]
  })
}

async function coverage(tx: Tx, tenant_id: string, schedules: readonly Schedule[], from: number, to: number): Promise<Coverage> {
  const ids = schedules.map(({ schedule_id }) => schedule_id)
  const plans = await loadPlans(tx, tenant_id, ids, { from, to })
  const versions = await lastVersions(tx, tenant_id, ids)
  const report: Coverage = { gaps: [], single_points: [], unreachable: [], warnings: [] }
  const onCall: { schedule_id: string; team_id: string | null; user_id: string }[] = []
  for (const { schedule_id, team_id } of schedules) {
    const [plan, version] = [plans.get(schedule_id), versions.get(schedule_id)]
    if (!plan || !version) continue
    const people = new Set<string>()
    for (const { starts_at, ends_at, user_ids, fallback } of timelineOf(plan, from, to)) {
      const stretch = { schedule_id, starts_at: iso(starts_at), ends_at: iso(ends_at) }
      if (fallback !== null) report.gaps.push({ ...stretch, fallback })
      else if (user_ids.length < version.definition.min_participants)
        report.warnings.push({ ...stretch, code: 'too_few', people: user_ids.length })
      if (fallback === null) for (const id of user_ids) people.add(id)
    }
    onCall.push(...[...people].map((user_id) => ({ schedule_id, team_id, user_id })))
    const [only] = people
    if (only !== undefined && people.size === 1) report.single_points.push({ schedule_id, user_id: only })
  }
  const reach = await reachOf(
    tx,
    tenant_id,
    onCall.map(({ user_id }) => user_id)
  )
  for (const { schedule_id, team_id, user_id } of onCall) {
    const { reason } = reach(user_id, team_id)
    if (reason !== null && report.unreachable.length < MAX_LINES) report.unreachable.push({ schedule_id, user_id, reason })
  }
  return { ...report, gaps: report.gaps.slice(0, MAX_LINES), warnings: report.warnings.slice(0, MAX_LINES) }
}

export const onCallNowRoutes =
  ({ pool }: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.route({
      ...on('readOnCall', { querystring: NowQuery, response: { 200: NowAnswer } }),
      handler: (request) => {
        const caller = callerOf(request)
        const now = Date.now()
        const { at: given, as_of } = request.query
        const at = given !== undefined ? instantNear('at', given, now) : as_of !== undefined ? instantNear('as_of', as_of, now) : now
        return tenantTransaction(pool, caller, async (tx) => ({
          at: iso(at),
          items: await itemsAt(tx, caller.tenant_id, await asked(tx, caller, request.query, at), at)
        }))
      }
    })

    app.route({
      ...on('readCoverage', { querystring: CoverageQuery, response: { 200: Coverage } }),
      handler: (request) => {
        const caller = callerOf(request)
        const now = Date.now()
        const { from, to } = spanAhead(request.query, now, { default_days: DEFAULT_COVERAGE_DAYS, most_days: MAX_COVERAGE_DAYS })
        return tenantTransaction(pool, caller, async (tx) =>
          coverage(tx, caller.tenant_id, await asked(tx, caller, request.query, now), from, to)
        )
      }
    })
  }
