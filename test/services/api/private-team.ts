/**
 * Sets up a workspace with a private team that owns one of everything, an open team beside it, and
 * people of every role. Some of them see what the team owns; the others must not learn that it
 * exists. Everything of the private team contains a word and ids that appear nowhere else, so a
 * test can search an answer for them byte by byte.
 */
import type { LightMyRequestResponse } from 'fastify'
import { type MemberRole, scopes } from '../../../schemas/http/endpoints.ts'
import { wholeWorkspace } from '../../../schemas/http/visibility.ts'
import { uuidv7 } from '../../../schemas/uuid.ts'
import { mintApiToken, mintSession } from '../../../services/credentials/credentials.ts'
import { insertApiToken } from '../../../services/store/api-tokens.ts'
import { noteIntake } from '../../../services/store/intake-facts.ts'
import { tenantTransaction } from '../../../services/store/pool.ts'
import { insertSession } from '../../../services/store/sessions.ts'
import { type Rota, rota } from './rota.ts'
import { ORIGIN, type Stand, type Workspace } from './stand.ts'

/** A word in every text of the private team. */
export const WORD = 'zwiebelfisch'

/** A person with one credential. */
export interface Holder {
  /** For test messages: the role and the kind of the credential. */
  name: string
  role: MemberRole
  user_id: string
  headers: Record<string, string>
}

/** What one team owns. */
export interface Owned {
  team_id: string
  monitor_id: string
  heartbeat_id: string
  integration_id: string
  /**
   * Ongoing incidents: a declared one, and those of the monitor, the heartbeat and the integration.
   */
  declared: Found
  by_monitor: Found
  by_heartbeat: Found
  by_integration: Found
  /** An alert that rules keep from opening an incident. */
  kept_alert_id: string
  /** A rule that assigns alerts to the team. */
  rule_id: string
  /** An escalation policy of the team. */
  policy_id: string
  /** A silence that names the team. */
  silence_id: string
  /** A maintenance window that names the monitor. */
  window_id: string
  /** A schedule of the team, and what belongs to it. */
  rota: Rota
  channel_id: string
  /** Resolved. */
  ended: Found
  /** On the declared one. */
  comment_id: string
}

interface Found {
  incident_id: string
  key: string
}

export interface Private {
  home: Workspace
  hidden: Owned
  open: Owned
  /** Of everybody. */
  spare_schedule_id: string
  /** Each person twice: with a session and with a token. */
  outsiders: Holder[]
  insiders: Holder[]
  /** Ids that no outsider may see. */
  secrets: string[]
  /** Feed items about the private team, by the outsider who has each in the feed. */
  items: Map<string, string>
}

/**
 * Sends a request. A write always has a body, because a session without one is refused in any case.
 */
export const ask = (s: Stand, { headers }: Holder, method: string, path: string, body?: unknown) =>
  s.call(null, method, path, body ?? (method === 'GET' ? undefined : {}), { headers })

/** Returns the body of an answer; throws if the answer is no success. */
export async function done(answer: Promise<{ statusCode: number; body: string; json(): Record<string, unknown> }>) {
  const { statusCode, body, json } = await answer
  if (statusCode >= 300) throw new Error(body)
  return body === '' ? {} : json()
}

/** Adds a member; returns the member with a session, and with a token of every scope. */
export async function addPerson(s: Stand, { tenant_id }: Workspace, name: string, role: MemberRole): Promise<[Holder, Holder]> {
  const user_id = uuidv7()
  await s.systemPool.query("INSERT INTO users (user_id, email, name, password_hash) VALUES ($1, $2, $3, '-')", [
    user_id,
    `${name}.${role}.${tenant_id}@private.test`,
    `${name} ${role}`
  ])
  await s.systemPool.query('INSERT INTO members (tenant_id, user_id, role) VALUES ($1, $2, $3)', [tenant_id, user_id, role])
  const session = mintSession()
  const token = mintApiToken()
  await tenantTransaction(s.tenantPool, wholeWorkspace(tenant_id), async (tx) => {
    await insertSession(tx, tenant_id, { sha256: session.sha256, user_id, ip: '127.0.0.1', user_agent: null, remembered: false })
    const settings = { name, scopes: [...scopes], expires_at: null, allowed_cidrs: [] }
    await insertApiToken(tx, tenant_id, { ...settings, user_id, sha256: token.sha256, prefix: token.prefix })
  })
  const who = { role, user_id }
  return [
    { ...who, name: `${name} ${role}, session`, headers: { cookie: `service_session=${session.value}`, origin: ORIGIN } },
    { ...who, name: `${name} ${role}, token`, headers: { authorization: `Bearer ${token.value}` } }
  ]
}

/** Creates one of everything that a team can own. `word` is in all of their texts. */
async function own(s: Stand, home: Workspace, team_id: string, word: string): Promise<Owned> {
  const make = (path: string, body: object) => done(s.call(home, 'POST', `/api/v1/${path}`, { ...body, team_id }))
  const texts = { name: `${word} shop`, description: `Of ${word}`, tags: [word], labels: { word } }
  const monitor_id = String((await make('monitors', { ...texts, type: 'http', target: `https://${word}.example.test/` })).id)
  const heartbeat_id = String((await make('heartbeats', { ...texts, schedule: { kind: 'period', period_seconds: 60 } })).id)
  const hook = { kind: 'webhook', name: `${word} hook`, config: { url: `https://${word}.example.com/` } }
  const channel_id = String((await make('notifications/channels', hook)).id)
  const integration_id = String((await make('integrations/inbound', { name: `${word} door`, source_type: 'generic' })).id)
  const declare = async (title: string): Promise<Found> => {
    const made = await make('incidents', { title, summary: `About ${word}`, severity: 'critical', dedup_key: title, labels: { word } })
    return { incident_id: String(made.id), key: String(made.key) }
  }
  const declared = await declare(`${word} declared`)
  const ended = await declare(`${word} ended`)
  const incidents = `/api/v1/incidents`
  await done(s.call(home, 'POST', `${incidents}/${ended.incident_id}/resolve`, { note: `${word} rests` }))
  const comment = await done(s.call(home, 'POST', `${incidents}/${declared.incident_id}/comments`, { body: `${word} said` }))
  await done(s.call(home, 'PUT', `${incidents}/${declared.incident_id}/postmortem`, { impact: `${word} was hit` }))
  await done(s.call(home, 'PATCH', `${incidents}/${declared.incident_id}`, { tags: [word] }))
  await done(s.call(home, 'POST', `${incidents}/${declared.incident_id}/acknowledge`, { comment: `${word} knows` }))
  const signal = (dedup_key: string) => s.incident(home, { title: `${word} fails`, team_id, dedup_key, integration_id, labels: { word } })
  const [by_monitor, by_heartbeat] = [await signal(`mon:${monitor_id}`), await signal(`hb:${heartbeat_id}`)]
  await s.systemPool.query("UPDATE incidents SET monitor_id = $2, source_kind = 'monitor' WHERE incident_id = $1", [
    by_monitor.incident_id,
    monitor_id
  ])
  await s.systemPool.query("UPDATE incidents SET heartbeat_id = $2, source_kind = 'heartbeat' WHERE incident_id = $1", [
    by_heartbeat.incident_id,
    heartbeat_id
  ])
  const by_integration = await signal(`int:${integration_id}:${word}`)
  const kept_alert_id = await s.keptAlert(home, { title: `${word} kept`, team_id, labels: { word } })
  const match = { all: [{ field: 'title', op: 'eq', value: `${word} of the rule` }] }
  const rule_id = String(
    (await done(s.call(home, 'POST', '/api/v1/routing-rules', { name: `${word} rule`, match, actions: { team_id } }))).id
  )
  const matchers = [
    { field: 'title', op: 'eq', value: `${word} of the silence` },
    { field: 'team_id', op: 'eq', value: team_id }
  ]
  const ends_at = new Date(Date.now() + 3_600_000).toISOString()
  const steps = [{ targets: [{ type: 'user', id: home.user_id }] }]
  const policy = await done(s.call(home, 'POST', '/api/v1/on-call/escalation-policies', { name: `${word} of the policy`, team_id, steps }))
  const policy_id = String(policy.id)
  const silence_id = String((await done(s.call(home, 'POST', '/api/v1/silences', { matchers, comment: `${word} rests`, ends_at }))).id)
  // The window is weeks ahead, so that it holds nothing.
  const [from, to] = [30, 31].map((days) => new Date(Date.now() + days * 86_400_000).toISOString())
  const schedule = { kind: 'once', starts_at: from, ends_at: to }
  const work = { name: `${word} moves`, reason: `Of ${word}`, scope: { monitor_ids: [monitor_id] }, schedule }
  const window_id = String((await done(s.call(home, 'POST', '/api/v1/maintenance-windows', work))).id)
  const duty = await rota(s, home, { team_id, name: `${word} rota` })
  const at = Date.now()
  const facts = { processed_at: null, ignoring_since: at, last_ignored_at: at, reasons: [{ reason: word, deliveries: 1, last_at: at }] }
  await noteIntake(s.systemPool, [{ tenant_id: home.tenant_id, integration_id, ...facts }])
  return {
    ...{
      team_id,
      monitor_id,
      heartbeat_id,
      integration_id,
      kept_alert_id,
      rule_id,
      policy_id,
      silence_id,
      window_id,
      rota: duty,
      channel_id,
      comment_id: String(comment.id)
    },
    ...{ declared, ended, by_monitor, by_heartbeat, by_integration }
  }
}

/** Writes a feed item about the private team for a person who no longer sees the team. */
async function tell(s: Stand, { tenant_id }: Workspace, { team_id, declared }: Owned, user_id: string): Promise<string> {
  const item_id = uuidv7()
  await s.systemPool.query(
    `INSERT INTO feed (tenant_id, user_id, item_id, type, category, severity, title, body, incident_id, team_id)
     VALUES ($1, $2, $3, 'announcement', 'admin', 'info', $4, $4, $5, $6)`,
    [tenant_id, user_id, item_id, `${WORD} told`, declared.incident_id, team_id]
  )
  return item_id
}

/** Sets up everything. Regions with probers must exist. */
export async function privateTeam(s: Stand, name: string): Promise<Private> {
  const home = await s.workspace(name)
  const people: Record<'in' | 'out', Holder[]> = { in: [], out: [] }
  for (const role of ['viewer', 'responder', 'editor', 'billing'] as const) people.out.push(...(await addPerson(s, home, 'outsider', role)))
  const lead = await addPerson(s, home, 'lead', 'editor')
  const member = await addPerson(s, home, 'member', 'responder')
  people.in.push(...lead, ...member, ...(await addPerson(s, home, 'high', 'admin')), ...(await addPerson(s, home, 'high', 'owner')))

  const team = (body: object) => done(ask(s, lead[0], 'POST', '/api/v1/teams', body))
  const closed = await team({ name: `${WORD} team`, description: `Of ${WORD}`, visibility: 'private' })
  const everybodys = await team({ name: 'Everybody', description: 'Of all' })
  await done(ask(s, lead[0], 'PUT', `/api/v1/teams/${closed.id}/members/${member[0].user_id}`, {}))
  const hidden = await own(s, home, String(closed.id), WORD)
  const open = await own(s, home, String(everybodys.id), 'public')
  const { schedule_id: spare_schedule_id } = await rota(s, home, { name: 'Spare' })
  const items = new Map<string, string>()
  for (const user_id of new Set(people.out.map((one) => one.user_id))) items.set(user_id, await tell(s, home, hidden, user_id))
  const { rota: duty, ...rest } = hidden
  const ids = [...Object.values(rest).map((one) => (typeof one === 'string' ? one : one.incident_id)), ...Object.values(duty)]
  return {
    home,
    hidden,
    open,
    spare_schedule_id,
    outsiders: people.out,
    insiders: people.in,
    secrets: [WORD, ...ids, ...items.values()],
    items
  }
}

/** An id of nothing. */
export const NOTHING = '01890000-0000-7000-8000-00000000dead'

/** Headers that may differ between two calls of one route, whatever the calls ask for. */
const perCall = /^(?:date|x-request-id|ratelimit|x-ratelimit|retry-after|connection|content-length)/

/** Returns everything that a client sees of an answer. `id` is the id in the request. */
function bytesOf({ statusCode, headers, body }: LightMyRequestResponse, id: string): string {
  const kept = Object.entries(headers).filter(([name]) => !perCall.test(name))
  const text = body.replace(/"request_id":"[^"]*"/, '').replaceAll(id, '<id>')
  return `${statusCode} ${JSON.stringify(kept).replaceAll(id, '<id>')} ${text}`
}

export interface Question {
  method: string
  path: (id: string) => string
  body: (id: string) => unknown
}

/**
 * Sends the request with hidden ids and with an id of nothing. Returns where the answers differ.
 */
export async function differences(
  s: Stand,
  who: Holder,
  { method, path, body }: Question,
  { hidden, nothing }: { hidden: readonly string[]; nothing: string }
): Promise<string[]> {
  const seen = async (id: string): Promise<string> => bytesOf(await ask(s, who, method, path(id), body(id)), id)
  const none = await seen(nothing)
  const wrong: string[] = []
  for (const id of hidden) {
    const answer = await seen(id)
    if (answer !== none) wrong.push(`${who.name}: ${method} ${path(id)}: ${answer} but of nothing: ${none}`)
  }
  return wrong
}

/** Sends the request with a hidden id and with an id of nothing. Returns the difference, if any. */
export const difference = (s: Stand, who: Holder, question: Question, [hidden, nothing]: [hidden: string, nothing: string]) =>
  differences(s, who, question, { hidden: [hidden], nothing })

/** Returns the secrets that appear in an answer. */
export const tellsOf =
  ({ secrets }: Pick<Private, 'secrets'>) =>
  ({ body, headers }: LightMyRequestResponse): string[] => {
    const text = `${JSON.stringify(headers)} ${body}`.toLowerCase()
    return secrets.filter((secret) => text.includes(secret.toLowerCase()))
  }
