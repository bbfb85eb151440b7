/**
 * API tokens. A token's value is shown once, when it is made or rotated, and only to its owner.
 * rules.ts decides under the workspace's lock who may do what with whose token.
 * Source: docs/design/api/account.md#ac-5 to #ac-7.
 */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { envelope, Id, iso, paging } from '../../../schemas/http/common.ts'
import { defaultScopes } from '../../../schemas/http/roles.ts'
import {
  CreateTokenBody,
  TokenDetail as Detail,
  type TokenDetail,
  TokenList,
  TokenWithValue,
  UpdateTokenBody
} from '../../../schemas/http/tokens.ts'
import { mintApiToken } from '../../credentials/credentials.ts'
import { parseNetwork } from '../../http/networks.ts'
import {
  type ApiToken,
  countApiTokens,
  insertApiToken,
  listApiTokens,
  lockApiToken,
  readApiToken,
  replaceApiToken,
  revokeApiToken,
  type TokenSettings,
  updateApiToken
} from '../../store/api-tokens.ts'
import { type Actor, actorText, difference, insertAudit, isUnchanged } from '../../store/audit.ts'
import { insertConfigVersion } from '../../store/config-versions.ts'
import { keyedTransaction, type Tx, tenantTransaction } from '../../store/pool.ts'
import { lockWorkspace } from '../../store/tenants.ts'
import { readMember } from '../../store/users.ts'
import { type Caller, callerOf } from '../http/caller.ts'
import { on } from '../http/endpoint.ts'
import { ApiError, invalid, notFound } from '../http/errors.ts'
import { pageOf } from '../http/paging.ts'
import { memberOf } from '../people/member.ts'
import type { Services } from '../services.ts'
import { checkLimit } from '../workspace/limits.ts'
import {
  type Asker,
  type OwnedToken,
  refusedRevocation,
  refusedRotation,
  refusedToken,
  refusedTokenChange,
  type TokenRefusal
} from './rules.ts'

const toDetail = (token: ApiToken): TokenDetail => ({
  id: token.token_id,
  tenant_id: token.tenant_id,
  name: token.name,
  prefix: token.prefix,
  scopes: token.scopes,
  user_id: token.user_id,
  expires_at: iso(token.expires_at),
  allowed_cidrs: token.allowed_cidrs,
  last_used_at: iso(token.last_used_at),
  last_used_ip: token.last_used_ip,
  created_at: iso(token.created_at),
  updated_at: iso(token.updated_at),
  version: token.ver
})

const settingsOf = ({ name, scopes, expires_at, allowed_cidrs }: ApiToken): TokenSettings => ({ name, scopes, expires_at, allowed_cidrs })

/** Returns epoch ms of a time in the future. */
function expiry(text: string | null): number | null {
  if (text === null) return null
  const at = Date.parse(text)
  if (!(at > Date.now())) throw invalid('expires_at', 'min', 'must be in the future')
  return at
}

function networks(texts: readonly string[]): readonly string[] {
  for (const [index, text] of texts.entries()) {
    if (!parseNetwork(text)) throw invalid(`allowed_cidrs[${index}]`, 'pattern', 'must be a network such as 192.0.2.0/24')
  }
  return texts
}

async function record(tx: Tx, actor: Actor, action: string, before: ApiToken | null, after: ApiToken): Promise<void> {
  const settings = settingsOf(after)
  const diff = before ? difference(settingsOf(before), settings) : {}
  const act = { action, object_type: 'api_token', object_id: after.token_id, diff }
  await insertAudit(tx, after.tenant_id, actor, act)
  const body = action === 'api_token.deleted' ? { deleted: true } : { ...settings, user_id: after.user_id }
  await insertConfigVersion(tx, after.tenant_id, {
    kind: 'api_token',
    id: after.token_id,
    version: after.ver,
    body,
    actor: actorText(actor)
  })
}

/**
 * Returns the caller as the database has them now. Throws TOKEN_EXPIRED_OR_REVOKED if they have
 * left, or their token has ended meanwhile.
 */
async function askerOf(tx: Tx, caller: Caller): Promise<Asker> {
  const { user_id, role } = await memberOf(tx, caller)
  if (caller.kind === 'session') return { user_id, role, bounds: null }
  const bounds = await readApiToken(tx, caller.tenant_id, caller.token_id)
  if (!bounds) throw new ApiError('TOKEN_EXPIRED_OR_REVOKED', 'The token was revoked')
  return { user_id, role, bounds }
}

/** Locks the workspace and the token. Throws NOT_FOUND. */
async function lockOwned(tx: Tx, caller: Caller, token_id: string): Promise<{ by: Asker; token: ApiToken; owned: OwnedToken }> {
  const { tenant_id } = caller
  await lockWorkspace(tx, tenant_id)
  const by = await askerOf(tx, caller)
  const token = await lockApiToken(tx, tenant_id, token_id)
  const owner = token && (await readMember(tx, tenant_id, token.user_id))
  if (!token || !owner) throw notFound()
  return { by, token, owned: { owner, settings: settingsOf(token) } }
}

function refuse(refusal: TokenRefusal | null): void {
  if (!refusal) return
  const { message, path, needed } = refusal
  throw new ApiError('FORBIDDEN', path === undefined ? message : `${path}: ${message}`, {
    details: path === undefined ? [] : [{ path, message, ...(needed && { needed }) }]
  })
}

const Params = Type.Object({ id: Id })

export const tokenRoutes =
  ({ pool }: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.route({
      ...on('listTokens', { querystring: Type.Object(paging), response: { 200: TokenList } }),
      handler: async (request) => {
        const { tenant_id } = callerOf(request)
        const page = pageOf(request.query)
        const { items, total } = await tenantTransaction(pool, callerOf(request), (tx) => listApiTokens(tx, tenant_id, page))
        return envelope(items.map(toDetail), total, page)
      }
    })

    app.route({
      ...on('createToken', { body: CreateTokenBody, response: { 201: TokenWithValue } }),
      handler: async (request, reply) => {
        const caller = callerOf(request)
        const { tenant_id, user_id, actor } = caller
        const { name, scopes = defaultScopes, expires_at, allowed_cidrs } = request.body
        const asked = {
          expires_at: expires_at === undefined ? undefined : expiry(expires_at),
          allowed_cidrs: allowed_cidrs && networks(allowed_cidrs)
        }
        const minted = mintApiToken()
        const token = await keyedTransaction(pool, callerOf(request), async (tx) => {
          await checkLimit(tx, tenant_id, 'api_tokens', countApiTokens)
          const by = await askerOf(tx, caller)
          // Settings that are not given are taken from the token that asks.
          const settings = {
            name,
            scopes,
            expires_at: asked.expires_at === undefined ? (by.bounds?.expires_at ?? null) : asked.expires_at,
            allowed_cidrs: asked.allowed_cidrs ?? by.bounds?.allowed_cidrs ?? []
          }
          refuse(refusedToken(by, settings))
          const created = await insertApiToken(tx, tenant_id, { ...settings, user_id, sha256: minted.sha256, prefix: minted.prefix })
          await record(tx, actor, 'api_token.created', null, created)
          return created
        })
        return reply
          .code(201)
          .header('etag', `"${token.ver}"`)
          .send({ ...toDetail(token), token: minted.value })
      }
    })

    app.route({
      ...on('updateToken', { params: Params, body: UpdateTokenBody, response: { 200: Detail } }),
      handler: async (request, reply) => {
        const caller = callerOf(request)
        const { tenant_id, actor } = caller
        const { name, scopes, expires_at, allowed_cidrs } = request.body
        const token = await keyedTransaction(pool, callerOf(request), async (tx) => {
          const { by, token: before, owned } = await lockOwned(tx, caller, request.params.id)
          const settings = {
            name: name ?? before.name,
            scopes: scopes ?? before.scopes,
            expires_at: expires_at === undefined ? before.expires_at : expiry(expires_at),
            allowed_cidrs: allowed_cidrs === undefined ? before.allowed_cidrs : networks(allowed_cidrs)
          }
          refuse(refusedTokenChange(by, owned, settings))
          if (isUnchanged(settingsOf(before), settings)) return before
          const after = await updateApiToken(tx, tenant_id, before.token_id, settings)
          if (!after) throw notFound()
          await record(tx, actor, 'api_token.updated', before, after)
          return after
        })
        return reply.header('etag', `"${token.ver}"`).send(toDetail(token))
      }
    })

    app.route({
      ...on('deleteToken', { params: Params, response: { 204: Type.Null() } }),
      handler: async (request, reply) => {
        const caller = callerOf(request)
        const { tenant_id, actor } = caller
        await keyedTransaction(pool, callerOf(request), async (tx) => {
          const { by, token, owned } = await lockOwned(tx, caller, request.params.id)
          refuse(refusedRevocation(by, owned.owner))
          const revoked = await revokeApiToken(tx, tenant_id, token.token_id)
          if (!revoked) throw notFound()
          await record(tx, actor, 'api_token.deleted', null, revoked)
        })
        return reply.code(204).send(null)
      }
    })

    app.route({
      ...on('rotateToken', { params: Params, response: { 200: TokenWithValue } }),
      handler: async (request, reply) => {
        const caller = callerOf(request)
        const { tenant_id, actor } = caller
        const minted = mintApiToken()
        const token = await keyedTransaction(pool, callerOf(request), async (tx) => {
          const { by, token: before, owned } = await lockOwned(tx, caller, request.params.id)
          refuse(refusedRotation(by, owned))
          const rotated = await replaceApiToken(tx, tenant_id, before.token_id, minted)
          if (!rotated) throw notFound()
          await record(tx, actor, 'api_token.rotated', null, rotated)
          return rotated
        })
        return reply.header('etag', `"${token.ver}"`).send({ ...toDetail(token), token: minted.value })
      }
    })
  }
