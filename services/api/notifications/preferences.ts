/**
 * How and when a person is reached: people read and set their own preferences; owners and admins
 * those of others.
 * Source: docs/design/api/notifications.md#no-18.
 */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { iso } from '../../../schemas/http/common.ts'
import { noWishes, Preferences, PreferencesQuery, PutPreferencesBody, type Wishes } from '../../../schemas/http/notification-preferences.ts'
import { uuidv7 } from '../../../schemas/uuid.ts'
import { canonicalEmail } from '../../credentials/email.ts'
import { difference, insertAudit } from '../../store/audit.ts'
import { slackSenders } from '../../store/chat.ts'
import { type ContactMethod, listMethods, lockWishes, memberEmail, readWishes, replaceMethods, saveWishes } from '../../store/contact.ts'
import { planDigest } from '../../store/digest-jobs.ts'
import { keyedTransaction, seeingAll, type Tx } from '../../store/pool.ts'
import { lookAtReminders } from '../../store/shift-notices.ts'
import { provenBy } from '../../store/verifications.ts'
import { type Caller, callerOf } from '../http/caller.ts'
import { on } from '../http/endpoint.ts'
import { ApiError, invalid, notFound } from '../http/errors.ts'
import { checkIfMatch } from '../http/preconditions.ts'
import { zoneNamed } from '../http/span.ts'
import type { Services } from '../services.ts'
import { checkedAddress, checkSetUp } from './addresses.ts'
import { withoutMethods } from './rules-of-methods.ts'

type GivenMethods = NonNullable<PutPreferencesBody['contact_methods']>

/**
 * Returns the person: the caller, or the member that an admin names. Throws FORBIDDEN or NOT_FOUND.
 */
async function personOf(tx: Tx, caller: Caller, user_id = caller.user_id): Promise<{ user_id: string; email: string }> {
  const id = user_id.toLowerCase()
  if (id !== caller.user_id && !caller.rights.has('admin'))
    throw new ApiError('FORBIDDEN', 'Only owners and admins can see and change the contact methods of others')
  const email = await memberEmail(tx, caller.tenant_id, id)
  if (email === null) throw notFound()
  return { user_id: id, email }
}

/** Returns a checked address. Throws VALIDATION_FAILED. */
function newAddress(
  config: Services['config'],
  kind: Exclude<GivenMethods[number]['kind'], 'slack_dm'>,
  address: string,
  path: string
): string {
  if (kind === 'push') throw invalid(`${path}.kind`, 'enum', 'is added by the app on the device')
  if (kind === 'telegram') throw invalid(`${path}.kind`, 'enum', 'is added by linking oneself to the bot of the service')
  checkSetUp(config, kind, `${path}.kind`)
  return checkedAddress(kind, address, `${path}.address`)
}

/**
 * Existing methods keep their proof. A new one counts as proven if it is the account's own address.
 * Throws VALIDATION_FAILED.
 */
function methodsFrom(
  config: Services['config'],
  before: readonly ContactMethod[],
  given: GivenMethods,
  { email, senders }: { email: string; senders: ReadonlySet<string> }
): ContactMethod[] {
  const seen = new Set<string>()
  return given.map(({ id, kind, address }, position) => {
    const path = `contact_methods[${position}]`
    const old = id === undefined ? undefined : before.find(({ method_id }) => method_id === id.toLowerCase())
    if (id !== undefined && !old) throw invalid(`${path}.id`, 'unknown_method', 'is not a contact method of this person')
    if (old && (old.kind !== kind || old.address !== address))
      throw invalid(path, 'immutable', 'cannot change: remove it, and add a new one')
    const written = old
      ? old.address
      : kind === 'slack_dm'
        ? linkedSender(address, `${path}.address`, senders)
        : newAddress(config, kind, address, path)
    const key = `${kind} ${canonicalEmail(written)}`
    if (seen.has(key)) throw invalid(path, 'unique', 'is listed twice')
    seen.add(key)
    if (old) return { ...old, position }
    const isOwn = kind === 'slack_dm' || (kind === 'email' && canonicalEmail(written) === canonicalEmail(email))
    return { method_id: uuidv7(), kind, address: written, verified_at: isOwn ? Date.now() : null, position }
  })
}

/** Throws VALIDATION_FAILED. A Slack sender is proven by the link that made it the member's. */
function linkedSender(address: string, path: string, senders: ReadonlySet<string>): string {
  if (senders.has(address)) return address
  throw invalid(path, 'not_linked', 'must be account:sender of a Slack account that is linked to this person, where the app is added')
}

/** An address that the person has proven in this workspace needs no second proof. */
async function withProofs(tx: Tx, tenant_id: string, user_id: string, methods: readonly ContactMethod[]): Promise<ContactMethod[]> {
  const open = methods.filter(({ verified_at }) => verified_at === null).map(({ address }) => address)
  const proven = await provenBy(tx, tenant_id, user_id, open)
  return methods.map((method) => ({ ...method, verified_at: method.verified_at ?? proven.get(method.address) ?? null }))
}

/** Ids are stored in lower case: whoever is paged is asked by the method of exactly that id. */
function writtenRules(rules: Wishes['rules']): Wishes['rules'] {
  const written = (some: Wishes['rules']['default']) => some.map((rule) => ({ ...rule, method_id: rule.method_id.toLowerCase() }))
  return { default: written(rules.default), high: written(rules.high) }
}

function checkWishes({ rules }: Wishes, methods: readonly ContactMethod[]): void {
  const known = new Set(methods.map(({ method_id }) => method_id))
  for (const urgency of ['default', 'high'] as const)
    for (const [at, { method_id }] of rules[urgency].entries())
      if (!known.has(method_id))
        throw invalid(`rules.${urgency}[${at}].method_id`, 'unknown_method', 'is not a contact method of this person')
}

/** The zone gets a name that can be read when somebody is paged. Throws VALIDATION_FAILED. */
const writtenHours = (hours: Wishes['quiet_hours']): Wishes['quiet_hours'] =>
  hours && { ...hours, time_zone: zoneNamed(hours.time_zone, 'quiet_hours.time_zone') }

async function shown(tx: Tx, { tenant_id }: Caller, user_id: string): Promise<Preferences> {
  const { ver, body } = await readWishes(tx, tenant_id, user_id)
  const methods = await listMethods(tx, tenant_id, user_id)
  // A phone that was removed, or went to somebody else, may still be named in the rules.
  const known = new Set(methods.map(({ method_id }) => method_id))
  const wishes = withoutMethods(body, (method_id) => known.has(method_id)) ?? { ...noWishes, ...body }
  return {
    user_id,
    contact_methods: methods.map(({ method_id, verified_at, ...method }) => ({ id: method_id, ...method, verified_at: iso(verified_at) })),
    ...wishes,
    version: ver
  }
}

async function change(
  tx: Tx,
  caller: Caller,
  { user_id, email }: { user_id: string; email: string },
  given: PutPreferencesBody,
  config: Services['config']
): Promise<void> {
  const { tenant_id, actor } = caller
  const before = await listMethods(tx, tenant_id, user_id)
  const { contact_methods, ...wanted } = given
  const senders = await slackSenders(tx, tenant_id, user_id)
  const methods = contact_methods
    ? await withProofs(tx, tenant_id, user_id, methodsFrom(config, before, contact_methods, { email, senders }))
    : before
  const wishes: Wishes = {
    ...noWishes,
    ...wanted,
    rules: writtenRules(wanted.rules ?? noWishes.rules),
    quiet_hours: writtenHours(wanted.quiet_hours ?? null)
  }
  checkWishes(wishes, methods)
  const old = { ...noWishes, ...(await readWishes(tx, tenant_id, user_id)).body }
  if (contact_methods) await replaceMethods(tx, tenant_id, user_id, methods)
  await saveWishes(tx, tenant_id, user_id, wishes)
  if (JSON.stringify(old.digest) !== JSON.stringify(wishes.digest)) await planDigest(tx, tenant_id, user_id, Date.now())
  const shifts = ({ shift_reminders_minutes, handoff_summary }: Wishes): string =>
    JSON.stringify([shift_reminders_minutes, handoff_summary])
  if (shifts(old) !== shifts(wishes)) await seeingAll(tx, (tx) => lookAtReminders(tx, tenant_id))
  // Numbers and addresses stay out of the audit log.
  const kinds = (some: readonly ContactMethod[]) => some.map(({ kind }) => kind)
  const diff = difference({ ...old, contact_methods: kinds(before) }, { ...wishes, contact_methods: kinds(methods) })
  await insertAudit(tx, tenant_id, actor, { action: 'preferences.set', object_type: 'preferences', object_id: user_id, diff })
}

export const preferenceRoutes =
  ({ pool, config }: Services): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.route({
      ...on('readPreferences', { querystring: PreferencesQuery, response: { 200: Preferences } }),
      handler: async (request, reply) => {
        const caller = callerOf(request)
        const found = await keyedTransaction(pool, caller, async (tx) => {
          const { user_id } = await personOf(tx, caller, request.query.user_id)
          return shown(tx, caller, user_id)
        })
        return reply.header('etag', `"${found.version}"`).send(found)
      }
    })

    app.route({
      ...on('putPreferences', { querystring: PreferencesQuery, body: PutPreferencesBody, response: { 200: Preferences } }),
      handler: async (request, reply) => {
        const caller = callerOf(request)
        const after = await keyedTransaction(pool, caller, async (tx) => {
          const person = await personOf(tx, caller, request.query.user_id)
          const { ver } = await lockWishes(tx, caller.tenant_id, person.user_id)
          checkIfMatch(request, ver)
          await change(tx, caller, person, request.body, config)
          return shown(tx, caller, person.user_id)
        })
        return reply.header('etag', `"${after.version}"`).send(after)
      }
    })
  }
