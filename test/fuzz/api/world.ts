/**
 * Callers and data. The fuzzed workspaces have people of every role with their sessions and tokens,
 * and one object of every kind. One more workspace must stay invisible to all of them: every id of
 * it is known here, and every name in it contains a word that appears nowhere else.
 */
import { randomBytes } from 'node:crypto'
import type { Codec } from '../../../schemas/codec.ts'
import { type MemberRole, roles, scopes } from '../../../schemas/http/endpoints.ts'
import { scopesOfRole } from '../../../schemas/http/rights.ts'
import { uuidv7 } from '../../../schemas/uuid.ts'
import { hashPassword, mintApiToken, mintSession } from '../../../services/credentials/credentials.ts'
import { saveFeed } from '../../../services/store/feed.ts'
import { type Pool, type Tx, transaction } from '../../../services/store/pool.ts'
import { createWorkspace } from '../../../services/store/tenants.ts'
import type { Answer, Client } from './http.ts'

export const PUBLIC_URL = 'http://status.example.test'
const PASSWORD = 'correct horse battery staple'

export type CallerKind = 'session' | 'token' | 'none' | 'prober'

export interface Actor {
  name: string
  kind: CallerKind
  /** null: a stranger. */
  role: MemberRole | null
  /** The scopes of the credential. */
  scopes: readonly string[]
  user_id: string
  headers: Readonly<Record<string, string>>
}

/**
 * Known objects by the path of their collection. Each is the values of all path parameters, its own
 * id last.
 */
export type Pools = Map<string, string[][]>

export interface Tenant {
  tenant_id: string
  email: string
  actors: Actor[]
  pools: Pools
  /** Tokens of its integrations, with their sources. */
  doors: { token: string; source_type: string }[]
  /** Paths of its heartbeats' pings. */
  pings: string[]
  /**
   * People and tokens that send requests. They are not changed or removed, so that they can go on.
   */
  spared: Set<string>
}

export interface Access {
  pool: Pool
  codec: Pick<Codec, 'encode'> & Codec
  client: Client
}

/** Kinds of callers, in the order that they have in every workspace. */
export const actorNames: readonly string[] = [
  ...roles.flatMap((role) => [`${role}, session`, `${role}, token`]),
  'read-only token',
  'ingest token',
  'no credential',
  'unknown token',
  'revoked token',
  'prober'
]

let hashed: Promise<string> | undefined

async function addPerson(tx: Tx, tenant_id: string, role: MemberRole, name: string): Promise<string> {
  const user_id = uuidv7()
  hashed ??= hashPassword(PASSWORD)
  await tx.query('INSERT INTO users (user_id, email, name, password_hash) VALUES ($1, $2, $3, $4)', [
    user_id,
    `${user_id}@${name}.example`,
    name,
    await hashed
  ])
  await tx.query('INSERT INTO members (tenant_id, user_id, role) VALUES ($1, $2, $3)', [tenant_id, user_id, role])
  return user_id
}

async function addToken(
  tx: Tx,
  tenant_id: string,
  user_id: string,
  allowed: readonly string[],
  revoked = false
): Promise<{ value: string; token_id: string }> {
  const [token, token_id] = [mintApiToken(), uuidv7()]
  await tx.query(
    `INSERT INTO api_tokens (tenant_id, token_id, user_id, name, prefix, token_sha256, scopes, revoked_at)
     VALUES ($1, $2, $3, 'fuzz', $4, $5, $6, CASE WHEN $7 THEN now() END)`,
    [tenant_id, token_id, user_id, token.prefix, token.sha256, allowed, revoked]
  )
  return { value: token.value, token_id }
}

async function addSession(tx: Tx, tenant_id: string, user_id: string): Promise<string> {
  const session = mintSession()
  await tx.query(
    "INSERT INTO sessions (session_sha256, tenant_id, user_id, idle_seconds, expires_at) VALUES ($1, $2, $3, 86400, now() + interval '10 days')",
    [session.sha256, tenant_id, user_id]
  )
  return session.value
}

const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` })
const cookie = (session: string): Record<string, string> => ({ cookie: `service_session=${session}`, origin: PUBLIC_URL })

/**
 * Gives a caller new credentials when the old ones no longer work, and undoes whatever changed the
 * person.
 */
export async function mend(pool: Pool, tenant: Tenant, actor: Actor): Promise<Actor> {
  const { tenant_id, spared, actors } = tenant
  const mended = await transaction(pool, async (tx): Promise<Actor> => {
    await tx.query(
      'INSERT INTO members (tenant_id, user_id, role) VALUES ($1, $2, $3) ON CONFLICT (tenant_id, user_id) DO UPDATE SET role = $3',
      [tenant_id, actor.user_id, actor.role]
    )
    if (actor.kind === 'session') return { ...actor, headers: cookie(await addSession(tx, tenant_id, actor.user_id)) }
    const { value, token_id } = await addToken(tx, tenant_id, actor.user_id, actor.scopes)
    spared.add(token_id)
    return { ...actor, headers: bearer(value) }
  })
  actors[actors.indexOf(actor)] = mended
  return mended
}

/** Makes a workspace with its callers and nothing else. */
async function addTenant(pool: Pool, name: string, prober: string): Promise<Tenant> {
  const token = mintApiToken()
  hashed ??= hashPassword(PASSWORD)
  const email = `owner@${name}.example`
  const created = await createWorkspace(pool, {
    workspace_name: name,
    slug: name,
    plan: 'enterprise',
    email,
    user_name: `Owner ${name}`,
    password_hash: await hashed,
    token: { name: `all ${name}`, sha256: token.sha256, prefix: token.prefix, scopes }
  })
  const { tenant_id } = created
  const spared = new Set([created.user_id, created.token_id])
  const actors = await transaction(pool, async (tx) => {
    const found: Actor[] = []
    const withToken = async (
      name: string,
      role: MemberRole,
      user_id: string,
      allowed: readonly string[],
      revoked = false
    ): Promise<Actor> => {
      const { value, token_id } = await addToken(tx, tenant_id, user_id, allowed, revoked)
      spared.add(token_id)
      return { name, kind: 'token', role, scopes: allowed, user_id, headers: bearer(value) }
    }
    const none = { kind: 'none', role: null, scopes: [], user_id: '' } as const
    for (const role of roles) {
      const user_id = role === 'owner' ? created.user_id : await addPerson(tx, tenant_id, role, name)
      spared.add(user_id)
      const session = await addSession(tx, tenant_id, user_id)
      found.push({ name: `${role}, session`, kind: 'session', role, scopes: scopesOfRole[role], user_id, headers: cookie(session) })
      found.push(await withToken(`${role}, token`, role, user_id, scopes))
    }
    found.push(await withToken('read-only token', 'owner', created.user_id, ['read']))
    found.push(await withToken('ingest token', 'owner', created.user_id, ['ingest']))
    found.push({ ...none, name: 'no credential', headers: {} })
    found.push({ ...none, name: 'unknown token', headers: bearer(mintApiToken().value) })
    found.push({ ...(await withToken('revoked token', 'owner', created.user_id, scopes, true)), ...none, name: 'revoked token' })
    found.push({ ...none, name: 'prober', kind: 'prober', headers: bearer(prober) })
    return found
  })
  return { tenant_id, email, actors, pools: new Map(), doors: [], pings: [], spared }
}

export const actorOf = (tenant: Tenant, name: string): Actor => {
  const found = tenant.actors.find((actor) => actor.name === name)
  if (!found) throw new Error(`no caller ${name}`)
  return found
}

const POOL = 40

/**
 * Collects from an answer the ids of listed and created objects, tokens of doors, and addresses of
 * pings and of invites.
 */
export function harvest(tenant: Tenant, pattern: string, params: readonly string[], body: unknown): void {
  if (typeof body !== 'object' || body === null) return
  const note = (collection: string, values: string[]): void => {
    const known = tenant.pools.get(collection) ?? []
    if (tenant.spared.has(values.at(-1) ?? '') || known.some((one) => one.at(-1) === values.at(-1))) return
    known.push(values)
    if (known.length > POOL) known.shift()
    tenant.pools.set(collection, known)
  }
  const text = (value: unknown, name: string): string | null => {
    const found: unknown = Reflect.get(Object(value), name)
    return typeof found === 'string' ? found : null
  }
  const items: unknown = Reflect.get(body, 'items')
  for (const one of Array.isArray(items) ? items : [body]) {
    // A member has no id besides the person's id; other objects use `user_id` for the person they
    // belong to.
    const id = text(one, 'id') ?? text(one, 'event_id') ?? (pattern.endsWith('/members') ? text(one, 'user_id') : null)
    if (id !== null) note(pattern, [...params, id])
  }
  const accept = text(body, 'accept_url')?.split('/').at(-1)
  if (accept) note('/api/v1/invites', [accept])
  const ping = text(body, 'ping_url')
  if (ping !== null && URL.canParse(ping)) tenant.pings.push(new URL(ping).pathname)
  const [token, source_type] = [text(body, 'token'), text(body, 'source_type')]
  if (token !== null && source_type !== null) tenant.doors.push({ token, source_type })
  for (const list of [tenant.pings, tenant.doors]) if (list.length > POOL) list.shift()
}

/**
 * Returns a new address for every request, so that limits per address do not stop the run. The api
 * is configured to trust it.
 */
let addresses = 0
export function anAddress(): string {
  addresses += 1
  return `10.${(addresses >> 16) & 255}.${(addresses >> 8) & 255}.${addresses & 255}`
}

/** Sends a request as the workspace's owner. Throws when it does not succeed. */
export async function must({ client, pool }: Access, tenant: Tenant, method: string, path: string, body?: unknown): Promise<unknown> {
  const ask = (): Promise<Answer> =>
    client.send({
      method,
      path,
      headers: {
        ...actorOf(tenant, 'owner, token').headers,
        'x-forwarded-for': anAddress(),
        ...(body === undefined ? {} : { 'content-type': 'application/json' })
      },
      body: body === undefined ? null : Buffer.from(JSON.stringify(body))
    })
  let answer = await ask()
  if (answer.status === 401) {
    await mend(pool, tenant, actorOf(tenant, 'owner, token'))
    answer = await ask()
  }
  while (answer.status === 429) {
    await new Promise((resolve) => setTimeout(resolve, 50))
    answer = await ask()
  }
  if (answer.status === 0 || answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.body}`)
  return answer.body === '' ? null : (JSON.parse(answer.body) as unknown)
}

type Make = (access: Access, tenant: Tenant, name: string) => Promise<void>

/** Creates an object through the API. Resolves with its id. */
async function post(
  access: Access,
  tenant: Tenant,
  path: string,
  body: unknown,
  params: readonly string[] = [],
  pattern = path
): Promise<string> {
  const made = await must(access, tenant, 'POST', path, body)
  harvest(tenant, pattern, params, made)
  return String(Reflect.get(Object(made), 'id'))
}

/** How to create objects of each collection, with `name` in every name. */
const contents: Readonly<Record<string, Make>> = {
  '/api/v1/incidents': async (access, tenant, name) => {
    await post(access, tenant, '/api/v1/incidents', { title: `Second of ${name}`, severity: 'info' })
    const id = await post(access, tenant, '/api/v1/incidents', { title: `Disk of ${name}`, severity: 'critical', labels: { host: name } })
    await post(access, tenant, `/api/v1/incidents/${id}/comments`, { body: `On it, ${name}` }, [id], '/api/v1/incidents/{id}/comments')
  },
  '/api/v1/monitors': async (access, tenant, name) => {
    await post(access, tenant, '/api/v1/monitors', {
      name: `Shop ${name}`,
      type: 'http',
      target: 'https://example.com/',
      tags: [name.replace(' ', '-')]
    })
  },
  '/api/v1/private-locations': async (access, tenant, name) => {
    await post(access, tenant, '/api/v1/private-locations', { label: `Office ${name}`.slice(0, 80) })
  },
  '/api/v1/monitor-groups': async (access, tenant, name) => {
    await post(access, tenant, '/api/v1/monitor-groups', { name: `Group ${name}` })
  },
  '/api/v1/heartbeats': async (access, tenant, name) => {
    const schedule = { kind: 'period', period_seconds: 86_400 }
    await post(access, tenant, '/api/v1/heartbeats', { name: `Copy ${name}`, schedule })
  },
  '/api/v1/integrations/inbound': async (access, tenant, name) => {
    for (const source_type of ['generic', 'alertmanager', 'grafana'])
      await post(access, tenant, '/api/v1/integrations/inbound', {
        name: `${source_type} ${name}`,
        source_type,
        labels_add: { team: name }
      })
  },
  '/api/v1/workspace/tokens': async (access, tenant, name) => {
    await post(access, tenant, '/api/v1/workspace/tokens', { name: `spare ${name}`, scopes: ['read'] })
  },
  '/api/v1/workspace/invites': async (access, tenant, name) => {
    await post(access, tenant, '/api/v1/workspace/invites', {
      email: `guest@${name.replace(' ', '-')}.${tenant.tenant_id}.example`,
      role: 'viewer'
    })
  },
  '/api/v1/workspace/members': ({ pool }, tenant, name) =>
    transaction(pool, async (tx) =>
      harvest(tenant, '/api/v1/workspace/members', [], { user_id: await addPerson(tx, tenant.tenant_id, 'viewer', name.replace(' ', '-')) })
    ),
  '/api/v1/notifications/feed': ({ pool, codec }, tenant, name) =>
    transaction(pool, async (tx) => {
      const about = {
        type: 'limit',
        severity: 'warning',
        title: `Limit of ${name}`,
        body: name,
        at: Date.now(),
        audience: 'managers'
      } as const
      await saveFeed(tx, [{ tenant_id: tenant.tenant_id, key: name, ...about }], codec)
      const { rows } = await tx.query<{ item_id: string }>('SELECT item_id FROM feed WHERE tenant_id = $1', [tenant.tenant_id])
      for (const { item_id } of rows) harvest(tenant, '/api/v1/notifications/feed', [], { id: item_id })
    })
}

/** Adds an object to a collection, or to the collection it belongs to. */
export async function addContent(access: Access, tenant: Tenant, collection: string, name: string): Promise<void> {
  const own = Object.entries(contents).find(([path]) => collection === path || collection.startsWith(`${path}/`))
  await own?.[1](access, tenant, name)
}

/** Makes a workspace with one object of every kind that the API can create. */
export async function addTenantWithContent(access: Access, name: string, prober: string): Promise<Tenant> {
  const tenant = await addTenant(access.pool, name, prober)
  for (const make of Object.values(contents)) await make(access, tenant, name)
  return tenant
}

/**
 * Sends a payload that is refused to each of the workspace's doors. It is stored, so there is
 * something to list and to read.
 */
export async function deliver({ client }: Access, { doors }: Tenant): Promise<void> {
  for (const { token } of doors) {
    const headers = { 'content-type': 'application/json', 'x-forwarded-for': anAddress() }
    await client.send({ method: 'POST', path: `/api/v1/webhooks/incoming/${token}`, headers, body: Buffer.from('"nothing"') })
  }
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g

export interface Victim {
  tenant: Tenant
  /** A word that is part of every name in the workspace. */
  canary: string
  /** Every id it has. */
  ids: ReadonlySet<string>
  /** Reads everything stored about it, except when its credentials were last used. */
  dump(): Promise<Map<string, string>>
}

export async function addVictim(access: Access, prober: string): Promise<Victim> {
  const canary = `canary-${randomBytes(6).toString('hex')}`
  const tenant = await addTenantWithContent(access, canary, prober)
  const { pool } = access
  const { tenant_id } = tenant

  async function dump(): Promise<Map<string, string>> {
    const { rows: tables } = await pool.query<{ name: string }>(
      `SELECT c.relname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname = 'public' AND c.relkind IN ('r', 'p') AND NOT c.relispartition
          AND EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'tenant_id' AND NOT a.attisdropped)
        ORDER BY 1`
    )
    const found = new Map<string, string>()
    const note = async (name: string, from: string): Promise<void> => {
      const { rows } = await pool.query(
        `SELECT to_jsonb(x) - 'last_used_at' - 'last_used_ip' - 'last_seen_at' AS row FROM ${from} ORDER BY x::text`,
        [tenant_id]
      )
      found.set(name, JSON.stringify(rows.map(({ row }) => row as unknown)))
    }
    for (const { name } of tables) await note(name, `${name} x WHERE tenant_id = $1`)
    await note('users', 'users x WHERE user_id IN (SELECT user_id FROM members WHERE tenant_id = $1)')
    return found
  }

  // Waits until the relay has sent everything and the folds have processed it: after that, nothing
  // in the workspace changes by itself.
  const watched = ['/api/v1/monitors', '/api/v1/heartbeats'].flatMap((path) => (tenant.pools.get(path) ?? []).map((one) => one.at(-1)))
  for (let settled = false; !settled; ) {
    const { rows } = await pool.query<{ waiting: number; folded: number }>(
      `SELECT (SELECT count(*) FROM outbox WHERE tenant_id = $1)::int AS waiting, (SELECT count(*) FROM partition_state WHERE key = ANY ($2))::int AS folded`,
      [tenant_id, watched]
    )
    settled = rows[0]?.waiting === 0 && rows[0].folded >= watched.length
    if (!settled) await new Promise((resolve) => setTimeout(resolve, 50))
  }
  const ids = new Set([...(await dump()).values()].flatMap((rows) => rows.match(UUID) ?? []))
  return { tenant, canary, ids, dump }
}

/** Returns an id or name of `victim` that occurs in `text` but not in `said`, or null. */
export function foreignIn(victim: Pick<Victim, 'canary' | 'ids'>, text: string, said: string): string | null {
  if (text.includes(victim.canary) && !said.includes(victim.canary)) return victim.canary
  for (const id of text.toLowerCase().match(UUID) ?? []) if (victim.ids.has(id) && !said.toLowerCase().includes(id)) return id
  return null
}

/** Whether a socket accepts the caller. */
export const mayHear = ({ kind, role }: Actor): boolean => role !== null && (kind === 'token' || kind === 'session')
