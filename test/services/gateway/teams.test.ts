/**
 * Sockets and teams: who receives frames of a private team, and how an open socket follows when a
 * team turns private and when somebody leaves it.
 */

import t from 'tap'
import { channels } from '../../../schemas/http/channels.ts'
import { wholeWorkspace } from '../../../schemas/http/visibility.ts'
import { uuidv7 } from '../../../schemas/uuid.ts'
import { removedFrames } from '../../../services/api/teams/frames.ts'
import { type Tx, tenantTransaction } from '../../../services/store/pool.ts'
import { deleteTeamMember, insertTeam, putTeamMember, type TeamSettings, updateTeam } from '../../../services/store/teams.ts'
import type { Audience, Outgoing } from '../../../streams/define.ts'
import type { OutRecord } from '../../../streams/runtime/stream.ts'
import { until } from '../../harness/until.ts'
import { type Client, gatewayStack, PUBLIC_URL, record, type Workspace } from './stack.ts'

t.setTimeout(300_000)

const stack = await gatewayStack(t)
const { connect, pool, send, sendAll, workspace } = stack

const settings: TeamSettings = { name: 'Security', slug: 'security', description: '', visibility: 'org', escalation_policy_id: null }
const change = <T>({ tenant_id }: Workspace, work: (tx: Tx) => Promise<T>): Promise<T> =>
  tenantTransaction(pool, wholeWorkspace(tenant_id), work)

async function makeTeam(acme: Workspace, visibility: TeamSettings['visibility'], ...members: string[]): Promise<string> {
  const team_id = uuidv7()
  await change(acme, async (tx) => {
    await insertTeam(tx, acme.tenant_id, team_id, { ...settings, visibility })
    for (const user_id of members) await putTeamMember(tx, acme.tenant_id, team_id, user_id, 'member')
  })
  return team_id
}

/** A frame that an API command wrote, as the relay puts it on the log. */
function asSent(outgoing: Outgoing): OutRecord {
  if (outgoing.body !== 'frame') throw new Error('no frame')
  const { tenant_id, aggregate, ver, event_id, event_type, src, json, audience } = outgoing
  const headers = { tenant_id, audience, aggregate, ver: String(ver), event_id, event_type, src }
  return { topic: 'realtime.frames.v1', key: tenant_id, value: Buffer.from(json), headers }
}

const removed = ({ tenant_id }: Workspace, incident_id: string, audience: Audience): OutRecord[] =>
  removedFrames(tenant_id, [{ incident_id, monitor_id: null, ver: 7 }], { audience, cause: 'test', at: Date.now(), src: 'user:test' }).map(
    asSent
  )

/** What makes frames about a team: its incidents, what it monitors, and its schedules. */
const kinds = [
  ['incident.created', 'org-team'],
  ['incident.updated', 'team'],
  ['incident.resolved', 'org-team'],
  ['monitor.status_changed', 'org-team'],
  ['monitor.phase_changed', 'team'],
  ['heartbeat.ping_received', 'org-team'],
  ['oncall.changed', 'org-team'],
  ['weather.changed', 'team']
] as const

let version = 0

/**
 * Sends a frame of each kind about the team, and then one for everybody. Resolves to the frames
 * that each client received.
 */
async function heard({ tenant_id }: Workspace, team_id: string, clients: readonly Client[]): Promise<string[][]> {
  const from = clients.map(({ frames }) => frames.length)
  version += 1
  const end = version
  await sendAll([
    ...kinds.map(([type, audience]) =>
      record(tenant_id, { type, audience: `${audience}:${team_id}`, ver: end, aggregate: `${type} ${audience} ${team_id}` })
    ),
    record(tenant_id, { type: 'incident.assigned', ver: end, aggregate: `end:${team_id}` })
  ])
  return Promise.all(
    clients.map(async ({ frames }, nth) => {
      await until('the last of them', () => frames.some(({ type, ver }) => type === 'incident.assigned' && ver === end))
      return frames.slice(from[nth]).flatMap(({ type, channel }) => (channel === 'system' || type === 'incident.assigned' ? [] : [type]))
    })
  )
}

const everything = kinds.map(([type]) => type as string)
const ofOpenTeam = kinds.filter(([, audience]) => audience === 'org-team').map(([type]) => type as string)

const ALL = `channels=${channels.join()}`

/** Opens two sockets of one person: by token and by session. */
async function socketsOf({ token, session }: { token: string; session: string }): Promise<Client[]> {
  return [await connect(`?token=${token}&${ALL}`), await connect(`?${ALL}`, { cookie: `service_session=${session}`, origin: PUBLIC_URL })]
}

t.test('frames of a private team reach only its members, admins and owners', async (t) => {
  const acme = await workspace('enterprise')
  const member = await acme.member('viewer')
  const team_id = await makeTeam(acme, 'private', member.user_id)
  const insiders = [
    ...(await socketsOf(member)),
    ...(await socketsOf(await acme.member('admin'))),
    await connect(`?token=${acme.token}&${ALL}`)
  ]
  const outsiders: Client[] = []
  for (const role of ['viewer', 'responder', 'editor']) outsiders.push(...(await socketsOf(await acme.member(role))))
  const found = await heard(acme, team_id, [...insiders, ...outsiders])
  t.same(
    found.slice(0, insiders.length),
    insiders.map(() => everything)
  )
  t.same(
    found.slice(insiders.length),
    outsiders.map(() => [])
  )
})

t.test('when a team turns private, outsiders get ids of removals and no further frames', async (t) => {
  const acme = await workspace('enterprise')
  const member = await acme.member('viewer')
  const team_id = await makeTeam(acme, 'org', member.user_id)
  const inside = await socketsOf(member)
  const outside = await socketsOf(await acme.member('responder'))
  t.same(await heard(acme, team_id, [...inside, ...outside]), [everything, everything, ofOpenTeam, ofOpenTeam], 'while it is open')

  const incident_id = uuidv7()
  await change(acme, (tx) => updateTeam(tx, acme.tenant_id, team_id, { ...settings, visibility: 'private' }))
  await sendAll(removed(acme, incident_id, 'tenant'))
  for (const one of outside) {
    const { channel, data, ver } = await one.next('incident.removed')
    t.same([channel, data, ver], ['monitors.status', { incident_id, monitor_id: '' }, 7])
  }
  await until('the sockets follow', async () => (await heard(acme, team_id, outside)).every((types) => types.length === 0))
  t.same(await heard(acme, team_id, [...inside, ...outside]), [everything, everything, [], []], 'from then on')
  t.ok(
    outside.every(({ socket }) => socket.readyState === socket.OPEN),
    'it stays open for all else'
  )

  await change(acme, (tx) => updateTeam(tx, acme.tenant_id, team_id, settings))
  await until('they hear it again', async () => (await heard(acme, team_id, outside)).every((types) => types.length === ofOpenTeam.length))
})

t.test('an open socket gets or loses team frames as its person joins or leaves', async (t) => {
  const acme = await workspace('enterprise')
  const stays = await acme.member('viewer')
  const goes = await acme.member('responder')
  const team_id = await makeTeam(acme, 'private', stays.user_id)
  const [staying, going] = [await socketsOf(stays), await socketsOf(goes)]
  t.same(await heard(acme, team_id, going), [[], []], 'no member yet')
  await change(acme, (tx) => putTeamMember(tx, acme.tenant_id, team_id, goes.user_id, 'member'))
  await until('a member hears all', async () => (await heard(acme, team_id, going)).every((types) => types.length === everything.length))

  const incident_id = uuidv7()
  await change(acme, (tx) => deleteTeamMember(tx, acme.tenant_id, team_id, goes.user_id))
  await sendAll(removed(acme, incident_id, `user:${goes.user_id}`))
  for (const one of going) t.same((await one.next('incident.removed')).data, { incident_id, monitor_id: '' })
  await until('the sockets follow', async () => (await heard(acme, team_id, going)).every((types) => types.length === 0))
  t.same(await heard(acme, team_id, [...staying, ...going]), [everything, everything, [], []])
  t.notOk(
    staying.some(({ frames }) => frames.some(({ type }) => type === 'incident.removed')),
    'who stays is not told'
  )
})

t.test('an incident moved to another private team is removed only for those who saw it', async (t) => {
  const acme = await workspace('enterprise')
  const member = await acme.member('viewer')
  const team_id = await makeTeam(acme, 'private', member.user_id)
  const inside = await socketsOf(member)
  const outside = await socketsOf(await acme.member('responder'))
  await sendAll(removed(acme, uuidv7(), `org-team:${team_id}`))
  for (const one of inside) await one.next('incident.removed')
  await send(acme.tenant_id, { type: 'incident.created' })
  for (const one of outside) {
    await one.next('incident.created')
    t.notOk(one.frames.some(({ type }) => type === 'incident.removed'))
  }
})
