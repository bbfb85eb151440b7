/**
 * Plays the situations of the matrix. The api or an install creates a channel of each kind, the
 * fold opens incidents, the notifier's own engine and senders deliver, and a contract server plays
 * the vendor. The result is told in the words of the table, so that it can be compared with the
 * expected row.
 */
import type { ChannelKind } from '../../../schemas/http/notification-words.ts'
import { rightsOf } from '../../../schemas/http/rights.ts'
import { uuidv7 } from '../../../schemas/uuid.ts'
import type { Caller } from '../../../services/api/http/caller.ts'
import { saveInstall } from '../../../services/api/notifications/channel-install.ts'
import { apps } from '../../../services/channels/apps/index.ts'
import { channels } from '../../../services/channels/kinds/index.ts'
import { tenantTransaction } from '../../../services/store/pool.ts'
import { until } from '../../harness/until.ts'
import type { Stand, Workspace } from '../api/stand.ts'
import { type Contract, type ContractServer, type FaultName, faultOf, faults, type Heard, type Situation } from './contract.ts'

const CHANNELS = '/api/v1/notifications/channels'
/** Limit for a delivery that is always refused. */
const MAX_ROUNDS = 5
const MINUTE_MS = 60_000
/** Longer than the default waits before the first three attempts: the vendor asked for it. */
const ASKED_MINUTES = 3

/** Input of a scene: the kind of channel, its contract, and a server with an empty memory. */
export interface Scene {
  s: Stand
  kind: string
  contract: Contract
  server: ContractServer
}

interface Cast extends Scene {
  home: Workspace
  channel_id: string
  /** Waits of at least a minute between attempts, in order. */
  waits: number[]
}

interface Ledger {
  event: string
  state: string
  suppressed_by: string | null
  suppressed_cause: string | null
  attempts: number
  wait: string | null
}

const isFault = (situation: Situation): situation is FaultName => faults.some((name) => name === situation)

/** Returns the requests to the other side as one text: `trigger, 2× 500`. */
export function spoken(said: readonly string[]): string {
  const groups: [what: string, times: number][] = []
  for (const what of said) {
    const last = groups.at(-1)
    if (last?.[0] === what) last[1] += 1
    else groups.push([what, 1])
  }
  return groups.length === 0 ? 'nothing' : groups.map(([what, times]) => (times === 1 ? what : `${times}× ${what}`)).join(', ')
}

/**
 * Stores what an install creates, as the return from the vendor's page does. Returns the channel.
 */
async function install({ s, contract, kind }: Scene, { tenant_id, user_id }: Workspace, config: object): Promise<string> {
  const app = apps[kind as ChannelKind]
  if (!app || !contract.installed) throw new Error(`${kind} has no app`)
  const actor = { kind: 'user', id: user_id, via: 'ui', request_id: null } as const
  const caller: Caller = {
    ...{ kind: 'session', session_sha256: '', tenant_id, seen_by: null, user_id, role: 'owner', plan: 'business' },
    ...{ rights: rightsOf('owner', null), expires_at: null, actor }
  }
  const installed = { outcome: 'installed', ...contract.installed(config as Record<string, unknown>) } as const
  return tenantTransaction(s.services.pool, caller, (tx) =>
    saveInstall(tx, caller, { app, installed, secretsKey: s.services.config.secretsKey, now: Date.now() })
  )
}

const EVENTS = ['down', 'up', 'acknowledged', 'assigned']

async function made(scene: Scene, name: string): Promise<Cast & { answer: string }> {
  const { s, contract, server, kind } = scene
  const home = await s.workspace(name)
  const config = contract.config(server.url)
  server.play(contract.vendor(config, server.url), null)
  const answer = contract.installed
    ? await s.call(home, 'PATCH', `${CHANNELS}/${await install(scene, home, config)}`, { events: EVENTS })
    : await s.call(home, 'POST', CHANNELS, { name: kind, kind, is_default: true, events: EVENTS, config })
  if (answer.statusCode >= 300) throw new Error(`${kind}: ${answer.statusCode} ${answer.body}`)
  const channel_id: string = answer.json().id
  // The verification of addresses and numbers has its own tests.
  await s.systemPool.query('UPDATE notification_channels SET verified_at = coalesce(verified_at, now()) WHERE channel_id = $1', [
    channel_id
  ])
  // All workspaces of a row have the same address.
  await s.systemPool.query('DELETE FROM confirmation_mails')
  return { s, contract, server, kind, home, channel_id, waits: [], answer: answer.body }
}

/** Returns the last delivery of the workspace. */
async function lastOf({ s, home }: Cast): Promise<Ledger | undefined> {
  const { rows } = await s.systemPool.query<Ledger>(
    `SELECT event, state, suppressed_by, suppressed_cause, attempts,
            CASE WHEN state = 'retrying' THEN floor(extract(epoch FROM next_at) * 1000) - (attempt_log->-1->>'at')::numeric END AS wait
       FROM deliveries WHERE tenant_id = $1 ORDER BY seq DESC LIMIT 1`,
    [home.tenant_id]
  )
  return rows[0]
}

async function isQuiet({ s, home }: Cast): Promise<boolean> {
  const { rows } = await s.systemPool.query<{ quiet: boolean }>(
    `SELECT NOT EXISTS (SELECT FROM deliveries WHERE tenant_id = $1 AND open AND state <> 'retrying')
        AND NOT EXISTS (SELECT FROM jobs WHERE tenant_id = $1 AND kind = 'incident_notify') AS quiet`,
    [home.tenant_id]
  )
  return rows[0]?.quiet ?? false
}

/**
 * Runs everything to its end. Sends waiting deliveries at once, and records how long they would
 * have waited.
 */
async function settled(cast: Cast): Promise<void> {
  const { s, home, kind, waits } = cast
  for (let rounds = 0; ; rounds++) {
    await until(`${kind} to be told`, () => isQuiet(cast))
    const last = await lastOf(cast)
    if (last?.state !== 'retrying' || rounds === MAX_ROUNDS) return
    waits.push(Number(last.wait))
    await s.systemPool.query("UPDATE deliveries SET next_at = now() WHERE tenant_id = $1 AND state = 'retrying'", [home.tenant_id])
    await until(`${kind} to be tried again`, async () => {
      const now = await lastOf(cast)
      return now?.state !== 'retrying' || now.attempts > last.attempts
    })
  }
}

/** Returns the requests since `from`, with the waits that a vendor asked for. */
const heardOf = ({ server, waits }: Cast, from = 0): string[] =>
  server.heard.slice(from).map(({ said }, at) => {
    const wait = Math.floor((waits[at] ?? 0) / MINUTE_MS)
    return wait < ASKED_MINUTES || !/^(?:\d{3}|no answer|nonsense)$/.test(said) ? said : `${said} (${wait} min)`
  })

async function endOf(cast: Cast, before: Ledger | undefined): Promise<string> {
  const last = await lastOf(cast)
  const { rows } = await cast.s.systemPool.query<{ health_state: string }>(
    'SELECT health_state FROM notification_channels WHERE channel_id = $1',
    [cast.channel_id]
  )
  const isNew = last !== undefined && (before === undefined || last.event !== before.event)
  const state = !isNew
    ? 'not told'
    : last.state === 'suppressed'
      ? `suppressed (${last.suppressed_cause ?? last.suppressed_by})`
      : last.state
  return rows[0]?.health_state === 'disabled' ? `${state}, channel off` : state
}

async function acted(cast: Cast, incident_id: string, action: string, body: object): Promise<void> {
  const answer = await cast.s.call(cast.home, 'POST', `/api/v1/incidents/${incident_id}/${action}`, body)
  if (answer.statusCode >= 300) throw new Error(`${action}: ${answer.body}`)
  await settled(cast)
}

async function opened(cast: Cast): Promise<string> {
  const { incident_id } = await cast.s.incident(cast.home)
  await settled(cast)
  return incident_id
}

const actions = {
  update: (cast: Cast, id: string) => acted(cast, id, 'assign', { user_id: cast.home.user_id }),
  acknowledge: (cast: Cast, id: string) => acted(cast, id, 'acknowledge', {}),
  recover: (cast: Cast, id: string) => acted(cast, id, 'resolve', { note: 'Done.' })
} as const

async function created(scene: Scene, name: string): Promise<string> {
  const cast = await made(scene, name)
  const { config } = JSON.parse(cast.answer) as { config: Record<string, unknown> }
  const channel = channels[scene.kind as keyof typeof channels]
  const shown = channel?.fields.filter(({ secret, name }) => secret && typeof config[name] === 'string' && config[name] !== '********')
  if (shown && shown.length > 0) return `saved, and shows ${shown.map(({ name }) => name).join(', ')}`
  return `${spoken(heardOf(cast))} → saved`
}

async function tested(scene: Scene, name: string): Promise<string> {
  const cast = await made(scene, name)
  const answer = await scene.s.call(cast.home, 'POST', `${CHANNELS}/${cast.channel_id}/test`, {})
  const { ok, error } = answer.json() as { ok: boolean; error: string | null }
  return `${spoken(heardOf(cast))} → ${ok ? 'arrived' : `not arrived: ${error}`}`
}

/** From now on the vendor accepts only another credential. The channel is given it and sends. */
async function rotated(scene: Scene, name: string): Promise<string> {
  const { contract, server, s } = scene
  if (contract.rotated === null) throw new Error(`${scene.kind}: has nothing to rotate`)
  const cast = await made(scene, name)
  const valid = contract.rotated(server.url)
  server.play(contract.vendor(valid, server.url), null)
  if (contract.installed) await install(scene, cast.home, valid)
  else {
    const answer = await s.call(cast.home, 'PATCH', `${CHANNELS}/${cast.channel_id}`, { config: valid })
    if (answer.statusCode !== 200) return `not saved: ${answer.body}`
  }
  await opened(cast)
  return `${spoken(heardOf(cast))} → ${await endOf(cast, undefined)}`
}

/** Plays a situation; returns the result in the words of the matrix. */
export async function play(scene: Scene, situation: Situation): Promise<string> {
  const { kind, contract, server } = scene
  const name = `${kind}-${situation}-${uuidv7().slice(-6)}`
  if (situation === 'create') return created(scene, name)
  if (situation === 'test') return tested(scene, name)
  if (situation === 'rotate') return rotated(scene, name)
  const cast = await made(scene, name)
  if (isFault(situation)) server.play(contract.vendor(contract.config(server.url), server.url), faultOf(contract, situation))
  const incident_id = await opened(cast)
  if (situation === 'down' || isFault(situation)) return `${spoken(heardOf(cast))} → ${await endOf(cast, undefined)}`
  const told = server.heard.length
  const before = await lastOf(cast)
  await actions[situation](cast, incident_id)
  return `${spoken(heardOf(cast, told))} → ${await endOf(cast, before)}`
}

/** Returns the first request of a failure, as it was sent. */
export async function firstRequest(scene: Scene): Promise<Heard['asked']> {
  await play(scene, 'down')
  const [first] = scene.server.heard
  if (!first) throw new Error(`${scene.kind}: nothing was sent`)
  return first.asked
}
