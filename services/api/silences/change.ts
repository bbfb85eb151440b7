/**
 * Creates, changes and ends a silence, under the lock of the workspace and within the limits of all
 * its silences together. Its times are those of Postgres, by which the notifier judges them.
 * Source: docs/design/api/alerts-and-routing.md#s6-4.
 */
import type { FastifyRequest } from 'fastify'
import type { Condition } from '../../../schemas/http/routing-words.ts'
import type { CreateSilenceBody, UpdateSilenceBody } from '../../../schemas/http/silences.ts'
import { uuidv7 } from '../../../schemas/uuid.ts'
import { CostMeter } from '../../../streams/routing/budget.ts'
import { silenceStateAt } from '../../../streams/routing/silences.ts'
import { actorText, difference, insertAudit } from '../../store/audit.ts'
import { seeingAll, type Tx } from '../../store/pool.ts'
import { postgresNow } from '../../store/schedule-history.ts'
import { changeSilenceEnd, startSilenceEnd } from '../../store/silence-ends.ts'
import {
  countSilences,
  expireSilence,
  insertSilence,
  readSilence,
  type SilenceSettings,
  type StoredSilence,
  silencesNotEnded,
  updateSilence
} from '../../store/silences.ts'
import { readTeam } from '../../store/teams.ts'
import { lockWorkspace } from '../../store/tenants.ts'
import { type Caller, callerOf } from '../http/caller.ts'
import { ApiError, invalid, notFound } from '../http/errors.ts'
import { checkIfMatch } from '../http/preconditions.ts'
import { checkCost, setLimits } from '../routing/change.ts'
import { teamsIn } from '../routing/sight.ts'
import { checkLimit } from '../workspace/limits.ts'
import { changedSettings } from './shapes.ts'

const teamsNamed = (matchers: readonly Condition[]): string[] => [...new Set(matchers.flatMap(teamsIn))]

/**
 * Throws VALIDATION_FAILED if a matcher names a team that the caller does not see: hidden teams are
 * treated as unknown. Teams that `before` names are accepted.
 */
export async function checkTeams(tx: Tx, { tenant_id }: Caller, matchers: readonly Condition[], before: readonly Condition[] = []) {
  const known = new Set(teamsNamed(before))
  for (const [at, matcher] of matchers.entries())
    for (const team_id of teamsIn(matcher)) {
      if (known.has(team_id)) continue
      if (!(await readTeam(tx, tenant_id, team_id)))
        throw invalid(`matchers[${at}].value`, 'unknown_team', 'is not a team of this workspace')
      known.add(team_id)
    }
}

/** Throws VALIDATION_FAILED if the matchers of all silences together cost more than they may. */
async function checkRoom(tx: Tx, { tenant_id }: Caller, matchers: readonly Condition[], silence_id: string, now: number): Promise<void> {
  // Silences that the caller cannot see are counted, too.
  const others = (await seeingAll(tx, (tx) => silencesNotEnded(tx, tenant_id, now))).filter((one) => one.silence_id !== silence_id)
  const meter = new CostMeter()
  for (const other of others) for (const condition of other.matchers) meter.add(condition)
  addChecked(meter, matchers)
}

/**
 * Throws VALIDATION_FAILED at the matcher with which all silences together cost more than they may.
 */
export function addChecked(meter: CostMeter, matchers: readonly Condition[]): void {
  for (const [at, condition] of matchers.entries()) {
    meter.add(condition)
    checkCost(meter, setLimits, `matchers[${at}]`, 'silences')
  }
}

const record = (tx: Tx, { tenant_id, actor }: Caller, action: string, object_id: string, diff: Record<string, [unknown, unknown]> = {}) =>
  insertAudit(tx, tenant_id, actor, { action, object_type: 'silence', object_id, diff })

const settingsOf = ({ matchers, comment, starts_at, ends_at }: StoredSilence): SilenceSettings => ({
  matchers,
  comment,
  starts_at,
  ends_at
})

/** Reads the silence as the caller sees it. Throws NOT_FOUND. */
export async function seenSilence(tx: Tx, { tenant_id }: Caller, silence_id: string): Promise<StoredSilence> {
  const silence = await readSilence(tx, tenant_id, silence_id)
  if (!silence) throw notFound()
  return silence
}

async function hold(tx: Tx, { tenant_id }: Caller): Promise<void> {
  if (!(await lockWorkspace(tx, tenant_id))) throw notFound()
}

export async function create(tx: Tx, caller: Caller, body: CreateSilenceBody): Promise<StoredSilence> {
  const { tenant_id, actor } = caller
  await checkLimit(tx, tenant_id, 'silences', countSilences)
  const now = await postgresNow(tx)
  const settings = changedSettings(null, body, now)
  await checkTeams(tx, caller, settings.matchers)
  const silence_id = uuidv7()
  await checkRoom(tx, caller, settings.matchers, silence_id, now)
  await insertSilence(tx, tenant_id, silence_id, settings, { team_ids: teamsNamed(settings.matchers), created_by: actorText(actor) })
  await startSilenceEnd(tx, { tenant_id, silence_id }, settings)
  await record(tx, caller, 'silence.created', silence_id)
  return seenSilence(tx, caller, silence_id)
}

/** Throws CONFLICT for a silence that has ended. */
export async function change(tx: Tx, request: FastifyRequest, silence_id: string, body: UpdateSilenceBody): Promise<StoredSilence> {
  const caller = callerOf(request)
  await hold(tx, caller)
  const silence = await seenSilence(tx, caller, silence_id)
  checkIfMatch(request, silence.ver)
  const now = await postgresNow(tx)
  if (silenceStateAt(silence, now) === 'expired') throw new ApiError('CONFLICT', 'The silence has ended. Create a new one')
  const before = settingsOf(silence)
  const after = changedSettings(before, body, now)
  const diff = difference(before, after)
  if (Object.keys(diff).length === 0) return silence
  await checkTeams(tx, caller, after.matchers, before.matchers)
  if (diff.matchers) await checkRoom(tx, caller, after.matchers, silence_id, now)
  await updateSilence(tx, caller.tenant_id, silence_id, after, teamsNamed(after.matchers))
  await changeSilenceEnd(tx, silence, after, now)
  await record(tx, caller, 'silence.updated', silence_id, diff)
  return seenSilence(tx, caller, silence_id)
}

/** A silence that has ended stays as it is. */
export async function expire(tx: Tx, request: FastifyRequest, silence_id: string): Promise<void> {
  const caller = callerOf(request)
  await hold(tx, caller)
  const silence = await seenSilence(tx, caller, silence_id)
  checkIfMatch(request, silence.ver)
  const now = await postgresNow(tx)
  if (silenceStateAt(silence, now) === 'expired') return
  await expireSilence(tx, caller.tenant_id, silence_id, now)
  await changeSilenceEnd(tx, silence, null, now)
  await record(tx, caller, 'silence.expired', silence_id)
}
