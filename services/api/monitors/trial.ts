/**
 * Tries a definition. It is judged as saving would judge it; then, if a region is named, a prober
 * there checks it once. Nothing is saved or recorded. The request reaches the region like an
 * on-demand check (check-now.ts). The answer comes back to the row of the trial, whichever instance
 * of the api the prober speaks to, and is deleted with the row.
 * Source: docs/design/api/monitors.md#mo-9.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { PUSHED } from '../../../schemas/http/check-words.ts'
import { iso } from '../../../schemas/http/common.ts'
import { ValidateAnswer, ValidateMonitorBody } from '../../../schemas/http/monitors.ts'
import { type Plan, planOf } from '../../../schemas/plans.ts'
import { uuidv7 } from '../../../schemas/uuid.ts'
import { nextSlot, slotOffset } from '../../checks/slots.ts'
import { deleteTrial, insertTrial, readTrialAnswer, type TrialDefinition, type TrialSaid } from '../../store/check-trials.ts'
import { countMonitors, type MonitorSettings, namedMonitors, readMonitor } from '../../store/monitors.ts'
import { type Pool, rehearsal, seeingAll, type Tx, tenantTransaction } from '../../store/pool.ts'
import type { Region } from '../../store/regions.ts'
import { readWorkspace } from '../../store/tenants.ts'
import { type Caller, callerOf } from '../http/caller.ts'
import { on } from '../http/endpoint.ts'
import { ApiError, invalid, notFound } from '../http/errors.ts'
import { admit } from '../plugins/rates.ts'
import type { Services } from '../services.ts'
import type { Aim, Definitions, Settled } from './definition.ts'
import { checkPlan } from './rules.ts'
import { toTrialResult } from './trial-result.ts'

/**
 * Added to the timeout of the check: a prober hears of it within a second, and has other checks to
 * do.
 */
const SLACK_MS = 10_000
/** Time between two looks for the answer: shorter at first, longer later. */
const SOON_MS = 150
const LATER_MS = 500
const YOUNG_MS = 5000
/** The most requests that wait at once, in this process and for one workspace. */
const MAX_WAITING = 100
const MAX_WAITING_EACH = 30
const ROUNDS = 5
const NO_NAME = 'Not named yet'

const once = { strategy: 'none', count: 0, base_seconds: 1, max_total_seconds: 60 } as const

type Warning = ValidateAnswer['warnings'][number]

interface Judged extends Settled {
  aim: Aim
  warnings: Warning[]
  isNew: boolean
}

export const trialRoutes =
  ({ pool, buckets }: Pick<Services, 'pool' | 'buckets'>, definitions: Definitions): FastifyPluginAsyncTypebox =>
  async (app) => {
    const closing = new AbortController()
    app.addHook('preClose', async () => closing.abort())
    const places = new Places()

    app.route({
      ...on('validateMonitor', { body: ValidateMonitorBody, response: { 200: ValidateAnswer } }),
      handler: async (request, reply) => {
        const caller = callerOf(request)
        const { region, ...body } = request.body
        const judged = await judge(pool, definitions, caller, body, region)
        const { aim, settings, assigned_regions, isNew, warnings } = judged
        const answer = {
          valid: true,
          regions: aim.type === PUSHED ? [] : assigned_regions,
          warnings,
          result: null,
          next_rounds: roundsOf(judged, isNew)
        }
        if (region === undefined) return answer
        admit(reply, buckets.take('trial', caller.tenant_id, caller.plan))
        const gone = new AbortController()
        reply.raw.once('close', () => gone.abort())
        const said = await places.within(caller.tenant_id, () =>
          tryIn(pool, caller, region, toDefinition(aim, settings), AbortSignal.any([closing.signal, gone.signal]))
        )
        if (said) return { ...answer, result: toTrialResult(region, said) }
        const message = 'No prober of this region has answered in time'
        return { ...answer, warnings: [...warnings, { path: 'region', code: 'no_answer' as const, message }] }
      }
    })
  }

/** The check for the region: only one attempt, because a person waits. */
const toDefinition = ({ monitor_id, type, target, config }: Aim, settings: MonitorSettings): TrialDefinition => ({
  monitor_id,
  ver: 0,
  type,
  target,
  config,
  assertions: settings.assertions,
  retry: once,
  interval_seconds: settings.interval_seconds,
  down_interval_seconds: null,
  recovery_rounds: null,
  timeout_seconds: settings.timeout_seconds,
  degraded_after_ms: settings.degraded_after_ms,
  tls_expiry_days: settings.tls_expiry_days
})

/**
 * Judges the definition as saving would; nothing of it is kept. Throws like createMonitor and
 * updateMonitor.
 */
async function judge(
  pool: Pool,
  definitions: Definitions,
  caller: Caller,
  { monitor_id, ...body }: Omit<ValidateMonitorBody, 'region'>,
  region: string | undefined
): Promise<Judged> {
  const { tenant_id } = caller
  const { type, name = NO_NAME } = body
  if (monitor_id === undefined) {
    if (type === undefined) throw invalid('type', 'required', 'is required')
    const aim = await definitions.aimOf(tenant_id, uuidv7(), { ...body, type })
    return rehearsal(pool, caller, async (tx) => {
      const settled = await definitions.settle(tx, caller, aim, { ...body, name })
      const plan = await planFor(tx, tenant_id)
      checkAsked(aim, settled, region, plan)
      return { ...settled, aim, isNew: true, warnings: await warningsOf(tx, tenant_id, body.name, null, plan) }
    })
  }
  return rehearsal(pool, caller, async (tx) => {
    const before = await readMonitor(tx, tenant_id, monitor_id)
    if (!before) throw invalid('monitor_id', 'unknown_monitor', 'names no monitor of this workspace')
    const settled = await definitions.settleChange(tx, caller, before, body, region)
    const { target, config } = settled.settings
    const aim = { monitor_id: before.monitor_id, type: before.type, target, config }
    const plan = planOf(before.plan)
    checkAsked(aim, settled, region, plan)
    return { ...settled, aim, isNew: false, warnings: await warningsOf(tx, tenant_id, body.name, before.monitor_id, plan) }
  })
}

async function planFor(tx: Tx, tenant_id: string): Promise<Plan> {
  const workspace = await readWorkspace(tx, tenant_id)
  if (!workspace) throw notFound()
  return planOf(workspace.plan)
}

/**
 * Throws unless the named region can check it: it exists, belongs to the plan, is online, and knows
 * the type.
 */
function checkAsked({ type }: Aim, { settings, regions }: Settled, code: string | undefined, plan: Plan): void {
  if (code === undefined) return
  if (type === PUSHED) throw invalid('region', 'unknown_field', `is not a field of type ${type}: no region checks it`)
  const region = regions.find((one: Region) => one.code === code)
  if (!region) throw invalid('region', 'unknown_region', `is not a region; there are ${regions.map((one) => one.code).join(', ')}`)
  // The plan does not limit how often a trial runs.
  checkPlan({ ...settings, interval_seconds: Number.POSITIVE_INFINITY, down_interval_seconds: null, regions: [code] }, plan, regions)
  if (region.kinds.includes(type)) return
  if (region.probers_online === 0)
    throw new ApiError('NO_PROBER_ONLINE', 'No prober of this region is online', { headers: { 'retry-after': '10' } })
  throw invalid('region', 'unsupported_type', `has no prober that does checks of the type ${type}`)
}

/** Returns what would prevent saving although the definition is valid. */
async function warningsOf(tx: Tx, tenant_id: string, name: string | undefined, own: string | null, plan: Plan): Promise<Warning[]> {
  const warnings: Warning[] = []
  if (name !== undefined) {
    const named = (await seeingAll(tx, (tx) => namedMonitors(tx, tenant_id, [name]))).filter(({ monitor_id }) => monitor_id !== own)
    if (named.length > 0) warnings.push({ path: 'name', code: 'name_taken', message: 'Another monitor has this name' })
  }
  const { monitors: limit } = plan.limits
  if (own === null && limit !== null && (await seeingAll(tx, (tx) => countMonitors(tx, tenant_id))) >= limit)
    warnings.push({ path: null, code: 'limit_reached', message: `This plan allows ${limit} monitors, and there are as many` })
  return warnings
}

function roundsOf({ aim: { monitor_id, type }, settings: { interval_seconds } }: Judged, isNew: boolean): string[] {
  if (type === PUSHED) return []
  const intervalMs = interval_seconds * 1000
  const now = Date.now()
  const first = isNew ? now : nextSlot(now, intervalMs, slotOffset(monitor_id, intervalMs))
  return Array.from({ length: ROUNDS }, (_, nth) => iso(first + nth * intervalMs))
}

/** Returns the prober's answer; null: none came while the request waited. */
async function tryIn(
  pool: Pool,
  caller: Caller,
  region: string,
  definition: TrialDefinition,
  gone: AbortSignal
): Promise<TrialSaid | null> {
  const { tenant_id } = caller
  const check_id = uuidv7()
  const asked = performance.now()
  const waitMs = definition.timeout_seconds * 1000 + SLACK_MS
  await tenantTransaction(pool, caller, (tx) =>
    insertTrial(tx, tenant_id, { check_id, region, definition, expires_at: Date.now() + waitMs })
  )
  try {
    for (let waited = 0; waited < waitMs && !gone.aborted; waited = performance.now() - asked) {
      const said = await tenantTransaction(pool, caller, (tx) => readTrialAnswer(tx, tenant_id, check_id))
      if (said === 'gone') return null
      if (said) return said
      await sleep(waited < YOUNG_MS ? SOON_MS : LATER_MS)
    }
    return null
  } finally {
    await tenantTransaction(pool, caller, (tx) => deleteTrial(tx, tenant_id, check_id))
  }
}

/**
 * A waiting request stays open and asks the store again and again, so the number of places is
 * limited.
 */
class Places {
  #all = 0
  readonly #each = new Map<string, number>()

  /** Throws UNAVAILABLE if there is no free place. */
  async within<T>(tenant_id: string, work: () => Promise<T>): Promise<T> {
    const own = this.#each.get(tenant_id) ?? 0
    if (this.#all >= MAX_WAITING || own >= MAX_WAITING_EACH)
      throw new ApiError('UNAVAILABLE', 'Too many trials wait for their answer', { headers: { 'retry-after': '5' } })
    this.#all += 1
    this.#each.set(tenant_id, own + 1)
    try {
      return await work()
    } finally {
      this.#all -= 1
      const left = (this.#each.get(tenant_id) ?? 1) - 1
      if (left === 0) this.#each.delete(tenant_id)
      else this.#each.set(tenant_id, left)
    }
  }
}
