/**
 * Works out the monitor that a request describes, before anything is written: first the target and
 * the settings of its type, then what people set over the existing settings, judged as a whole. A
 * new monitor, a change, a trial and an import are all settled here.
 * Source: docs/design/api/monitors.md#s3-1, #mo-2, #mo-4 and #mo-9.
 */
import { type CheckConfig, defaultRetry } from '../../../schemas/http/check-config.ts'
import { checkTypes } from '../../../schemas/http/check-types/index.ts'
import {
  type CreateMonitorBody,
  defaultConfirmation,
  defaultFlap,
  type MonitorType,
  type UpdateMonitorBody
} from '../../../schemas/http/monitors.ts'
import { planOf } from '../../../schemas/plans.ts'
import { sealForTenant } from '../../credentials/sealing.ts'
import { createAddressGuard } from '../../http/address-guard.ts'
import { settingsOf } from '../../store/monitor-record.ts'
import type { Monitor, MonitorSettings } from '../../store/monitors.ts'
import type { Tx } from '../../store/pool.ts'
import { keepLocations } from '../../store/private-locations.ts'
import { type Region, readRegions } from '../../store/regions.ts'
import { storableDeep } from '../../store/storable.ts'
import { readWorkspace } from '../../store/tenants.ts'
import { chosenPolicy, givenPolicy } from '../escalation/rules.ts'
import type { Caller } from '../http/caller.ts'
import { ApiError, invalid, notFound } from '../http/errors.ts'
import type { Services } from '../services.ts'
import { chosenTeam, givenTeam } from '../teams/rules.ts'
import { changedConfig, checkKept } from './config-rules.ts'
import { chosenGroup } from './group-choice.ts'
import { chosenParents } from './parents.ts'
import { checkPlan, checkSettings, typeOf, votersOf } from './rules.ts'
import { checkReached, checkTarget, guardFor, targetOf } from './target-rules.ts'

const DEFAULT_INTERVAL_SECONDS = 60
const DEFAULT_TIMEOUT_SECONDS = 10
const DEFAULT_TLS_DAYS = [30, 14, 7, 3, 1]

/** What is checked, and how. Its secrets are sealed for `monitor_id`. */
export interface Aim {
  monitor_id: string
  type: MonitorType
  target: string
  config: CheckConfig
}

export interface Settled {
  settings: MonitorSettings
  /** Regions that check it and vote. */
  assigned_regions: string[]
  /** All there are. */
  regions: Region[]
}

export interface Definitions {
  /** Works out the aim without asking the store. Throws VALIDATION_FAILED. */
  aimOf(
    tenant_id: string,
    monitor_id: string,
    body: Pick<CreateMonitorBody, 'type' | 'target' | 'url' | 'config' | 'regions'>
  ): Promise<Aim>
  /** Settles a new monitor. Throws VALIDATION_FAILED and TIER_LIMIT_EXCEEDED. */
  settle(tx: Tx, caller: Caller, aim: Aim, body: Omit<CreateMonitorBody, 'type'>): Promise<Settled>
  /**
   * Settles a change. `before` must be locked, unless nothing will be written. `tried_in`: region
   * that is to try it once. Throws like settle.
   */
  settleChange(tx: Tx, caller: Caller, before: Monitor, body: UpdateMonitorBody, tried_in?: string): Promise<Settled>
}

/**
 * Puts `body` over the existing settings. changedConfig decides `config`, and targetOf decides the
 * target with its two names.
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

/** The default settings of a new monitor. */
function freshSettings({ type, target, config }: Aim, name: string, minInterval: number, interval: number | undefined): MonitorSettings {
  const { usual = {} } = checkTypes[type]
  const shortest = usual.interval_seconds ?? DEFAULT_INTERVAL_SECONDS
  const interval_seconds = interval ?? Math.max(shortest, minInterval)
  const rounds = usual.rounds ?? defaultConfirmation.rounds
  return {
    name,
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
    group_id: null,
    depends_on: [],
    dependency_hold_seconds: null
  }
}

const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

/**
 * Returns the assigned regions. They stay as they are, unless the configured regions changed or no
 * region is assigned.
 */
function assigned(before: Monitor, settings: MonitorSettings, regions: readonly Region[]): string[] {
  if (same(before.regions, settings.regions) && before.assigned_regions.length > 0) return before.assigned_regions
  return votersOf({ ...before, regions: settings.regions }, planOf(before.plan), regions)
}

export function createDefinitions({ config: { secretsKey, proberAllowCidrs } }: Pick<Services, 'config'>): Definitions {
  const guard = createAddressGuard({ open: proberAllowCidrs, closed: [], own: [] })

  const sealer =
    (tenant_id: string, monitor_id: string) =>
    (plain: string, field: string): string => {
      if (secretsKey === '')
        throw new ApiError('UNAVAILABLE', 'This service cannot store secrets. Its operator must set SERVICE_SECRETS_KEY')
      return sealForTenant(secretsKey, { tenant_id, resource: `monitor:${monitor_id}`, field }, plain)
    }

  return {
    async aimOf(tenant_id, monitor_id, body) {
      const type = typeOf(body.type)
      const target = targetOf(type, body)
      if (target === undefined) throw invalid('target', 'required', 'is required')
      const reached = guardFor(body.regions ?? [], guard)
      await checkTarget(type, target, reached)
      const { config } = changedConfig({ type, target }, {}, body.config ?? {}, sealer(tenant_id, monitor_id))
      await checkReached(type, config, reached)
      return { monitor_id, type, target, config }
    },

    async settle(tx, caller, aim, body) {
      const { tenant_id } = caller
      const { monitor_id, type, target, config } = aim
      const workspace = await readWorkspace(tx, tenant_id)
      if (!workspace) throw notFound()
      const plan = planOf(workspace.plan)
      const fresh = freshSettings(aim, body.name, plan.limits.min_interval_seconds ?? 0, body.interval_seconds)
      const team_id = await chosenTeam(tx, caller, 'team_id', body.team_id ?? null)
      const escalation_policy_id = await chosenPolicy(tx, caller, body.escalation_policy_id ?? null)
      const group_id = await chosenGroup(tx, tenant_id, null, body.group_id)
      const depends_on = await chosenParents(tx, tenant_id, { monitor_id, depends_on: [], parents: [] }, body.depends_on)
      const settings = { ...changed(fresh, body, target, config), team_id, escalation_policy_id, group_id, depends_on }
      checkSettings(type, settings)
      await keepLocations(tx, tenant_id, settings.regions)
      const regions = await readRegions(tx)
      checkPlan(settings, plan, regions)
      return { settings, assigned_regions: votersOf({ type, monitor_id, regions: settings.regions }, plan, regions), regions }
    },

    async settleChange(tx, caller, before, body, tried_in) {
      const { tenant_id } = caller
      if (body.type !== undefined && typeOf(body.type) !== before.type) throw invalid('type', 'immutable', 'is fixed at creation')
      const { type } = before
      const target = targetOf(type, body) ?? before.target
      // An address that only private locations may reach is judged again when a public region is
      // added.
      const reached = guardFor(body.regions ?? before.regions, guard)
      if (target !== before.target || reached !== guardFor(before.regions, guard)) await checkTarget(type, target, reached)
      const { config, kept } = changedConfig({ type, target }, before.config, body.config ?? {}, sealer(tenant_id, before.monitor_id))
      await checkReached(type, config, reached)
      const readers = [...(body.regions ?? before.regions), ...(tried_in === undefined ? [] : [tried_in])]
      checkKept(before, { type, target, config, regions: readers }, kept)
      const team_id = await givenTeam(tx, caller, before.team_id, body.team_id)
      const escalation_policy_id = await givenPolicy(tx, caller, before.escalation_policy_id, body.escalation_policy_id)
      const group_id = await chosenGroup(tx, tenant_id, before.group_id, body.group_id)
      const depends_on = await chosenParents(tx, tenant_id, before, body.depends_on)
      const settings = { ...changed(settingsOf(before), body, target, config), team_id, escalation_policy_id, group_id, depends_on }
      checkSettings(type, settings)
      await keepLocations(tx, tenant_id, settings.regions)
      const regions = await readRegions(tx)
      // Settings that the plan no longer allows may stay as they were: only a change is checked.
      const measured = {
        ...settings,
        regions: same(settings.regions, before.regions) ? [] : settings.regions,
        interval_seconds: settings.interval_seconds === before.interval_seconds ? Number.POSITIVE_INFINITY : settings.interval_seconds,
        down_interval_seconds: settings.down_interval_seconds === before.down_interval_seconds ? null : settings.down_interval_seconds
      }
      checkPlan(measured, planOf(before.plan), regions)
      return { settings, assigned_regions: assigned(before, settings, regions), regions }
    }
  }
}
