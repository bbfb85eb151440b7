/**
 * Lists every route of the router that takes an id, each with a body that it accepts. The crawlers
 * call these routes with ids that must stay unknown to the caller.
 */
import { type EndpointId, endpoints } from '../../../schemas/http/endpoints.ts'
import type { Stand } from './stand.ts'

/**
 * For each route a body that it accepts, so that only the id can be refused. A route that needs a
 * body and has none here answers 422, which fails the test.
 */
const bodies: Partial<Record<EndpointId, object>> = {
  closeIncident: { on_behalf_of: '01890000-0000-7000-8000-000000000000' },
  closeAlert: { on_behalf_of: '01890000-0000-7000-8000-000000000000' },
  silenceIncident: { duration_minutes: 5 },
  createComment: { body: 'stolen' },
  editIncident: { title: 'stolen' },
  assignIncident: { user_id: null },
  openWarRoom: { channel_id: '01890000-0000-7000-8000-000000000000' },
  mergeIncident: { into_id: '01890000-0000-7000-8000-000000000000' },
  writePostmortem: { impact: 'stolen' },
  parseSample: { body: '{"status":"firing"}' },
  updateHeartbeat: { name: 'stolen' },
  updateMonitor: { name: 'stolen' },
  updateMonitorGroup: { name: 'stolen' },
  pushResult: { state: 'down' },
  updateIntegration: { name: 'stolen' },
  updateLocation: { label: 'stolen' },
  updateTeam: { name: 'stolen' },
  putTeamMember: { role: 'lead' },
  updateRoutingRule: { name: 'stolen' },
  replaceRoutingRule: { name: 'stolen' },
  escalateIncident: { user_ids: ['01890000-0000-7000-8000-000000000000'] },
  updateEscalationPolicy: { name: 'stolen' },
  replaceEscalationPolicy: {
    name: 'stolen',
    steps: [{ targets: [{ type: 'user', id: '01890000-0000-7000-8000-000000000000' }] }]
  },
  updateSilence: { comment: 'stolen' },
  updateWindow: { name: 'stolen' },
  replaceWindow: {
    name: 'stolen',
    scope: { tags: ['x'] },
    schedule: { kind: 'recurring', rrule: 'FREQ=DAILY', time_zone: 'UTC', starts_on: '2026-01-01', at: '02:00', duration_minutes: 60 }
  },
  extendDeployment: { minutes: 5 },
  updateSchedule: { name: 'stolen' },
  replaceSchedule: {
    name: 'stolen',
    time_zone: 'UTC',
    layers: [{ name: 'x', participants: [null], rotation: 'daily', handoff_time: '09:00', starts_on: '2026-01-01' }]
  },
  updateChannel: { name: 'stolen' },
  replaceChannel: { name: 'stolen', config: { url: 'https://hooks.example.com/' } },
  updateTemplate: { title: 'stolen' },
  updateToken: { name: 'stolen' },
  updateMember: { role: 'viewer' },
  acceptInvite: { name: 'Thief', password: 'stolen seats taste sweet' }
}

export interface Target {
  method: string
  url: string
  /** Needs no credential, and has its own error text. */
  open: boolean
  body: object | undefined
}

/** Methods that delete or end something come last. */
const order = ['GET', 'PATCH', 'PUT', 'POST', 'DELETE']

/**
 * Throws for a route that the endpoint table does not have, or whose method cannot be called here.
 */
export function routesWithIds({ routes }: Pick<Stand, 'routes'>): Target[] {
  // Signed routes take no credentials; their own tests call them with ids of others. The kind of
  // an install is not an id; installs.test.ts calls that route with the state of others.
  const elsewhere = /^\/api\/v1\/(?:callbacks|chat\/telegram|notifications\/oauth)\//
  const found = routes.filter(
    ({ url, method, endpoint }) => url.includes(':') && method !== 'HEAD' && endpoint !== null && !elsewhere.test(url)
  )
  const named = new Map(
    Object.entries(endpoints).map(([id, row]) => [`${row.method} ${row.path.replaceAll(/\{(\w+)\}/g, ':$1')}`, id as EndpointId])
  )
  const strange = found.find(({ method, url }) => !order.includes(method) || !named.has(`${method} ${url}`))
  if (strange) throw new Error(`${strange.method} ${strange.url} is not in the endpoint table, or of a method that is new`)
  found.sort((a, b) => order.indexOf(a.method) - order.indexOf(b.method))
  return found.map(({ method, url, endpoint }) => {
    const id = named.get(`${method} ${url}`)
    const body = method === 'GET' || method === 'DELETE' ? undefined : ((id && bodies[id]) ?? {})
    return { method, url, open: endpoint?.auth === 'public', body }
  })
}
