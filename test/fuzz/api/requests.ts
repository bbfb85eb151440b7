/**
 * Requests by number. The operation, the caller and the fault of a request follow from the seed and
 * the number alone; the ids in it are those of existing objects.
 *
 * Kinds: `valid` by the schema; `near`: valid but for one change; `hostile` values; `bytes` that
 * are no JSON that the api accepts; `query`: values, names and ids in the path that no client
 * should send; `foreign`: valid, with ids of another workspace in place of the workspace's own.
 */
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { uuidv5 } from '../../../schemas/uuid.ts'
import { type Dice, diceOf, mutate } from '../mutate.ts'
import type { Operation, Schema } from './document.ts'
import { LIMIT, nestedText, odd, overStepped, scalar, spiked, spikedText, texters, types } from './hostile.ts'
import type { Sent } from './http.ts'
import { arbitraryOf, fieldOfMark, NUMBER_MARK, objectsByName } from './values.ts'
import { type Actor, actorNames, actorOf, anAddress, type Tenant } from './world.ts'

export const kinds = ['valid', 'near', 'hostile', 'bytes', 'query', 'foreign'] as const
export type Kind = (typeof kinds)[number]

export interface Asked {
  /** Its number. Seed and number make the same request again. */
  n: number
  operation: Operation
  tenant: Tenant
  actor: Actor
  kind: Kind
  /** Values of the path's parameters. */
  params: readonly string[]
  /**
   * Which ids of another workspace it holds, and whether they are in the path or in query or body.
   */
  foreign: { path: boolean; ids: readonly string[] } | null
  sent: Sent
}

type Body = { value: unknown } | null

/** With its headers, the request stays within the 16 KiB that Node reads. */
const MAX_PATH = 12_000

const SAMPLES = 60
const QUERY_SAMPLES = 40

interface Material {
  operation: Operation
  bodies: readonly unknown[]
  queries: readonly unknown[]
}

/** The collection that the id in each field belongs to. */
const collections: Readonly<Record<string, string>> = {
  integration_id: '/api/v1/integrations/inbound',
  monitor_id: '/api/v1/monitors',
  monitor_ids: '/api/v1/monitors',
  ids: '/api/v1/monitors',
  group_id: '/api/v1/monitor-groups',
  heartbeat_id: '/api/v1/heartbeats',
  heartbeat_ids: '/api/v1/heartbeats',
  assignee_id: '/api/v1/workspace/members',
  user_id: '/api/v1/workspace/members',
  on_behalf_of: '/api/v1/workspace/members',
  incident_id: '/api/v1/incidents'
}

/**
 * All callers, to be used in turn. Owners come more often, because a request that is refused for
 * its credential tests little of what comes after.
 */
export const callers: readonly string[] = actorNames.flatMap((name, index) =>
  index % 2 === 0 ? [name, 'owner, token'] : [name, 'owner, session']
)

/** How often each kind occurs in a hundred requests, by whether the operation takes a body. */
const shares: readonly (readonly [Kind, number, number])[] = [
  ['valid', 30, 40],
  ['near', 22, 0],
  ['hostile', 14, 0],
  ['bytes', 10, 0],
  ['query', 8, 30],
  ['foreign', 16, 30]
]

function kindOf(dice: Dice, takesBody: boolean): Kind {
  let at = dice.below(100)
  for (const [kind, withBody, without] of shares) {
    at -= takesBody ? withBody : without
    if (at < 0) return kind
  }
  return 'valid'
}

/**
 * Returns the value with ids in place of their marks, and the number of the request where a text
 * must be unique.
 */
function filled(value: unknown, n: number, id: (field: string) => string): unknown {
  const field = fieldOfMark(value)
  if (field !== null) return id(field)
  if (typeof value === 'string') return value.replaceAll(NUMBER_MARK, String(n))
  if (Array.isArray(value)) return value.map((one) => filled(one, n, id))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, filled(inner, n, id)]))
}

/** Percent-encodes any text. Half a surrogate pair is sent as the bytes it would have. */
const encoded = (text: string): string =>
  [...text]
    .map((character) => {
      const code = character.codePointAt(0) ?? 0
      if (code < 0xd800 || code > 0xdfff) return encodeURIComponent(character)
      return `%ED%${(0x80 | ((code >> 6) & 0x3f)).toString(16)}%${(0x80 | (code & 0x3f)).toString(16)}`
    })
    .join('')

/**
 * Fields that the api requires though the schema does not, because they can be given in two ways.
 */
const needed: Readonly<Record<string, object>> = { createMonitor: { target: 'https://example.com/' } }
const usual: ReadonlySet<string> = new Set(['target'])

/**
 * Returns the value without some of its optional fields: with every field set, hardly any
 * combination is valid. Marks of ids stay when `keepIds` is set.
 */
function thinned(value: unknown, { required = [], properties = {} }: Schema, dice: Dice, keepIds: boolean): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const isIds = (inner: unknown): boolean => [inner].flat().some((one) => fieldOfMark(one) !== null)
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) => {
      const stays = required.includes(name) || usual.has(name) || (keepIds && isIds(inner)) || dice.oneIn(4)
      return stays ? [[name, name in objectsByName ? inner : thinned(inner, properties[name] ?? {}, dice, keepIds)]] : []
    })
  )
}

function queryOf(query: unknown, dice: Dice): string {
  const parts: string[] = []
  for (const [name, value] of Object.entries(Object(query) as object)) {
    if (!Array.isArray(value)) parts.push(`${encoded(name)}=${encoded(scalar(value))}`)
    else if (dice.oneIn(2)) parts.push(`${encoded(name)}=${value.map((one) => encoded(scalar(one))).join(',')}`)
    else parts.push(...value.map((one) => `${encoded(name)}=${encoded(scalar(one))}`))
  }
  return parts.length > 0 ? `?${parts.join('&')}` : ''
}

/** An id, token or key that does not exist; always the same for the same number and field. */
const strangerId = (n: number, field: string): string => uuidv5('6ba7b810-9dad-11d1-80b4-00c04fd430c8', `${n} ${field}`)

export interface Maker {
  make(n: number, tenant: Tenant, victim: Tenant): Asked
  /** Returns the same request with non-existent ids in place of the other workspace's ids. */
  twin(asked: Asked): Asked
}

/**
 * A small gzip body that unpacks to far more than the limit. It is cached, because making it takes
 * long.
 */
let packed: Buffer | undefined
const bomb = (): Buffer => (packed ??= gzipSync(Buffer.alloc(50 * LIMIT)))

export function createMaker(operations: readonly Operation[], seed: number): Maker {
  const materials = operations.map((operation): Material => {
    const sample = (schema: Schema, count: number): unknown[] => fc.sample(arbitraryOf(schema, ''), { seed, numRuns: count })
    return { operation, bodies: operation.body ? sample(operation.body, SAMPLES) : [], queries: sample(operation.query, QUERY_SAMPLES) }
  })

  function make(n: number, tenant: Tenant, victim: Tenant): Asked {
    const dice = diceOf(seed, 'api', n)
    // Combines every operation with every caller, in turn.
    const material = materials[n % materials.length]
    const actor = actorOf(tenant, callers[Math.floor(n / materials.length) % callers.length] ?? '')
    if (!material) throw new Error('no operations')
    const { operation } = material
    const takesBody = operation.body !== null
    const kind = kindOf(dice, takesBody)
    const foreignIds: string[] = []
    let foreignPath = false

    const from = (whose: Tenant, collection: string): readonly string[] | undefined => {
      const known = whose.pools.get(collection) ?? []
      return known[dice.below(Math.max(1, known.length))]
    }
    const reference = (field: string): string => {
      if (field === 'workspace_id') return kind === 'foreign' ? foreign(victim.tenant_id) : tenant.tenant_id
      const collection = collections[field]
      const [whose, own] = kind === 'foreign' ? [victim, false] : [tenant, true]
      const found = collection === undefined ? undefined : from(whose, collection)?.at(-1)
      if (found === undefined || (own && dice.oneIn(6))) return strangerId(n, field)
      return own ? found : foreign(found)
    }
    const foreign = (id: string): string => {
      foreignIds.push(id)
      return id
    }

    function paramsOf(): string[] {
      const { params, path } = operation
      if (params.length === 0) return []
      const collection = path.slice(0, path.lastIndexOf('/{'))
      const nobody = params.map((name) => strangerId(n, name))
      // An invite's token is a secret that opens the invite for anybody who has it, so ids are used
      // in its place.
      if (kind === 'foreign') {
        // An id of another kind of object. An invite's token is not used, since its format differs.
        const others = [...victim.pools.values()].map((known) => known[0]?.at(-1) ?? '').filter((id) => !id.startsWith('inv_'))
        const other = dice.oneIn(4) ? others[dice.below(others.length)] : undefined
        const found = collection === '/api/v1/invites' ? [victim.tenant_id] : other === undefined ? from(victim, collection) : [other]
        if (!found) return nobody
        foreignPath = true
        const own = from(tenant, collection)
        // With two ids in the path, either both are foreign or only the second.
        const all = found.length === params.length ? found : nobody.map((id, index) => found[index] ?? id)
        if (own && all.length === 2 && dice.oneIn(2)) return [own[0] ?? '', foreign(all[1] ?? '')]
        return all.map(foreign)
      }
      if (kind === 'query' && dice.oneIn(2)) {
        const own = from(tenant, collection) ?? nobody
        return own.map((id) => (dice.oneIn(3) ? spikedText(id, dice) : dice.pick(odd)))
      }
      return [...(from(tenant, collection) ?? nobody)]
    }

    const params = paramsOf()
    const one = (from: readonly unknown[], schema: Schema): unknown =>
      filled(thinned(from[dice.below(from.length)], schema, dice, kind === 'foreign'), n, reference)
    let query = one(material.queries, operation.query)
    const body: Body = operation.body ? { value: { ...needed[operation.id], ...Object(one(material.bodies, operation.body)) } } : null
    const headers: Record<string, string> = { ...actor.headers, 'x-forwarded-for': anAddress(), accept: 'application/json' }

    let extra = ''
    if (kind === 'query') {
      const names = Object.keys(operation.query.properties ?? {})
      const name = names[dice.below(Math.max(1, names.length))] ?? 'page'
      if (dice.oneIn(3)) query = spiked(query, dice)
      else if (dice.oneIn(4)) query = mutate({ ...Object(query) }, { dice, some: odd, seeds: [{ text: '{}', isJson: true }] })
      else query = { ...Object(query), [dice.oneIn(8) ? dice.pick(odd) : name]: dice.pick(odd) }
      if (dice.oneIn(10))
        extra = dice.pick(['&%', '&%zz=%ff', '&=', '&a[b]=c', '&__proto__=x', '&constructor.prototype.x=y', `&${'a=b&'.repeat(1500)}`])
    }
    // A prober's long poll would delay the run, so it never waits here.
    if (operation.id === 'proberConfig' && kind !== 'query') query = { ...Object(query), wait_seconds: 0 }
    if (operation.id === 'proberConfig' && kind === 'query') extra += '&wait_seconds=0'

    // A trial would wait for a prober, and no prober of the run answers one.
    if (operation.id === 'validateMonitor' && body && kind !== 'foreign') Reflect.deleteProperty(Object(body.value), 'region')

    let bytes: Buffer | null = null
    let chunked = false
    if (body) {
      headers['content-type'] = 'application/json'
      const { value } = body
      if (kind === 'near' && dice.oneIn(2)) bytes = Buffer.from(JSON.stringify(overStepped(value, operation.body ?? {}, dice)) ?? '')
      else if (kind === 'hostile' && dice.oneIn(2)) bytes = Buffer.from(JSON.stringify(spiked(value, dice)))
      else if (kind === 'near' || kind === 'hostile') {
        const seeds = [{ text: JSON.stringify(material.bodies[dice.below(material.bodies.length)]), isJson: true }] as const
        const changed = mutate(structuredClone(value), { dice, some: odd, seeds, most: kind === 'near' ? 1 : 6 })
        bytes = Buffer.from(JSON.stringify(changed) ?? 'null')
      } else if (kind === 'bytes') {
        const text = JSON.stringify(value)
        const what = dice.below(10)
        if (what < 7) {
          const made = texters[dice.below(texters.length)]?.(text, dice) ?? ''
          bytes = typeof made === 'string' ? Buffer.from(made) : made
        } else {
          bytes = Buffer.from(text)
          if (what === 7) headers['content-type'] = types[dice.below(types.length)] ?? ''
          else if (what === 8) {
            headers['content-encoding'] = dice.pick(['gzip', 'br', 'deflate', 'identity', 'gzip, gzip'])
            if (dice.oneIn(2)) bytes = dice.oneIn(4) ? bomb() : gzipSync(bytes)
          } else chunked = true
        }
      } else bytes = Buffer.from(JSON.stringify(value))
    } else if (operation.method !== 'GET') {
      // A write with a cookie must declare JSON even when its body is empty.
      if (actor.kind === 'session' || dice.oneIn(2)) headers['content-type'] = 'application/json'
      if (kind === 'query' && dice.oneIn(2)) bytes = Buffer.from(dice.pick(['{}', '{"a":1}', 'null', '[', '"x"', nestedText(40)]))
      else if (headers['content-type'] !== undefined && operation.method !== 'DELETE') bytes = Buffer.from('{}')
    }
    if (actor.kind === 'session' && dice.oneIn(40))
      headers.origin = dice.pick(['https://evil.example', 'null', 'not an origin', `${headers.origin}:1`])

    const at = operation.params.reduce(
      (path, name, index) => path.replace(`{${name}}`, encoded(params[index] ?? '') || '%20'),
      operation.path
    )
    const asked = queryOf(query, dice)
    const path = `${at}${asked}${extra === '' || asked !== '' ? extra : `?${extra.slice(1)}`}`
    const sent: Sent = {
      method: operation.method,
      // The server's parser refuses a longer one and closes the connection while it is still being
      // sent, so the api never answers it.
      path: path.slice(0, MAX_PATH),
      headers,
      body: bytes,
      chunked
    }
    const foreignTo = foreignIds.length > 0 ? { path: foreignPath, ids: foreignIds } : null
    return { n, operation, tenant, actor, kind, params, foreign: foreignTo, sent }
  }

  return {
    make,
    twin(asked) {
      const swap = (text: string): string =>
        (asked.foreign?.ids ?? []).reduce((changed, id) => changed.replaceAll(id, strangerId(asked.n, id)), text)
      const { sent } = asked
      const headers = { ...sent.headers, 'x-forwarded-for': anAddress() }
      return { ...asked, sent: { ...sent, path: swap(sent.path), headers, body: sent.body && Buffer.from(swap(sent.body.toString())) } }
    }
  }
}

/** The request in a form that a person can repeat, without credentials. */
export function told({ operation, actor, kind, sent }: Pick<Asked, 'operation' | 'actor' | 'kind' | 'sent'>): string {
  const hidden = /^(authorization|cookie)$/
  const headers = Object.entries(sent.headers).map(([name, value]) => `${name}: ${hidden.test(name) ? '…' : value.slice(0, 300)}`)
  const body = sent.body?.toString('latin1') ?? ''
  const shown = body.length > 3000 ? `${body.slice(0, 3000)} … (${body.length} bytes)` : body
  return `${operation.id} by ${actor.name}, ${kind}\n    ${sent.method} ${sent.path.length > 1200 ? `${sent.path.slice(0, 1200)} … (${sent.path.length} characters)` : sent.path}\n    ${headers.join('\n    ')}${body === '' ? '' : `\n\n    ${JSON.stringify(shown)}`}`
}
