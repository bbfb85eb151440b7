/**
 * Example bodies that people can send unchanged. Where nobody wrote one, the example has what the
 * schema requires. A test validates each example as the route would.
 */
import type { EndpointId } from '../../../schemas/http/endpoints.ts'
import type { Resolve, Schema } from './shapes.ts'

const AN_ID = '0198e000-0000-4000-8000-000000000000'

/** Two people who hand over on Mondays. */
const schedule = {
  name: 'Primary',
  time_zone: 'Europe/Berlin',
  layers: [
    {
      name: 'Weekly',
      participants: [AN_ID, '0198e000-0000-4000-8000-000000000001'],
      rotation: 'weekly',
      handoff_day: 'mon',
      handoff_time: '09:00',
      starts_on: '2026-12-07'
    }
  ]
}

const written: Partial<Record<EndpointId, unknown>> = {
  linkChatIdentity: { token: 'cht_…, the last part of the link' },
  lookAtChatLink: { token: 'cht_…, the last part of the link' },
  login: { email: 'ann@example.com', password: 'correct horse battery staple' },
  forgotPassword: { email: 'ann@example.com' },
  resetPassword: { token: 'pwd_AZjgAAAAQACAAAAAAAAAAA', password: 'correct horse battery staple' },
  createAlert: { title: 'Disk full on db-7', severity: 'critical', dedup_key: 'db-7/disk', labels: { service: 'db' } },
  acknowledgeIncident: { comment: 'Looking at it' },
  resolveIncident: { note: 'Restarted the database' },
  silenceIncident: { minutes: 30, reason: 'Known, a fix is on its way' },
  closeIncident: { note: 'A false alarm' },
  actOnIncidents: { ids: ['INC-41', 'INC-42'], action: 'acknowledge', comment: 'Looking at both' },
  mergeIncident: { into_id: 'INC-42' },
  createComment: { body: 'The disk of **db-7** is full again.' },
  createMonitor: {
    name: 'Our site',
    type: 'http',
    target: 'https://example.com/',
    interval_seconds: 60,
    assertions: [
      { source: 'status', op: 'eq', value: 200 },
      { source: 'body', op: 'contains', value: 'Welcome' }
    ]
  },
  updateMonitor: { interval_seconds: 120, confirmation: { rounds: 3 } },
  pauseMonitor: { minutes: 60, reason: 'We move house' },
  checkMonitor: { count: true },
  changeMonitors: { ids: [AN_ID], action: 'patch', patch: { interval_seconds: 300, add_tags: ['web'] } },
  importMonitors: { format: 'csv', dry_run: true, content: 'name,type,target,tags\nOur site,http,https://example.com/,web;public' },
  validateMonitor: { type: 'http', target: 'https://example.com/', timeout_seconds: 5 },
  createHeartbeat: {
    name: 'Nightly copy',
    schedule: { kind: 'cron', expression: '0 3 * * *', time_zone: 'Europe/Berlin' },
    grace_seconds: 600
  },
  updateHeartbeat: { grace_seconds: 1200 },
  pauseHeartbeat: { minutes: 60, reason: 'The job is being rewritten' },
  createIntegration: { name: 'Prometheus', source_type: 'alertmanager' },
  updateIntegration: { default_severity: 'critical', labels_add: { team: 'databases' } },
  rotateIntegrationToken: { grace_minutes: 60 },
  parseSample: { body: { title: 'Disk full on db-7', severity: 'critical' } },
  createToken: { name: 'Deploy script', scopes: ['read', 'write'] },
  createLocation: { label: 'Office Berlin' },
  updateLocation: { draining: true },
  updateToken: { name: 'Deploy script of the shop' },
  updateWorkspace: { time_zone: 'Europe/Berlin' },
  updateAccount: { time_zone: 'Europe/Berlin' },
  createTeam: { name: 'Payments', visibility: 'private' },
  createSchedule: schedule,
  replaceSchedule: schedule,
  createOverride: { schedule_id: AN_ID, user_id: AN_ID, starts_at: '2026-12-01T12:00:00Z', ends_at: '2026-12-01T18:00:00Z' },
  updateMember: { role: 'responder' },
  createInvite: { email: 'ann@example.com', role: 'responder' },
  acceptInvite: { name: 'Ann', password: 'correct horse battery staple' },
  proberHello: { instance_id: 'eu-central-1', version: '0.1.0', kinds: ['http'], public_key: `${'A'.repeat(43)}=` }
}

const byFormat: Readonly<Record<string, string>> = { uuid: AN_ID, 'date-time': '2026-12-01T12:00:00.000Z', email: 'ann@example.com' }

function required(unresolved: Schema, resolve: Resolve): unknown {
  const schema = resolve(unresolved)
  const { properties = {}, required: names = [], items } = schema
  if (schema.default !== undefined) return schema.default
  if (schema.enum) return schema.enum[0]
  if (schema.anyOf?.[0]) return required(schema.anyOf[0], resolve)
  switch ([schema.type].flat()[0]) {
    case 'object':
      return Object.fromEntries(
        Object.entries(properties).flatMap(([name, one]) => (names.includes(name) ? [[name, required(one, resolve)]] : []))
      )
    case 'array':
      return items ? [required(items, resolve)] : []
    case 'integer':
    case 'number':
      return schema.minimum ?? 1
    case 'boolean':
      return true
    case 'string':
      return byFormat[schema.format ?? ''] ?? 'text'
    default:
      return null
  }
}

/** Returns an example body of the operation. */
export const exampleOf = (operationId: string, body: Schema, resolve: Resolve): unknown =>
  Object.hasOwn(written, operationId) ? written[operationId as EndpointId] : required(body, resolve)
