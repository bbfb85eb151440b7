/**
 * Tests what dashboards receive, to the byte, and who receives it: the frames of
 * docs/design/specification.md#s6-2, and the product's own frames for all other changes.
 */
import t from 'tap'
import type { Incident } from '../../../schemas/generated/events.ts'
import { frameOf } from '../../../streams/incident/frame.ts'
import { type Command, type Event, reduceIncident, type Signal } from '../../../streams/incident/rules.ts'
import { context, declaration, frozen, heartbeat_id, id, monitor_id, signal, T0, team_id, user_id } from './build.ts'

const by = `user:${user_id}`
const resolve: Command = { command: 'resolve', by, note: null, until_recovered: true }
const close: Command = { command: 'close', by, note: null, user_id }
const acknowledge: Command = { command: 'acknowledge', by, comment: null }
const comment: Command = { command: 'comment', by, comment_id: id('comment') }

function last(...inputs: (Signal | Command)[]): Event {
  let incident: Incident | null = null
  let event: Event | undefined
  for (const input of inputs) {
    const step = reduceIncident(incident, input, context(T0))
    incident = step.incident
    event = step.events[0]
  }
  if (!event) throw new Error('the last input made no event')
  return frozen(event)
}
const fire = signal('fire')
const { incident_id } = last(fire)
const at = '2026-03-01T12:00:00.000Z'

const updated = (change: string, ver: number): object => ({
  type: 'incident.updated',
  data: { incident_id, monitor_id: '', change },
  at,
  ver
})

const frames: [name: string, event: Event, frame: object][] = [
  [
    'an incident opens: its status is open',
    last(fire),
    { type: 'incident.created', data: { incident_id, monitor_id: '', status: 'open', severity: 'warning' }, at, ver: 1 }
  ],
  [
    'a monitor is behind it',
    last(signal('fire', { monitor_id })),
    { type: 'incident.created', data: { incident_id, monitor_id, status: 'open', severity: 'warning' }, at, ver: 1 }
  ],
  [
    'a heartbeat is behind it',
    last(signal('fire', { heartbeat_id })),
    { type: 'incident.created', data: { incident_id, monitor_id: '', heartbeat_id, status: 'open', severity: 'warning' }, at, ver: 1 }
  ],
  [
    'declared by hand: nothing is behind it',
    last(declaration(T0)),
    {
      type: 'incident.created',
      data: { incident_id: id(`declared ${T0}`), monitor_id: '', status: 'open', severity: 'critical' },
      at,
      ver: 1
    }
  ],
  ['acknowledged', last(fire, acknowledge), { type: 'incident.acknowledged', data: { incident_id, monitor_id: '' }, at, ver: 2 }],
  ['recovered', last(fire, signal('resolve')), { type: 'incident.resolved', data: { incident_id, monitor_id: '' }, at, ver: 2 }],
  ['resolved', last(fire, resolve), { type: 'incident.resolved', data: { incident_id, monitor_id: '' }, at, ver: 2 }],
  [
    'closed while ongoing says resolved',
    last(fire, close),
    { type: 'incident.resolved', data: { incident_id, monitor_id: '' }, at, ver: 2 }
  ],
  ['closed when resolved', last(fire, resolve, close), updated('closed', 3)],
  [
    'assigned',
    last(fire, { command: 'assign', by, user_id }),
    { type: 'incident.assigned', data: { incident_id, monitor_id: '' }, at, ver: 2 }
  ],
  ['a comment', last(fire, comment), updated('comment', 2)],
  ['a comment of the source', last(fire, signal('note', { summary: 'seen' })), updated('comment', 2)],
  ['a second acknowledgement’s comment', last(fire, acknowledge, { ...acknowledge, comment: 'on it' }), updated('comment', 3)],
  ['a comment deleted', last(fire, { ...comment, command: 'delete_comment' }), updated('comment_deleted', 2)],
  ['a silence', last(fire, { command: 'silence', by, until: T0 + 60_000, reason: null }), updated('silenced', 2)],
  ['a raised severity', last(fire, signal('fire', { severity: 'critical' })), updated('updated', 2)]
]
for (const [name, event, frame] of frames) {
  t.test(name, async (t) => {
    const found = frameOf(event)
    t.equal(found?.json, JSON.stringify({ channel: 'monitors.status', ...frame }), 'exact text, in this order')
    t.equal(found?.audience, 'tenant')
  })
}

t.test('the audience of an incident frame follows visibility and team', async (t) => {
  const audience = (over: Partial<Signal>) => frameOf(last(signal('fire', over)))?.audience
  t.equal(audience({ visibility: 'org', team_id: null }), 'tenant')
  t.equal(audience({ visibility: 'org', team_id }), `org-team:${team_id}`, 'whether the team is private now is asked when it is sent')
  t.equal(audience({ visibility: 'private', team_id }), `team:${team_id}`)
  t.equal(audience({ visibility: 'private', team_id: null }), undefined, 'private without a team never widens to the workspace')
})
