/**
 * Creates, changes, pauses, resumes and deletes heartbeats. Each change is one transaction: the row
 * with its next version, the version's entry, the audit entry, and the control record that tells
 * the heartbeat fold. Answers also show what the fold found.
 * Source: docs/design/api/heartbeats.md#s4.
 */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { envelope, Id, iso } from '../../../schemas/http/common.ts'
import {
  CreateHeartbeatBody,
  HeartbeatDetail,
  HeartbeatList,
  HeartbeatQuery,
  HeartbeatWithSchedule,
  MAX_EXCERPT_CHARS,
  PauseHeartbeatBody,
  pingMethods,
  UpdateHeartbeatBody
} from '../../../schemas/http/heartbeats.ts'
import { reduceHeartbeat } from '../../../streams/heartbeat/rules.ts'
import { nextExpected } from '../../../streams/heartbeat/schedule.ts'
import type { HeartbeatRow } from '../../../streams/heartbeat/state.ts'
import { isUnchanged } from '../../store/audit.ts'
import { closeWatched } from '../../store/close-watched.ts'
import { recordHeartbeat, settingsOf } from '../../store/heartbeat-record.ts'
import {
  countEntitledHeartbeats,
  countHeartbeats,
  deleteHeartbeat,
  freeSlug,
  type Heartbeat,
  type HeartbeatSettings,
  insertHeartbeat,
  listHeartbeats,
  lockHeartbeat,
  pauseHeartbeat,
  readHeartbeat,
  toHeartbeatConfig,
  updateHeartbeat
} from '../../store/heartbeats.ts'
import { cancelResume, notPaused, startResume, staysPaused } from '../../store/pauses.ts'
import { keyedTransaction, listTransaction, seeingAll } from '../../store/pool.ts'
import { retrying } from '../../store/row-moved.ts'
import { lockWorkspace } from '../../store/tenants.ts'
import { chosenPolicy, givenPolicy } from '../escalation/rules.ts'
import { type Caller, callerOf } from '../http/caller.ts'
import { on } from '../http/endpoint.ts'
import { notFound } from '../http/errors.ts'
import { pageOf } from '../http/paging.ts'
import { taken } from '../http/taken.ts'
import type { Services } from '../services.ts'
import { chosenTeam, givenTeam } from '../teams/rules.ts'
import { pauseOf } from '../watched/pausing.ts'
import { checkLimit } from '../workspace/limits.ts'
import { beforeNaming } from '../workspace/naming.ts'
import { changed, columnsOf, defaultGrace, scheduleOf, slugOf } from './rules.ts'

const SHOWN = 5

/** Returns the fold's state with the newest configuration, which the fold may not have read yet. */
function rowOf(heartbeat: Heartbeat): HeartbeatRow | null {
  const { state, ver, updated_at } = heartbeat
  if (state && state.config.version >= ver) return state
  return reduceHeartbeat(state, { input: 'config', config: toHeartbeatConfig(heartbeat, 0) }, updated_at).row
}

/**
 * Returns the next times after `now`. Those of a period count on from the expected ping, or from
 * `now` if none is expected.
 */
function nextTimes(heartbeat: Heartbeat, now: number): number[] {
  const schedule = scheduleOf(heartbeat)
  const expected_at = rowOf(heartbeat)?.expected_at ?? null
  return schedule.kind === 'period' && expected_at !== null && expected_at > now
    ? [expected_at, ...nextExpected(schedule, expected_at, SHOWN - 1)]
    : nextExpected(schedule, now, SHOWN)
}

/** A caller who may only read may not ping. */
const mayPing = (caller: Caller): boolean => caller.rights.has('write') || caller.rights.has('ingest')

const takenSlug = taken('heartbeats_slug', 'SLUG_TAKEN', 'slug', 'heartbeat')

const Params = Type.Object({ id: Id })

export const heartbeatRoutes =
  ({ pool, codec, config: { publicUrl } }: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    function toDetail(heartbeat: Heartbeat, caller: Caller): HeartbeatDetail {
      const { slug, ping_token, ping_key, paused_at } = heartbeat
      const told = mayPing(caller)
      const row = rowOf(heartbeat)
      return {
        id: heartbeat.heartbeat_id,
        tenant_id: heartbeat.tenant_id,
        status: row?.status ?? 'up',
        phase: row?.phase ?? 'waiting',
        name: heartbeat.name,
        slug,
        description: heartbeat.description,
        schedule: scheduleOf(heartbeat),
        grace_seconds: heartbeat.grace_seconds,
        max_run_seconds: heartbeat.max_run_seconds,
        min_run_seconds: heartbeat.min_run_seconds,
        fail_tolerance: heartbeat.fail_tolerance,
        recovery_pings: heartbeat.recovery_pings,
        allowed_methods: heartbeat.allowed_methods,
        body_rules: heartbeat.body_rules,
        body_excerpt_chars: heartbeat.body_excerpt_chars,
        tags: heartbeat.tags,
        labels: heartbeat.labels,
        severity: heartbeat.severity,
        team_id: heartbeat.team_id,
        escalation_policy_id: heartbeat.escalation_policy_id,
        channel_ids: heartbeat.channel_ids,
        ping_token: told ? ping_token : null,
        ping_url: told ? `${publicUrl}/api/v1/ping/${ping_token}` : null,
        ping_url_by_slug: told && slug !== null ? `${publicUrl}/api/v1/ping/k/${ping_key}/${slug}` : null,
        last_ping_at: iso(row?.last_ping_at ?? null),
        next_expected_at: iso(row?.expected_at ?? null),
        deadline_at: iso(row?.deadline_at ?? null),
        started_at: iso(row?.started_at ?? null),
        last_run_seconds: row?.last_run_seconds ?? null,
        missed_count: row?.missed_count ?? 0,
        missed_since: row?.status === 'missed' && heartbeat.open_incident_id !== null ? iso(heartbeat.open_since) : null,
        open_incident_id: heartbeat.open_incident_id,
        paused_at: iso(paused_at),
        paused_by: heartbeat.paused_by,
        pause_reason: heartbeat.pause_reason,
        pause_comment: heartbeat.pause_comment,
        resume_at: iso(heartbeat.resume_at),
        unpause_on_ping: heartbeat.unpause_on_ping,
        created_at: iso(heartbeat.created_at),
        updated_at: iso(heartbeat.updated_at),
        version: heartbeat.ver
      }
    }

    const withSchedule = (heartbeat: Heartbeat, caller: Caller, now = heartbeat.updated_at) => ({
      ...toDetail(heartbeat, caller),
      next_expected: nextTimes(heartbeat, now).map((at) => iso(at))
    })

    app.route({
      ...on('listHeartbeats', { querystring: HeartbeatQuery, response: { 200: HeartbeatList } }),
      handler: async (request) => {
        const caller = callerOf(request)
        const { tenant_id } = caller
        const { sort = ['name'], page: _page, per_page: _per_page, ...filter } = request.query
        const page = pageOf(request.query)
        const { items, total } = await listTransaction(pool, callerOf(request), (tx) =>
          listHeartbeats(tx, tenant_id, filter, { ...page, sort })
        )
        return envelope(
          items.map((item) => toDetail(item, caller)),
          total,
          page
        )
      }
    })

    app.route({
      ...on('createHeartbeat', { body: CreateHeartbeatBody, response: { 201: HeartbeatWithSchedule } }),
      handler: async (request, reply) => {
        const caller = callerOf(request)
        const { tenant_id, actor } = caller
        const { body } = request
        const schedule = columnsOf(body.schedule)
        const fresh: HeartbeatSettings = {
          ...schedule,
          name: body.name,
          slug: body.slug ?? null,
          description: '',
          grace_seconds: defaultGrace(schedule),
          max_run_seconds: null,
          min_run_seconds: null,
          fail_tolerance: 0,
          recovery_pings: 1,
          allowed_methods: [...pingMethods],
          body_rules: {},
          body_excerpt_chars: MAX_EXCERPT_CHARS,
          tags: [],
          labels: {},
          severity: 'critical',
          team_id: null,
          escalation_policy_id: null
        }
        const settings = changed(fresh, body)
        const heartbeat = await keyedTransaction(pool, callerOf(request), async (tx) => {
          await checkLimit(tx, tenant_id, 'heartbeats', countHeartbeats)
          const slug = body.slug ?? (await seeingAll(tx, (tx) => freeSlug(tx, tenant_id, slugOf(body.name))))
          const created = await insertHeartbeat(tx, tenant_id, {
            ...settings,
            slug,
            team_id: await chosenTeam(tx, caller, 'team_id', body.team_id ?? null),
            escalation_policy_id: await chosenPolicy(tx, caller, body.escalation_policy_id ?? null),
            grace_seconds: body.grace_seconds ?? defaultGrace(schedule)
          })
          await recordHeartbeat(tx, codec, actor, 'heartbeat.created', null, created)
          return created
        }).catch(takenSlug)
        return reply.code(201).header('etag', `"${heartbeat.ver}"`).send(withSchedule(heartbeat, caller))
      }
    })

    app.route({
      ...on('readHeartbeat', { params: Params, response: { 200: HeartbeatWithSchedule } }),
      handler: async (request, reply) => {
        const caller = callerOf(request)
        const { tenant_id } = caller
        const heartbeat = await keyedTransaction(pool, callerOf(request), (tx) => readHeartbeat(tx, tenant_id, request.params.id))
        if (!heartbeat) throw notFound()
        return reply.header('etag', `"${heartbeat.ver}"`).send(withSchedule(heartbeat, caller, Date.now()))
      }
    })

    app.route({
      ...on('updateHeartbeat', { params: Params, body: UpdateHeartbeatBody, response: { 200: HeartbeatWithSchedule } }),
      handler: async (request, reply) => {
        const caller = callerOf(request)
        const { tenant_id, actor } = caller
        const { keep_phase = false } = request.body
        let isSame = false
        const heartbeat = await keyedTransaction(pool, callerOf(request), async (tx) => {
          await beforeNaming(tx, tenant_id, request.body)
          const before = await lockHeartbeat(tx, tenant_id, request.params.id)
          if (!before) throw notFound()
          const team_id = await givenTeam(tx, caller, before.team_id, request.body.team_id)
          const escalation_policy_id = await givenPolicy(tx, caller, before.escalation_policy_id, request.body.escalation_policy_id)
          const settings = { ...changed(before, request.body), team_id, escalation_policy_id }
          isSame = isUnchanged(settingsOf(before), settings)
          if (isSame) return before
          const after = await updateHeartbeat(tx, tenant_id, before.heartbeat_id, settings, keep_phase)
          await recordHeartbeat(tx, codec, actor, 'heartbeat.updated', before, after)
          return after
        }).catch(takenSlug)
        const shown = isSame ? withSchedule(heartbeat, caller, Date.now()) : withSchedule(heartbeat, caller)
        return reply.header('etag', `"${heartbeat.ver}"`).send(shown)
      }
    })

    app.route({
      ...on('deleteHeartbeat', { params: Params, response: { 204: Type.Null() } }),
      handler: async (request, reply) => {
        const { tenant_id, actor } = callerOf(request)
        await retrying(() =>
          keyedTransaction(pool, callerOf(request), async (tx) => {
            const before = await lockHeartbeat(tx, tenant_id, request.params.id)
            if (!before) throw notFound()
            const { heartbeat_id: id, resume_at } = before
            const gone = await deleteHeartbeat(tx, tenant_id, id)
            await recordHeartbeat(tx, codec, actor, 'heartbeat.deleted', before, gone)
            await cancelResume(tx, 'heartbeat', tenant_id, id, resume_at)
            await closeWatched(tx, codec, tenant_id, { kind: 'heartbeat', id }, 'deleted', actor)
          })
        )
        return reply.code(204).send(null)
      }
    })

    app.route({
      ...on('pauseHeartbeat', { params: Params, body: PauseHeartbeatBody, response: { 200: HeartbeatDetail } }),
      handler: async (request, reply) => {
        const caller = callerOf(request)
        const { tenant_id, actor } = caller
        const pause = pauseOf(request.body, actor)
        const { resolve_open } = pause
        const { unpause_on_ping = false } = request.body
        const heartbeat = await retrying(() =>
          keyedTransaction(pool, callerOf(request), async (tx) => {
            const before = await lockHeartbeat(tx, tenant_id, request.params.id)
            if (!before) throw notFound()
            if (staysPaused(before)) return before
            const id = before.heartbeat_id
            const after = await pauseHeartbeat(tx, tenant_id, id, pause, unpause_on_ping)
            await recordHeartbeat(tx, codec, actor, 'heartbeat.paused', before, after)
            await startResume(tx, 'heartbeat', tenant_id, id, pause.resume_at)
            await closeWatched(tx, codec, tenant_id, { kind: 'heartbeat', id }, 'paused', actor, resolve_open)
            return resolve_open ? { ...after, open_incident_id: null } : after
          })
        )
        return reply.header('etag', `"${heartbeat.ver}"`).send(toDetail(heartbeat, caller))
      }
    })

    app.route({
      ...on('resumeHeartbeat', { params: Params, response: { 200: HeartbeatDetail } }),
      handler: async (request, reply) => {
        const caller = callerOf(request)
        const { tenant_id, actor } = caller
        const heartbeat = await keyedTransaction(pool, callerOf(request), async (tx) => {
          // Checking the limit locks the workspace, which comes before what is watched.
          await lockWorkspace(tx, tenant_id)
          const before = await lockHeartbeat(tx, tenant_id, request.params.id)
          if (!before) throw notFound()
          if (before.paused_at === null) return before
          // A heartbeat that the plan has paused stays paused while the plan is full.
          if (before.pause_reason === 'entitlement') await checkLimit(tx, tenant_id, 'heartbeats', countEntitledHeartbeats)
          const { heartbeat_id: id, resume_at } = before
          const after = await pauseHeartbeat(tx, tenant_id, id, notPaused)
          await recordHeartbeat(tx, codec, actor, 'heartbeat.resumed', before, after)
          await cancelResume(tx, 'heartbeat', tenant_id, id, resume_at)
          return after
        })
        return reply.header('etag', `"${heartbeat.ver}"`).send(toDetail(heartbeat, caller))
      }
    })
  }
