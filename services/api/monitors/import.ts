/**
 * Imports definitions of many monitors: all of them, or none. Each row is judged as a new monitor,
 * or as a change if a monitor has its name already. Every fault is reported by row and field. Only
 * if there is no fault, everything is written in one transaction. A dry run says what would be
 * done.
 * Source: docs/design/api/monitors.md#mo-14.
 */
import { isDeepStrictEqual } from 'node:util'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Compile } from 'typebox/compile'
import type { ErrorDetail } from '../../../schemas/http/common.ts'
import { faultsOf } from '../../../schemas/http/faults.ts'
import { MAX_IMPORT } from '../../../schemas/http/many-monitors.ts'
import { type CreateMonitorBody, ImportAnswer, ImportBody, ImportItem, type ImportItem as Row } from '../../../schemas/http/monitors.ts'
import { planOf } from '../../../schemas/plans.ts'
import { uuidv7 } from '../../../schemas/uuid.ts'
import { settingsOf } from '../../store/monitor-record.ts'
import { countMonitors, lockMonitor, type Monitor, namedMonitors } from '../../store/monitors.ts'
import { rehearsal, seeingAll, type Tx, tenantTransaction } from '../../store/pool.ts'
import { lockWorkspace } from '../../store/tenants.ts'
import { type Caller, callerOf } from '../http/caller.ts'
import { on } from '../http/endpoint.ts'
import { ApiError, invalid, notFound, refuse } from '../http/errors.ts'
import { taken } from '../http/taken.ts'
import type { Services } from '../services.ts'
import { limitExceeded } from '../workspace/limits.ts'
import { writeChange, writeNew } from './changes.ts'
import { definitionsOfCsv } from './csv.ts'
import type { Aim, Definitions, Settled } from './definition.ts'
import { groupByName } from './group-choice.ts'
import { freshParents, watchParents } from './parents.ts'

type Fault = ImportAnswer['errors'][number]

/** What is to be done for one row. */
type Step =
  | { row: number; name: string; action: 'create'; aim: Aim; settled: Settled }
  | { row: number; name: string; action: 'update'; before: Monitor; settled: Settled }
  | { row: number; name: string; action: 'skip' }

interface Judged {
  steps: Step[]
  /** Names of the groups that were created. */
  groups: string[]
  errors: Fault[]
}

const takenName = taken('monitors_name', 'NAME_TAKEN', 'name', 'monitor')
const shape = Compile(ImportItem)

export const importRoutes =
  ({ pool, codec }: Services, definitions: Definitions): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.route({
      ...on('importMonitors', { body: ImportBody, response: { 200: ImportAnswer } }),
      handler: async (request) => {
        const caller = callerOf(request)
        const { dry_run = true } = request.body
        const items = itemsOf(request.body)
        if (dry_run) return answerOf(true, await rehearsal(pool, caller, (tx) => judge(tx, definitions, caller, items)))
        const done = await tenantTransaction(pool, caller, async (tx) => {
          const judged = await judge(tx, definitions, caller, items)
          refuse(judged.errors.map(toDetail))
          const parents: string[] = []
          for (const step of judged.steps) {
            if (step.action === 'skip') continue
            if (step.action === 'create') await writeNew(tx, codec, caller, step.aim, step.settled)
            else await writeChange(tx, codec, caller, step.before, step.settled)
            parents.push(...freshParents(step.action === 'create' ? [] : step.before.depends_on, step.settled.settings.depends_on))
          }
          await watchParents(tx, caller.tenant_id, parents)
          return judged
        }).catch(takenName)
        return answerOf(false, done)
      }
    })
  }

function itemsOf({ format = 'native', items, content }: ImportBody): Record<string, unknown>[] {
  const [wanted, other] = format === 'csv' ? (['content', 'items'] as const) : (['items', 'content'] as const)
  if ((format === 'csv' ? items : content) !== undefined) throw invalid(other, 'unknown_field', `is not a field of the format ${format}`)
  const found = format === 'csv' ? content !== undefined && definitionsOfCsv(content) : items
  if (!found) throw invalid(wanted, 'required', `is required for the format ${format}`)
  if (found.length === 0) throw invalid(wanted, 'length', 'has no monitor in it', { limit: 1, actual: 0 })
  if (found.length > MAX_IMPORT)
    throw invalid(wanted, 'length', `must have at most ${MAX_IMPORT} monitors`, { limit: MAX_IMPORT, actual: found.length })
  return found
}

/** The path is `items[2].interval_seconds` in every format. */
const toDetail = ({ row, field, code, message }: Fault): ErrorDetail => ({
  path: `items[${row - 1}]${field === '' ? '' : `.${field}`}`,
  rule: code,
  message
})

function answerOf(dry_run: boolean, { steps, groups, errors }: Judged): ImportAnswer {
  const count = (wanted: Step['action']): number => steps.filter(({ action }) => action === wanted).length
  return {
    dry_run,
    create: count('create'),
    update: count('update'),
    skip: count('skip'),
    items: steps.map(({ row, name, action }) => ({ row, name, action })),
    groups,
    errors
  }
}

const nameIn = ({ name }: Record<string, unknown>): string | null => (typeof name === 'string' ? name.slice(0, 200) : null)

/**
 * Judges every row in order; the workspace must be locked. Throws TIER_LIMIT_EXCEEDED if there
 * would be more monitors than the plan allows.
 */
async function judge(tx: Tx, definitions: Definitions, caller: Caller, items: readonly Record<string, unknown>[]): Promise<Judged> {
  const { tenant_id } = caller
  const workspace = await lockWorkspace(tx, tenant_id)
  if (!workspace) throw notFound()
  const names = items.flatMap((item) => nameIn(item) ?? [])
  const there = await seeingAll(tx, (tx) => namedMonitors(tx, tenant_id, names))
  const idOf = new Map(there.map(({ monitor_id, name }) => [name.toLowerCase(), monitor_id]))
  const rowOf = new Map<string, number>()
  const judged: Judged = { steps: [], groups: [], errors: [] }
  for (const [nth, item] of items.entries()) {
    const row = nth + 1
    const name = nameIn(item)
    try {
      if (!shape.Check(item)) refuse(shape.Errors(item).flatMap((error) => faultsOf(error, item)))
      const body = item as unknown as Row
      const key = body.name.toLowerCase()
      const first = rowOf.get(key)
      if (first !== undefined) throw invalid('name', 'duplicate', `is the name of row ${first}, too`)
      rowOf.set(key, row)
      judged.steps.push({
        row,
        name: body.name,
        ...(await stepOf(tx, definitions, caller, await inGroup(tx, caller, body, judged.groups), idOf.get(key)))
      })
    } catch (error) {
      if (!(error instanceof ApiError) || error.code === 'UNAVAILABLE') throw error
      judged.errors.push(...faultsIn(error).map((fault) => ({ row, name, ...fault })))
    }
  }
  await checkRoom(tx, tenant_id, workspace.plan, judged.steps)
  return judged
}

async function checkRoom(tx: Tx, tenant_id: string, planId: string, steps: readonly Step[]): Promise<void> {
  const plan = planOf(planId)
  const { monitors: limit } = plan.limits
  const fresh = steps.filter(({ action }) => action === 'create').length
  if (limit === null || fresh === 0) return
  const actual = (await seeingAll(tx, (tx) => countMonitors(tx, tenant_id))) + fresh
  if (actual > limit)
    throw limitExceeded(plan, 'monitors', actual, `This plan allows ${limit} monitors; with these there would be ${actual}.`)
}

/** Returns the body of one row, with the id of the group that it names. */
async function inGroup(tx: Tx, caller: Caller, { group, ...body }: Row, made: string[]): Promise<CreateMonitorBody> {
  if (group === undefined) return body
  if (body.group_id !== undefined) throw invalid('group', 'mutually_exclusive', 'is another way to say group_id')
  return { ...body, group_id: await groupByName(tx, caller, group, made) }
}

type StepOf<T> = T extends unknown ? Omit<T, 'row' | 'name'> : never

async function stepOf(
  tx: Tx,
  definitions: Definitions,
  caller: Caller,
  body: CreateMonitorBody,
  id: string | undefined
): Promise<StepOf<Step>> {
  if (id === undefined) {
    const aim = await definitions.aimOf(caller.tenant_id, uuidv7(), body)
    return { action: 'create', aim, settled: await definitions.settle(tx, caller, aim, body) }
  }
  const before = await lockMonitor(tx, caller.tenant_id, id)
  // The monitor belongs to a team that the caller does not see.
  if (!before)
    throw new ApiError('NAME_TAKEN', 'Another monitor has this name', {
      details: [{ path: 'name', message: 'Another monitor has this name' }]
    })
  const settled = await definitions.settleChange(tx, caller, before, body)
  const isSame = isDeepStrictEqual(settingsOf(before), settingsOf(settled.settings))
  return isSame ? { action: 'skip' } : { action: 'update', before, settled }
}

/** Returns the faults of one row, only the first one of each field. */
function faultsIn({ code, message, details }: ApiError): Omit<Fault, 'row' | 'name'>[] {
  if (details.length === 0) return [{ field: '', code, message }]
  const firsts = details.filter(({ path }, nth) => details.findIndex((other) => other.path === path) === nth)
  return firsts.map((detail) => ({
    field: detail.path ?? '',
    code: code === 'VALIDATION_FAILED' ? (detail.rule ?? code) : code,
    message: detail.message ?? message
  }))
}
