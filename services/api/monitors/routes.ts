/**
 * Monitors: listed, made, changed, deleted; monitor-actions.ts has the rest. Each change is one
 * transaction: the row with its next version, the version's entry, the audit entry and the control
 * record by which the status fold learns of it; probers learn of it from the row. What the fold
 * found is shown beside it.
 * Source: docs/design/specification.md#s2-3 and #s4; docs/design/api/monitors.md#s3.
 */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { type CheckConfig, defaultRetry } from '../../../schemas/http/check-config.ts'
import { PUSHED } from '../../../schemas/http/check-type.ts'
import { checkTypes } from '../../../schemas/http/check-types/index.ts'
import { envelope, Id, iso } from '../../../schemas/http/common.ts'
import {
  CreatedMonitor,
  CreateMonitorBody,
  defaultConfirmation,
  defaultFlap,
  MonitorDetail,
  MonitorList,
  MonitorQuery,
  UpdateMonitorBody
} from '../../../schemas/http/monitors.ts'
import { planOf } from '../../../schemas/plans.ts'
import { uuidv7 } from '../../../schemas/uuid.ts'
import { nextSlot, slotOffset } from '../../checks/slots.ts'
import { sealForTenant } from '../../credentials/sealing.ts'
import { createAddressGuard } from '../../http/address-guard.ts'
import { closeWatched } from '../../store/close-watched.ts'
import { lookAtDependent } from '../../store/dependencies.ts'
import { recordMonitor, settingsOf } from '../../store/monitor-record.ts'
import {
  countMonitors,
  deleteMonitor,
  insertMonitor,
  listMonitors,
  lockMonitor,
  type Monitor,
  type MonitorSettings,
  readMonitor,
  updateMonitor
} from '../../store/monitors.ts'
import { cancelResume } from '../../store/pauses.ts'
import { tenantTransaction } from '../../store/pool.ts'
import { keepLocations } from '../../store/private-locations.ts'
import { type Region, readRegions } from '../../store/regions.ts'
import { lockWorkspace, readWorkspace } from '../../store/tenants.ts'
import { chosenPolicy, givenPolicy } from '../escalation/rules.ts'
import { callerOf } from '../http/caller.ts'
import { on } from '../http/endpoint.ts'
import { ApiError, invalid, notFound } from '../http/errors.ts'
import { pageOf } from '../http/paging.ts'
import { taken } from '../http/taken.ts'
import { retrying } from '../incidents/commands.ts'
import { labelsOf } from '../incidents/query.ts'
import type { Services } from '../services.ts'
import { chosenTeam, givenTeam } from '../teams/rules.ts'
import { checkLimit } from '../workspace/limits.ts'
import { checkNow } from './check-now.ts'
import { changedConfig, checkKept } from './config-rules.ts'
import { toDetail } from './detail.ts'
import { chosenParents } from './parents.ts'
import { checkPlan, checkSettings, storableDeep, typeOf, votersOf } from './rules.ts'
import { checkReached, checkTarget, guardFor, targetOf } from './target-rules.ts'
import { shownMonitor, UNKNOWN, type Uptimes } from './uptimes.ts'

const DEFAULT_INTERVAL_SECONDS = 60
const DEFAULT_TIMEOUT_SECONDS = 10
const DEFAULT_TLS_DAYS = [30, 14, 7, 3, 1]

/**
 * What `body` says over what was there; `config` is changedConfig's business, the target's two
 * names are targetOf's.
 */
function changed(before: MonitorSettings, body: UpdateMonitorBody, target: string, config: CheckConfig): MonitorSettings {
  const { type: _type, url: _url, confirmation, retry, flap, ...fields } = body
  return storableDeep({
    ...before,
    ...fields,
    target,
    config,
    confirmation: { ...defaultConfirmation, ...before.confirmation, ...confirmation },
    retry: { ...before.retry, ...retry },
    flap: { ...defaultFlap, ...before.flap, ...flap }
  })
}

const takenName = taken('monitors_name', 'NAME_TAKEN', 'name', 'monitor')

const Params = Type.Object({ id: Id })

export const monitorRoutes =
  ({ pool, codec, config: { secretsKey, proberAllowCidrs } }: Services, uptimes: Uptimes): FastifyPluginAsyncTypebox =>
  async (app) => {
    const guard = createAddressGuard({ open: proberAllowCidrs, closed: [], own: [] })

    const sealer =
      (tenant_id: string, monitor_id: string) =>
      (plain: string, field: string): string => {
        if (secretsKey === '')
          throw new ApiError('UNAVAILABLE', 'This service keeps no secrets: its operator has to set SERVICE_SECRETS_KEY')
        return sealForTenant(secretsKey, { tenant_id, resource: `monitor:${monitor_id}`, field }, plain)
      }

    /**
     * Configured regions stay assigned as they are unless they changed; those that the service
     * picks stay until they are none.
     */
    function assigned(before: Monitor, settings: MonitorSettings, regions: readonly Region[]): string[] {
      const same = JSON.stringify(before.regions) === JSON.stringify(settings.regions)
      if (same && before.assigned_regions.length > 0) return before.assigned_regions
      return votersOf({ ...before, regions: settings.regions }, planOf(before.plan), regions)
    }

    app.route({
      ...on('listMonitors', { querystring: MonitorQuery, response: { 200: MonitorList } }),
      handler: async (request) => {
        const { tenant_id } = callerOf(request)
        const { sort = ['name'], page: _page, per_page: _per_page, ...filter } = request.query
        const page = pageOf(request.query)
        const wanted = { ...filter, labels: labelsOf(request.query) }
        const { items, total, regions } = await tenantTransaction(pool, callerOf(request), async (tx) => ({
          ...(await listMonitors(tx, tenant_id, wanted, { ...page, sort })),
          regions: await readRegions(tx)
        }))
        const entities = items.map(({ monitor_id: id, created_at, tags }) => ({ kind: 'monitor' as const, id, created_at, tags }))
        const found = await uptimes(tenant_id, entities)
        const now = Date.now()
        return envelope(
          items.map((item) => toDetail(item, regions, found.get(item.monitor_id) ?? UNKNOWN, now)),
          total,
          page
        )
      }
    })

    app.route({
      ...on('createMonitor', { body: CreateMonitorBody, response: { 201: CreatedMonitor } }),
      handler: async (request, reply) => {
        const { tenant_id, actor } = callerOf(request)
        const { body } = request
        const type = typeOf(body.type)
        const target = targetOf(type, body)
        if (target === undefined) throw invalid('target', 'required', 'is required')
        const reached = guardFor(body.regions ?? [], guard)
        await checkTarget(type, target, reached)
        const monitor_id = uuidv7()
        const { config } = changedConfig({ type, target }, {}, body.config ?? {}, sealer(tenant_id, monitor_id))
        await checkReached(type, config, reached)
        const created = await tenantTransaction(pool, callerOf(request), async (tx) => {
          await checkLimit(tx, tenant_id, 'monitors', countMonitors)
          const workspace = await readWorkspace(tx, tenant_id)
          if (!workspace) throw notFound()
          const plan = planOf(workspace.plan)
          const { usual = {} } = checkTypes[type]
          const shortest = usual.interval_seconds ?? DEFAULT_INTERVAL_SECONDS
          const interval_seconds = body.interval_seconds ?? Math.max(shortest, plan.limits.min_interval_seconds ?? 0)
          const rounds = usual.rounds ?? defaultConfirmation.rounds
          const fresh: MonitorSettings = {
            name: body.name,
            description: '',
            target,
            config,
            assertions: [],
            interval_seconds,
            down_interval_seconds: null,
            timeout_seconds: Math.min(DEFAULT_TIMEOUT_SECONDS, interval_seconds - 1),
            degraded_after_ms: null,
            regions: [],
            confirmation: { ...defaultConfirmation, rounds, recovery_rounds: rounds },
            retry: defaultRetry,
            flap: defaultFlap,
            tags: [],
            labels: {},
            severity_down: 'critical',
            severity_degraded: 'warning',
            open_on_degraded: false,
            tls_expiry_days: DEFAULT_TLS_DAYS,
            repeat_interval_seconds: null,
            team_id: null,
            escalation_policy_id: null,
            depends_on: [],
            dependency_hold_seconds: null
          }
          const team_id = await chosenTeam(tx, callerOf(request), 'team_id', body.team_id ?? null)
          const escalation_policy_id = await chosenPolicy(tx, callerOf(request), body.escalation_policy_id ?? null)
          const depends_on = await chosenParents(tx, tenant_id, { monitor_id, depends_on: [], parents: [] }, body.depends_on)
          const settings = { ...changed(fresh, body, target, config), team_id, escalation_policy_id, depends_on }
          checkSettings(type, settings)
          await keepLocations(tx, tenant_id, settings.regions)
          const regions = await readRegions(tx)
          checkPlan(settings, plan, regions)
          const assigned_regions = votersOf({ type, monitor_id, regions: settings.regions }, plan, regions)
          const monitor = await insertMonitor(tx, tenant_id, { monitor_id, type, assigned_regions, settings })
          await recordMonitor(tx, codec, actor, 'monitor.created', null, monitor)
          await checkNow(tx, tenant_id, monitor, regions, { count: true })
          return { monitor, regions }
        }).catch(takenName)
        const { monitor, regions } = created
        const intervalMs = monitor.interval_seconds * 1000
        const next =
          monitor.assigned_regions.length === 0 || type === PUSHED
            ? null
            : nextSlot(Date.now(), intervalMs, slotOffset(monitor_id, intervalMs))
        return reply
          .code(201)
          .header('etag', `"${monitor.ver}"`)
          .send({ ...toDetail(monitor, regions, UNKNOWN, Date.now()), next_check_at: iso(next) })
      }
    })

    app.route({
      ...on('readMonitor', { params: Params, response: { 200: MonitorDetail } }),
      handler: async (request, reply) => {
        const { tenant_id } = callerOf(request)
        const { monitor, regions } = await tenantTransaction(pool, callerOf(request), async (tx) => ({
          monitor: await readMonitor(tx, tenant_id, request.params.id),
          regions: await readRegions(tx)
        }))
        if (!monitor) throw notFound()
        return reply.header('etag', `"${monitor.ver}"`).send(await shownMonitor(uptimes, monitor, regions))
      }
    })

    app.route({
      ...on('updateMonitor', { params: Params, body: UpdateMonitorBody, response: { 200: MonitorDetail } }),
      handler: async (request, reply) => {
        const { tenant_id, actor } = callerOf(request)
        const { body } = request
        const { monitor, regions } = await tenantTransaction(pool, callerOf(request), async (tx) => {
          // Locked in one order: two changes together must make no cycle.
          if (body.depends_on !== undefined) await lockWorkspace(tx, tenant_id)
          const before = await lockMonitor(tx, tenant_id, request.params.id)
          if (!before) throw notFound()
          if (body.type !== undefined && typeOf(body.type) !== before.type) throw invalid('type', 'immutable', 'is fixed at creation')
          const { type } = before
          const target = targetOf(type, body) ?? before.target
          // What locations alone may reach is judged again when a region of everybody comes.
          const reached = guardFor(body.regions ?? before.regions, guard)
          if (target !== before.target || reached !== guardFor(before.regions, guard)) await checkTarget(type, target, reached)
          const { config, kept } = changedConfig({ type, target }, before.config, body.config ?? {}, sealer(tenant_id, before.monitor_id))
          await checkReached(type, config, reached)
          checkKept(before, { type, target, config }, kept)
          const team_id = await givenTeam(tx, callerOf(request), before.team_id, body.team_id)
          const escalation_policy_id = await givenPolicy(tx, callerOf(request), before.escalation_policy_id, body.escalation_policy_id)
          const depends_on = await chosenParents(tx, tenant_id, before, body.depends_on)
          const settings = { ...changed(settingsOf(before), body, target, config), team_id, escalation_policy_id, depends_on }
          checkSettings(type, settings)
          await keepLocations(tx, tenant_id, settings.regions)
          const regions = await readRegions(tx)
          // What the plan does not allow any more stays as it was; only a change is measured.
          const wanted = {
            ...settings,
            regions: JSON.stringify(settings.regions) === JSON.stringify(before.regions) ? [] : settings.regions,
            interval_seconds: settings.interval_seconds === before.interval_seconds ? Infinity : settings.interval_seconds,
            down_interval_seconds: settings.down_interval_seconds === before.down_interval_seconds ? null : settings.down_interval_seconds
          }
          checkPlan(wanted, planOf(before.plan), regions)
          const monitor = await updateMonitor(tx, tenant_id, before.monitor_id, settings, assigned(before, settings, regions))
          await recordMonitor(tx, codec, actor, 'monitor.updated', before, monitor)
          if (body.depends_on !== undefined) await lookAtDependent(tx, tenant_id, monitor)
          return { monitor, regions }
        }).catch(takenName)
        return reply.header('etag', `"${monitor.ver}"`).send(await shownMonitor(uptimes, monitor, regions))
      }
    })

    app.route({
      ...on('deleteMonitor', { params: Params, response: { 204: Type.Null() } }),
      handler: async (request, reply) => {
        const { tenant_id, actor } = callerOf(request)
        await retrying(() =>
          tenantTransaction(pool, callerOf(request), async (tx) => {
            const before = await lockMonitor(tx, tenant_id, request.params.id)
            if (!before) throw notFound()
            const { monitor_id: id, resume_at } = before
            const gone = await deleteMonitor(tx, tenant_id, id)
            await recordMonitor(tx, codec, actor, 'monitor.deleted', before, gone)
            await cancelResume(tx, 'monitor', tenant_id, id, resume_at)
            await closeWatched(tx, codec, tenant_id, { kind: 'monitor', id }, 'deleted', actor)
          })
        )
        return reply.code(204).send(null)
      }
    })
  }
