/**
 * The caller's account: one person, the same in all their workspaces.
 * Source: docs/design/api/account.md#ac-1, #ac-2.
 */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Static } from 'typebox'
import { AccountAnswer, UpdateAccountBody } from '../../../schemas/http/auth.ts'
import { planOf } from '../../../schemas/plans.ts'
import { difference, insertAudit } from '../../store/audit.ts'
import { readCeiling } from '../../store/budgets.ts'
import { planDigest } from '../../store/digest-jobs.ts'
import { keyedTransaction, type Tx } from '../../store/pool.ts'
import { teamsOf } from '../../store/teams.ts'
import { readWorkspace } from '../../store/tenants.ts'
import { lockPasswordHash, type Member, type Profile, updatePassword, updateProfile } from '../../store/users.ts'
import { type Caller, callerOf } from '../http/caller.ts'
import { on } from '../http/endpoint.ts'
import { ApiError, invalid, notFound } from '../http/errors.ts'
import { zoneNamed } from '../http/span.ts'
import { admit } from '../plugins/rates.ts'
import type { Services } from '../services.ts'
import { effectiveLimits } from '../workspace/effective-limits.ts'
import { usedOf } from '../workspace/limits.ts'
import type { Guess, Guesses } from './guesses.ts'
import { memberOf } from './member.ts'
import { hashChosen, toUser, toWorkspaceSummary } from './session-start.ts'

async function accountOf(tx: Tx, caller: Caller, floor: number): Promise<Static<typeof AccountAnswer>> {
  const { tenant_id } = caller
  const member = await memberOf(tx, caller)
  const workspace = await readWorkspace(tx, tenant_id)
  if (!workspace) throw notFound()
  const plan = planOf(workspace.plan)
  const { limits } = effectiveLimits({ floor, plan, raised_to: await readCeiling(tx, tenant_id) })
  return {
    user: toUser(member, await teamsOf(tx, tenant_id, caller.user_id)),
    workspace: toWorkspaceSummary(workspace),
    role: member.role,
    plan: plan.id,
    entitlements: Object.fromEntries(limits.map(({ key, limit }) => [key, limit])),
    usage: await usedOf(tx, tenant_id),
    features: [...plan.capabilities],
    limits_source: limits.find(({ origin }) => origin !== 'plan')?.origin ?? 'plan'
  }
}

const profileOf = ({ name, time_zone, locale }: Member): Profile => ({ name, time_zone, locale })

async function changeProfile(tx: Tx, caller: Caller, wanted: Partial<Profile>): Promise<void> {
  const { tenant_id, user_id, actor } = caller
  const before = profileOf(await memberOf(tx, caller))
  const after = { ...before, ...wanted }
  const diff = difference(before, after)
  if (Object.keys(diff).length === 0) return
  await updateProfile(tx, tenant_id, user_id, after)
  if (diff.time_zone) await planDigest(tx, tenant_id, user_id, Date.now())
  await insertAudit(tx, tenant_id, actor, { action: 'account.updated', object_type: 'user', object_id: user_id, diff })
}

interface PasswordChange {
  /** Password hashes: the proven one, and the new one. */
  from: string
  to: string
  /** The session that stays open. */
  kept: Buffer
}

export const accountRoutes =
  (services: Services, guesses: Guesses): FastifyPluginAsyncTypebox =>
  async (app) => {
    const {
      pool,
      config: { ingestFloorPerMinute: floor }
    } = services
    app.route({
      ...on('readAccount', { response: { 200: AccountAnswer } }),
      handler: (request) => {
        const caller = callerOf(request)
        return keyedTransaction(pool, caller, (tx) => accountOf(tx, caller, floor))
      }
    })

    /** Verifies the present password outside of any transaction, because that takes long. */
    async function provenChange(
      caller: Caller,
      password: string,
      current: string | undefined,
      begin: (email: string) => Guess,
      hash: (password: string, known: readonly string[]) => Promise<string>
    ): Promise<PasswordChange> {
      if (caller.kind !== 'session') throw new ApiError('FORBIDDEN', 'A token cannot change a password. Log in with a session')
      if (current === undefined) throw invalid('current_password', 'required', 'is required to change the password')
      const { tenant_id, user_id, session_sha256 } = caller
      const { email, known, from } = await keyedTransaction(pool, caller, async (tx) => {
        const { email, name } = await memberOf(tx, caller)
        const workspace = await readWorkspace(tx, tenant_id)
        const known = [email, name, ...(workspace ? [workspace.name, workspace.slug] : [])]
        return { email, known, from: await lockPasswordHash(tx, tenant_id, user_id) }
      })
      const guess = begin(email)
      if (!(await guess.verify(from, current)) || from === null) {
        throw invalid('current_password', 'wrong_password', 'is not the password of the account')
      }
      guess.right()
      return { from, to: await hash(password, known), kept: Buffer.from(session_sha256, 'hex') }
    }

    app.route({
      ...on('updateAccount', { body: UpdateAccountBody, response: { 200: AccountAnswer } }),
      handler: async (request, reply) => {
        const caller = callerOf(request)
        const { tenant_id, user_id, actor } = caller
        const { password, current_password, ...profile } = request.body
        if (typeof profile.time_zone === 'string') profile.time_zone = zoneNamed(profile.time_zone)
        const begin = (email: string): Guess => {
          const guess = guesses.begin(request.ip, email)
          admit(reply, guess.verdict)
          return guess
        }
        const hash = (chosen: string, known: readonly string[]) => hashChosen(services, request, reply, chosen, known)
        const change = password === undefined ? null : await provenChange(caller, password, current_password, begin, hash)
        return keyedTransaction(pool, callerOf(request), async (tx) => {
          await changeProfile(tx, caller, profile)
          if (change) {
            if (!(await updatePassword(tx, tenant_id, user_id, change)))
              throw new ApiError('CONFLICT', 'The password was changed in the meantime')
            await insertAudit(tx, tenant_id, actor, { action: 'account.password_changed', object_type: 'user', object_id: user_id })
          }
          return accountOf(tx, caller, floor)
        })
      }
    })
  }
