/**
 * A person's phones that receive notifications: the app registers the phone on which it runs.
 * Source: docs/design/api/notifications.md#no-19.
 */
import { createHash } from 'node:crypto'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { Id, iso } from '../../../schemas/http/common.ts'
import { Device, DeviceList, MAX_DEVICES, type Platform, RegisterDeviceBody } from '../../../schemas/http/devices.ts'
import { MAX_METHODS } from '../../../schemas/http/notification-preferences.ts'
import { uuidv7 } from '../../../schemas/uuid.ts'
import { sealForTenant } from '../../credentials/sealing.ts'
import { devicePlace } from '../../delivery/method-config.ts'
import { difference, insertAudit } from '../../store/audit.ts'
import { countVersion, listMethods, lockWishes, saveWishes } from '../../store/contact.ts'
import {
  deleteDevice,
  type GivenDevice,
  insertDevice,
  listDevices,
  refreshDevice,
  type StoredDevice,
  takeToken
} from '../../store/devices.ts'
import { keyedTransaction, type Tx } from '../../store/pool.ts'
import { type Caller, callerOf } from '../http/caller.ts'
import { on } from '../http/endpoint.ts'
import { invalid, notFound } from '../http/errors.ts'
import type { Services } from '../services.ts'
import { checkKeepsSecrets, checkPlatform } from './addresses.ts'
import { withoutMethods } from './rules-of-methods.ts'

/** Tokens as the vendors issue them: their length is not fixed. */
const TOKENS: Readonly<Record<Platform, RegExp>> = { ios: /^(?:[0-9a-f]{2}){16,200}$/, android: /^[A-Za-z0-9_:.-]{16,4096}$/ }
const EXPECTED: Readonly<Record<Platform, string>> = { ios: 'must be hex, as APNs hands it out', android: 'must be a token of FCM' }
const NAMES: Readonly<Record<Platform, string>> = { ios: 'iPhone or iPad', android: 'Android phone' }

/** Returns the token. Throws VALIDATION_FAILED. */
function checkedToken(platform: Platform, given: string): string {
  const token = platform === 'ios' ? given.trim().toLowerCase() : given.trim()
  if (!TOKENS[platform].test(token)) throw invalid('push_token', 'format', EXPECTED[platform])
  return token
}

/** Returns a name that differs from those of the person's other phones. */
export function freeName(wanted: string, taken: readonly string[]): string {
  const others = new Set(taken.map((name) => name.toLowerCase()))
  for (let nth = 1; ; nth++) {
    const name = nth === 1 ? wanted : `${wanted} ${nth}`
    if (!others.has(name.toLowerCase())) return name
  }
}

const shown = ({ device_id, platform, name, app_version, last_seen_at, invalid_at, created_at }: StoredDevice): Device => ({
  id: device_id,
  platform,
  name,
  app_version,
  registered_at: iso(last_seen_at),
  invalid_at: iso(invalid_at),
  created_at: iso(created_at)
})

/**
 * Returns the phone with this token, or the one that the app names; null: it is new. Throws
 * VALIDATION_FAILED.
 */
function knownOf(devices: readonly StoredDevice[], { id, platform }: RegisterDeviceBody, token_sha256: Buffer): StoredDevice | null {
  const same = devices.find((one) => one.platform === platform && one.token_sha256.equals(token_sha256))
  if (id === undefined || same) return same ?? null
  const named = devices.find((one) => one.device_id === id.toLowerCase() && one.platform === platform)
  if (!named) throw invalid('id', 'unknown_device', 'is not one of your phones')
  return named
}

async function checkRoom(tx: Tx, { tenant_id, user_id }: Caller, devices: readonly StoredDevice[]): Promise<void> {
  const methods = await listMethods(tx, tenant_id, user_id)
  if (devices.length < MAX_DEVICES && methods.length < MAX_METHODS) return
  throw invalid(
    'push_token',
    'too_many',
    `is one too many: a person has at most ${MAX_DEVICES} phones and ${MAX_METHODS} methods; remove one first`
  )
}

const facts = ({ platform, name, app_version }: Pick<GivenDevice, 'platform' | 'name' | 'app_version'>) => ({
  platform,
  name,
  app_version
})

async function register(tx: Tx, caller: Caller, body: RegisterDeviceBody, secretsKey: string): Promise<StoredDevice> {
  const { tenant_id, user_id, actor } = caller
  const { platform, app_version = '' } = body
  const token = checkedToken(platform, body.push_token)
  const token_sha256 = createHash('sha256').update(token).digest()
  await lockWishes(tx, tenant_id, user_id)
  await takeToken(tx, platform, token_sha256, user_id)
  const devices = await listDevices(tx, tenant_id, user_id)
  const known = knownOf(devices, body, token_sha256)
  if (!known) await checkRoom(tx, caller, devices)
  const device_id = known?.device_id ?? uuidv7()
  const others = devices.filter((one) => one !== known).map(({ name }) => name)
  const given: GivenDevice = {
    device_id,
    platform,
    name: freeName(body.name?.trim() || known?.name || NAMES[platform], others),
    app_version,
    token_sha256,
    push_token: sealForTenant(secretsKey, devicePlace(tenant_id, device_id), token)
  }
  if (known) await refreshDevice(tx, tenant_id, user_id, given)
  else {
    await insertDevice(tx, tenant_id, user_id, given)
    await countVersion(tx, tenant_id, user_id)
  }
  const isOther = known !== null && (!known.token_sha256.equals(token_sha256) || known.invalid_at !== null)
  const diff = known ? difference(facts(known), facts(given)) : {}
  // An app registers whenever it starts: that alone is no change.
  if (!known || isOther || Object.keys(diff).length > 0)
    await insertAudit(tx, tenant_id, actor, {
      action: known ? 'device.updated' : 'device.registered',
      object_type: 'device',
      object_id: device_id,
      diff
    })
  const stored = (await listDevices(tx, tenant_id, user_id)).find((one) => one.device_id === device_id)
  if (!stored) throw new Error('a device that was registered is not there')
  return stored
}

/** Rules that name the phone lose it. */
async function remove(tx: Tx, { tenant_id, user_id, actor }: Caller, device_id: string): Promise<void> {
  const { body } = await lockWishes(tx, tenant_id, user_id)
  if (!(await deleteDevice(tx, tenant_id, user_id, device_id))) throw notFound()
  const left = withoutMethods(body, (method_id) => method_id !== device_id)
  if (left) await saveWishes(tx, tenant_id, user_id, left)
  await insertAudit(tx, tenant_id, actor, { action: 'device.removed', object_type: 'device', object_id: device_id })
}

export const deviceRoutes =
  ({ pool, config }: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.route({
      ...on('listDevices', { response: { 200: DeviceList } }),
      handler: async (request) => {
        const caller = callerOf(request)
        const devices = await keyedTransaction(pool, caller, (tx) => listDevices(tx, caller.tenant_id, caller.user_id))
        return { items: devices.map(shown) }
      }
    })

    app.route({
      ...on('registerDevice', { body: RegisterDeviceBody, response: { 201: Device } }),
      handler: async (request, reply) => {
        const caller = callerOf(request)
        checkKeepsSecrets(config.secretsKey)
        checkPlatform(config, request.body.platform)
        const stored = await keyedTransaction(pool, caller, (tx) => register(tx, caller, request.body, config.secretsKey))
        return reply.code(201).send(shown(stored))
      }
    })

    app.route({
      ...on('removeDevice', { params: Type.Object({ id: Id }), response: { 204: Type.Null() } }),
      handler: async (request, reply) => {
        const caller = callerOf(request)
        await keyedTransaction(pool, caller, (tx) => remove(tx, caller, request.params.id.toLowerCase()))
        return reply.code(204).send(null)
      }
    })
  }
