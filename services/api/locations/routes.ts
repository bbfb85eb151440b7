/**
 * Private locations: regions that a workspace runs itself. The token of their probers is shown
 * once, with the command line that starts a prober. A token that is replaced or ended stops working
 * at every door within 5 s. A location that monitors use cannot be deleted.
 * Source: docs/design/api/account.md#ac-25 to #ac-27 and docs/design/api/prober.md#locations.
 */
import { randomBytes } from 'node:crypto'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { envelope, Id, paging } from '../../../schemas/http/common.ts'
import {
  CreateLocationBody,
  LocationDetail,
  LocationList,
  LocationWithToken,
  UpdateLocationBody
} from '../../../schemas/http/private-locations.ts'
import { type Minted, mintProberToken } from '../../credentials/credentials.ts'
import { version } from '../../process/version.ts'
import { actorText, difference, insertAudit, isUnchanged } from '../../store/audit.ts'
import { insertConfigVersion } from '../../store/config-versions.ts'
import { keyedTransaction, seeingAll, type Tx, tenantTransaction } from '../../store/pool.ts'
import {
  countLocations,
  countUses,
  deleteLocation,
  insertLocation,
  isLabelTaken,
  type LocationSettings,
  listLocations,
  lockLocation,
  namesOfUses,
  type PrivateLocation,
  probersOf,
  replaceLocationToken,
  updateLocation
} from '../../store/private-locations.ts'
import { lockWorkspace } from '../../store/tenants.ts'
import { type Caller, callerOf } from '../http/caller.ts'
import { counted } from '../http/counted.ts'
import { on } from '../http/endpoint.ts'
import { ApiError, notFound } from '../http/errors.ts'
import { pageOf } from '../http/paging.ts'
import { checkIfMatch } from '../http/preconditions.ts'
import type { Services } from '../services.ts'
import { checkLimit } from '../workspace/limits.ts'
import { type Surroundings, toDetail } from './shown.ts'

/** A refused deletion names at most this many monitors. */
const MAX_NAMED = 20

/** `loc-` and twelve letters and digits: a code cannot be guessed and never repeats. */
const newCode = (): string =>
  `loc-${BigInt(`0x${randomBytes(10).toString('hex')}`)
    .toString(36)
    .padStart(12, '0')
    .slice(-12)}`

const settingsOf = ({ label, draining }: PrivateLocation): LocationSettings => ({ label, draining })

async function record(tx: Tx, { actor }: Caller, action: string, before: PrivateLocation | null, after: PrivateLocation): Promise<void> {
  const settings = settingsOf(after)
  const diff = before ? difference(settingsOf(before), settings) : {}
  const { tenant_id, location_id: id, code, ver } = after
  await insertAudit(tx, tenant_id, actor, { action: `private_location.${action}`, object_type: 'private_location', object_id: id, diff })
  const deleted = action === 'deleted'
  await insertConfigVersion(tx, tenant_id, {
    kind: 'private_location',
    id,
    version: deleted ? ver + 1 : ver,
    body: deleted ? { deleted: true } : { ...settings, code },
    actor: actorText(actor)
  })
}

/** The workspace is locked: if two requests take the same label, one is refused. */
async function checkLabel(tx: Tx, tenant_id: string, label: string, except: string | null): Promise<void> {
  if (!(await isLabelTaken(tx, tenant_id, label, except))) return
  const message = 'Another private location has this label'
  throw new ApiError('NAME_TAKEN', message, { details: [{ path: 'label', message }] })
}

/** Counts the monitors of everybody, and names those that the caller sees. Throws IN_USE. */
async function checkUnused(tx: Tx, { tenant_id, code, label }: PrivateLocation): Promise<void> {
  const uses = await seeingAll(tx, (tx) => countUses(tx, tenant_id, [code]))
  const actual = uses.get(code) ?? 0
  if (actual === 0) return
  const names = await namesOfUses(tx, tenant_id, code, MAX_NAMED)
  throw new ApiError('IN_USE', `${label} checks ${counted(actual, 'monitors')}: take it out there first`, {
    details: [{ path: 'monitors', rule: 'in_use', message: 'monitors', actual, names }]
  })
}

const Params = Type.Object({ id: Id })

export const locationRoutes =
  ({ pool, config: { publicUrl, proberImage } }: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    const around: Surroundings = { publicUrl, image: proberImage, version }

    async function shown(tx: Tx, locations: readonly PrivateLocation[], token: string | null = null): Promise<LocationDetail[]> {
      const [first] = locations
      if (!first) return []
      const codes = locations.map(({ code }) => code)
      const probers = await probersOf(tx, codes)
      const uses = await countUses(tx, first.tenant_id, codes)
      return locations.map((one) => toDetail(one, probers.get(one.code) ?? [], uses.get(one.code) ?? 0, around, token))
    }

    async function shownOne(tx: Tx, location: PrivateLocation, token: string | null = null): Promise<LocationDetail> {
      const [detail] = await shown(tx, [location], token)
      if (!detail) throw notFound()
      return detail
    }

    /** Gives the location another token, or none. */
    const withToken = (request: FastifyRequest, id: string, minted: Minted | null): Promise<LocationDetail> =>
      keyedTransaction(pool, callerOf(request), async (tx) => {
        const caller = callerOf(request)
        const before = await lockLocation(tx, caller.tenant_id, id)
        if (!before) throw notFound()
        const after = await replaceLocationToken(tx, before, minted)
        if (!after) throw notFound()
        await record(tx, caller, minted ? 'token_rotated' : 'token_revoked', before, after)
        return shownOne(tx, after, minted?.value ?? null)
      })

    app.route({
      ...on('listLocations', {
        querystring: Type.Object(paging, { additionalProperties: false }),
        response: { 200: LocationList }
      }),
      handler: (request) => {
        const caller = callerOf(request)
        const page = pageOf(request.query)
        return tenantTransaction(pool, caller, async (tx) => {
          const { items, total } = await listLocations(tx, caller.tenant_id, page)
          return envelope(await shown(tx, items), total, page)
        })
      }
    })

    app.route({
      ...on('createLocation', { body: CreateLocationBody, response: { 201: LocationWithToken } }),
      handler: async (request, reply) => {
        const caller = callerOf(request)
        const { tenant_id } = caller
        const label = request.body.label.trim()
        const minted = mintProberToken()
        const made = await keyedTransaction(pool, caller, async (tx) => {
          await checkLimit(tx, tenant_id, 'private_locations', countLocations)
          await checkLabel(tx, tenant_id, label, null)
          const location = await insertLocation(tx, tenant_id, newCode(), label, minted)
          await record(tx, caller, 'created', null, location)
          return shownOne(tx, location, minted.value)
        })
        return reply
          .code(201)
          .header('etag', `"${made.version}"`)
          .send({ ...made, token: minted.value })
      }
    })

    app.route({
      ...on('updateLocation', { params: Params, body: UpdateLocationBody, response: { 200: LocationDetail } }),
      handler: async (request, reply) => {
        const caller = callerOf(request)
        const { tenant_id } = caller
        const { label, draining } = request.body
        const changed = await keyedTransaction(pool, caller, async (tx) => {
          await lockWorkspace(tx, tenant_id)
          const before = await lockLocation(tx, tenant_id, request.params.id)
          if (!before) throw notFound()
          checkIfMatch(request, before.ver)
          const settings = { label: label?.trim() ?? before.label, draining: draining ?? before.draining }
          if (isUnchanged(settingsOf(before), settings)) return shownOne(tx, before)
          await checkLabel(tx, tenant_id, settings.label, before.location_id)
          const after = await updateLocation(tx, before, settings)
          if (!after) throw notFound()
          await record(tx, caller, 'updated', before, after)
          return shownOne(tx, after)
        })
        return reply.header('etag', `"${changed.version}"`).send(changed)
      }
    })

    app.route({
      ...on('deleteLocation', { params: Params, response: { 204: Type.Null() } }),
      handler: async (request, reply) => {
        const caller = callerOf(request)
        await tenantTransaction(pool, caller, async (tx) => {
          const before = await lockLocation(tx, caller.tenant_id, request.params.id)
          if (!before) throw notFound()
          checkIfMatch(request, before.ver)
          await checkUnused(tx, before)
          await deleteLocation(tx, before.code)
          await record(tx, caller, 'deleted', null, before)
        })
        return reply.code(204).send(null)
      }
    })

    app.route({
      ...on('rotateLocationToken', { params: Params, response: { 200: LocationWithToken } }),
      handler: async (request, reply) => {
        const minted = mintProberToken()
        const location = await withToken(request, request.params.id, minted)
        return reply.header('etag', `"${location.version}"`).send({ ...location, token: minted.value })
      }
    })

    app.route({
      ...on('revokeLocationToken', { params: Params, response: { 200: LocationDetail } }),
      handler: async (request, reply) => {
        const location = await withToken(request, request.params.id, null)
        return reply.header('etag', `"${location.version}"`).send(location)
      }
    })
  }
