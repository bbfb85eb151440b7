/**
 * Every route of the api: who may call it, which rate group it counts in, and what it answers. The
 * routes take their configuration from these rows. A test compares the rows with the router, and
 * the OpenAPI document with both.
 * Source: the index of endpoints behind docs/design/api.md.
 */
import type { RateGroup } from '../plans.ts'
import { type MemberRole, roles, type Scope, scopes } from './roles.ts'

export { type MemberRole, roles, type Scope, scopes }

export interface Endpoint {
  method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  /** Parameters are written as {name}. */
  path: string
  tag:
    | 'Authentication'
    | 'Alerts'
    | 'Incidents'
    | 'Monitors'
    | 'Heartbeats'
    | 'Integrations'
    | 'Routing'
    | 'Silences'
    | 'Maintenance'
    | 'Analytics'
    | 'Notifications'
    | 'Account and workspace'
    | 'Teams'
    | 'On-call'
    | 'Probers'
    | 'Public'
    | 'Operations'
  summary: string
  /**
   * `session`: only a session, a token is refused. `optional_session`: also answers without a
   * session.
   */
  auth: 'public' | 'optional_session' | 'session' | 'token_or_session' | 'prober'
  /**
   * null: every credential of the kind that `auth` names. Which credential has a scope: rights.ts.
   */
  scope: Scope | null
  /** Other scopes that also allow the call. */
  or?: readonly Scope[]
  /**
   * The route is about the caller. A session may call it whatever the role is (`readers`: if the
   * role may read); a token needs one of the scopes.
   */
  own?: true | 'readers'
  /** The lowest role that has the scope. It is only for people who read this table. */
  role: MemberRole | null
  /** null: no rate limit. `ingest_tenant`: the workspace's budget for inbound alerts. */
  rate: RateGroup | 'ingest_tenant' | null
  success: 200 | 201 | 202 | 204 | 302
  /** The answer contains a credential or depends on one, so caches must not store it. */
  no_store?: true
  /** The body is read as a door would read it. Text that a store cannot hold is not a fault. */
  any_text?: true
}

const read = { auth: 'token_or_session', scope: 'read', role: 'viewer', rate: 'api_read', success: 200 } as const
const write = { auth: 'token_or_session', scope: 'write', role: 'editor', rate: 'api_write', success: 200, no_store: true } as const
const secretRead = { ...read, no_store: true } as const
const configure = { auth: 'token_or_session', scope: 'write', role: 'editor', rate: 'api_action', success: 200, no_store: true } as const
const ask = { auth: 'token_or_session', scope: 'read', role: 'viewer', rate: 'analytics', success: 200 } as const
const act = { auth: 'token_or_session', scope: 'incidents:act', role: 'responder', rate: 'api_action', success: 200 } as const
const administer = { auth: 'token_or_session', scope: 'admin', role: 'admin', rate: 'api_write', success: 200, no_store: true } as const
const self = { auth: 'token_or_session', scope: null, role: null, rate: 'api_read', success: 200, no_store: true } as const
const ownRead = { ...self, scope: 'read', or: ['billing'], own: true } as const
const ownChange = { ...self, scope: 'write', or: ['incidents:act', 'billing'], own: true, rate: 'own' } as const
const ownDuty = { ...self, scope: 'write', or: ['incidents:act'], own: true, rate: 'api_write' } as const
const open = { auth: 'public', scope: null, role: null, rate: 'public', success: 200 } as const
/**
 * Requests that their caller signs. A request without a valid signature counts against its address;
 * a signed one is never limited.
 */
const callback = { auth: 'public', scope: null, role: null, rate: null, success: 200, no_store: true } as const
const prober = { tag: 'Probers', auth: 'prober', scope: null, role: null, rate: 'prober', success: 200, no_store: true } as const
const health = { auth: 'public', scope: null, role: null, rate: null, success: 200 } as const

export const endpoints = {
  login: {
    method: 'POST',
    path: '/api/v1/auth/login',
    tag: 'Authentication',
    summary: 'Start a session',
    ...open,
    rate: 'auth',
    no_store: true
  },
  logout: {
    method: 'POST',
    path: '/api/v1/auth/logout',
    tag: 'Authentication',
    summary: 'End this session',
    auth: 'optional_session',
    scope: null,
    role: null,
    rate: 'public',
    success: 204,
    no_store: true
  },
  forgotPassword: {
    method: 'POST',
    path: '/api/v1/auth/password/forgot',
    tag: 'Authentication',
    summary: 'Ask for a mail with a link that sets a new password; the answer does not say whether there is such an account',
    ...open,
    rate: 'auth',
    success: 202,
    no_store: true
  },
  resetPassword: {
    method: 'POST',
    path: '/api/v1/auth/password/reset',
    tag: 'Authentication',
    summary: 'Set a new password with the token of such a link; ends every session of the person',
    ...open,
    rate: 'auth',
    success: 204,
    no_store: true
  },
  session: { method: 'GET', path: '/api/v1/auth/session', tag: 'Authentication', summary: 'Who am I', ...self },
  switchWorkspace: {
    method: 'POST',
    path: '/api/v1/auth/workspace',
    tag: 'Authentication',
    summary: 'Switch the workspace of this session',
    ...self,
    auth: 'session'
  },

  listAlerts: { method: 'GET', path: '/api/v1/alerts', tag: 'Alerts', summary: 'List alerts', ...read },
  createAlert: {
    method: 'POST',
    path: '/api/v1/alerts',
    tag: 'Alerts',
    summary: 'Create an alert, or end it',
    auth: 'token_or_session',
    scope: 'ingest',
    role: 'editor',
    rate: 'ingest_tenant',
    success: 202
  },
  readAlert: { method: 'GET', path: '/api/v1/alerts/{id}', tag: 'Alerts', summary: 'Read an alert', ...read },
  acknowledgeAlert: {
    method: 'POST',
    path: '/api/v1/alerts/{id}/acknowledge',
    tag: 'Alerts',
    summary: 'Acknowledge an alert',
    ...act
  },
  resolveAlert: { method: 'POST', path: '/api/v1/alerts/{id}/resolve', tag: 'Alerts', summary: 'Resolve an alert', ...act },
  closeAlert: { method: 'POST', path: '/api/v1/alerts/{id}/close', tag: 'Alerts', summary: 'Close an alert by hand', ...act },
  promoteAlert: {
    method: 'POST',
    path: '/api/v1/alerts/{id}/promote',
    tag: 'Alerts',
    summary: 'Open an incident for an alert',
    ...act
  },
  listAlertEvents: {
    method: 'GET',
    path: '/api/v1/alerts/{id}/events',
    tag: 'Alerts',
    summary: 'Signals that an alert is made of, newest first',
    ...read
  },
  explainAlert: { method: 'GET', path: '/api/v1/alerts/{id}/explain', tag: 'Alerts', summary: 'Why an alert is there', ...read },
  listIncidents: { method: 'GET', path: '/api/v1/incidents', tag: 'Incidents', summary: 'List incidents', ...read },
  readIncident: { method: 'GET', path: '/api/v1/incidents/{id}', tag: 'Incidents', summary: 'Read an incident by id or key', ...read },
  declareIncident: {
    method: 'POST',
    path: '/api/v1/incidents',
    tag: 'Incidents',
    summary: 'Declare an incident by hand',
    ...act,
    success: 201
  },
  openWarRoom: {
    method: 'POST',
    path: '/api/v1/incidents/{id}/war-room',
    tag: 'Incidents',
    summary: 'Open a war room at a chat service',
    ...act,
    success: 201
  },
  acknowledgeIncident: {
    method: 'POST',
    path: '/api/v1/incidents/{id}/acknowledge',
    tag: 'Incidents',
    summary: 'Acknowledge an incident',
    ...act
  },
  resolveIncident: { method: 'POST', path: '/api/v1/incidents/{id}/resolve', tag: 'Incidents', summary: 'Resolve an incident', ...act },
  escalateIncident: {
    method: 'POST',
    path: '/api/v1/incidents/{id}/escalate',
    tag: 'Incidents',
    summary: 'Ask people now',
    ...act,
    success: 202
  },
  silenceIncident: {
    method: 'POST',
    path: '/api/v1/incidents/{id}/silence',
    tag: 'Incidents',
    summary: 'Silence an incident for some minutes',
    ...act
  },
  unsilenceIncident: { method: 'DELETE', path: '/api/v1/incidents/{id}/silence', tag: 'Incidents', summary: 'End a silence early', ...act },
  closeIncident: { method: 'POST', path: '/api/v1/incidents/{id}/close', tag: 'Incidents', summary: 'Close an incident by hand', ...act },
  editIncident: {
    method: 'PATCH',
    path: '/api/v1/incidents/{id}',
    tag: 'Incidents',
    summary: 'Edit an incident',
    ...act
  },
  unacknowledgeIncident: {
    method: 'POST',
    path: '/api/v1/incidents/{id}/unacknowledge',
    tag: 'Incidents',
    summary: 'Take an acknowledgement back',
    ...act
  },
  actOnIncidents: {
    method: 'POST',
    path: '/api/v1/incidents/bulk',
    tag: 'Incidents',
    summary: 'One action on many incidents',
    ...act
  },
  assignIncident: {
    method: 'POST',
    path: '/api/v1/incidents/{id}/assign',
    tag: 'Incidents',
    summary: 'Assign an incident to a member, or to nobody',
    ...act
  },
  mergeIncident: {
    method: 'POST',
    path: '/api/v1/incidents/{id}/merge',
    tag: 'Incidents',
    summary: 'Merge an incident into another one',
    ...act
  },
  readPostmortem: {
    method: 'GET',
    path: '/api/v1/incidents/{id}/postmortem',
    tag: 'Incidents',
    summary: 'Read the postmortem of an incident',
    ...read
  },
  writePostmortem: {
    method: 'PUT',
    path: '/api/v1/incidents/{id}/postmortem',
    tag: 'Incidents',
    summary: 'Write the postmortem of an incident',
    ...act
  },
  listIncidentAlerts: {
    method: 'GET',
    path: '/api/v1/incidents/{id}/alerts',
    tag: 'Incidents',
    summary: 'Alerts of an incident, newest first',
    ...read
  },
  explainIncident: {
    method: 'GET',
    path: '/api/v1/incidents/{id}/explain',
    tag: 'Incidents',
    summary: 'Why an incident is there',
    ...read
  },
  listComments: {
    method: 'GET',
    path: '/api/v1/incidents/{id}/comments',
    tag: 'Incidents',
    summary: 'Comments on an incident, oldest first',
    ...read
  },
  createComment: {
    method: 'POST',
    path: '/api/v1/incidents/{id}/comments',
    tag: 'Incidents',
    summary: 'Comment on an incident',
    ...act,
    success: 201
  },
  deleteComment: {
    method: 'DELETE',
    path: '/api/v1/incidents/{id}/comments/{cid}',
    tag: 'Incidents',
    summary: 'Delete a comment: its author, or an admin',
    ...act,
    success: 204
  },
  readTimeline: {
    method: 'GET',
    path: '/api/v1/incidents/{id}/timeline',
    tag: 'Incidents',
    summary: 'What happened to an incident',
    ...read
  },

  listMonitors: { method: 'GET', path: '/api/v1/monitors', tag: 'Monitors', summary: 'List monitors', ...read },
  createMonitor: {
    method: 'POST',
    path: '/api/v1/monitors',
    tag: 'Monitors',
    summary: 'Create a monitor, and check it at once',
    ...write,
    success: 201
  },
  readMonitor: { method: 'GET', path: '/api/v1/monitors/{id}', tag: 'Monitors', summary: 'Read a monitor', ...read },
  updateMonitor: { method: 'PATCH', path: '/api/v1/monitors/{id}', tag: 'Monitors', summary: 'Change a monitor', ...write },
  deleteMonitor: {
    method: 'DELETE',
    path: '/api/v1/monitors/{id}',
    tag: 'Monitors',
    summary: 'Delete a monitor; its open incident is resolved, its history stays',
    ...write,
    success: 204
  },
  pauseMonitor: { method: 'POST', path: '/api/v1/monitors/{id}/pause', tag: 'Monitors', summary: 'Pause a monitor', ...configure },
  resumeMonitor: {
    method: 'POST',
    path: '/api/v1/monitors/{id}/resume',
    tag: 'Monitors',
    summary: 'Resume a monitor, and check it at once',
    ...configure
  },
  checkMonitor: {
    method: 'POST',
    path: '/api/v1/monitors/{id}/check',
    tag: 'Monitors',
    summary: 'Check a monitor now, at most six times a minute',
    ...configure,
    success: 202
  },
  listCertificates: {
    method: 'GET',
    path: '/api/v1/certificates',
    tag: 'Monitors',
    summary: 'Certificates that monitors see, by their end',
    ...read
  },
  validateMonitor: {
    method: 'POST',
    path: '/api/v1/monitors/validate',
    tag: 'Monitors',
    summary: 'Try a definition without saving it',
    ...configure
  },
  changeMonitors: {
    method: 'POST',
    path: '/api/v1/monitors/bulk',
    tag: 'Monitors',
    summary: 'The same change of many monitors',
    ...write
  },
  importMonitors: {
    method: 'POST',
    path: '/api/v1/monitors/import',
    tag: 'Monitors',
    summary: 'Import definitions: all of them, or none',
    ...write
  },
  listMonitorGroups: {
    method: 'GET',
    path: '/api/v1/monitor-groups',
    tag: 'Monitors',
    summary: 'Groups of monitors, with their state',
    ...read
  },
  createMonitorGroup: {
    method: 'POST',
    path: '/api/v1/monitor-groups',
    tag: 'Monitors',
    summary: 'Create a group of monitors',
    ...write,
    success: 201
  },
  readMonitorGroup: { method: 'GET', path: '/api/v1/monitor-groups/{id}', tag: 'Monitors', summary: 'Read a group of monitors', ...read },
  updateMonitorGroup: {
    method: 'PATCH',
    path: '/api/v1/monitor-groups/{id}',
    tag: 'Monitors',
    summary: 'Change a group of monitors',
    ...write
  },
  deleteMonitorGroup: {
    method: 'DELETE',
    path: '/api/v1/monitor-groups/{id}',
    tag: 'Monitors',
    summary: 'Delete a group; its monitors stay',
    ...write,
    success: 204
  },
  listRegions: { method: 'GET', path: '/api/v1/regions', tag: 'Monitors', summary: 'Regions that checks run from', ...read },
  listLocations: { method: 'GET', path: '/api/v1/private-locations', tag: 'Monitors', summary: 'List private locations', ...read },
  createLocation: {
    method: 'POST',
    path: '/api/v1/private-locations',
    tag: 'Monitors',
    summary: 'Create a private location; the token of its probers is shown once',
    ...administer,
    success: 201
  },
  updateLocation: {
    method: 'PATCH',
    path: '/api/v1/private-locations/{id}',
    tag: 'Monitors',
    summary: 'Rename or drain a private location',
    ...administer
  },
  deleteLocation: {
    method: 'DELETE',
    path: '/api/v1/private-locations/{id}',
    tag: 'Monitors',
    summary: 'Delete a private location that no monitor uses',
    ...administer,
    success: 204
  },
  rotateLocationToken: {
    method: 'POST',
    path: '/api/v1/private-locations/{id}/rotate-token',
    tag: 'Monitors',
    summary: 'New token of its probers, shown once; the old one is dead within 5 s',
    ...administer
  },
  revokeLocationToken: {
    method: 'POST',
    path: '/api/v1/private-locations/{id}/revoke-token',
    tag: 'Monitors',
    summary: 'End the token of its probers within 5 s',
    ...administer
  },

  listHeartbeats: { method: 'GET', path: '/api/v1/heartbeats', tag: 'Heartbeats', summary: 'List heartbeats', ...secretRead },
  createHeartbeat: { method: 'POST', path: '/api/v1/heartbeats', tag: 'Heartbeats', summary: 'Create a heartbeat', ...write, success: 201 },
  readHeartbeat: { method: 'GET', path: '/api/v1/heartbeats/{id}', tag: 'Heartbeats', summary: 'Read a heartbeat', ...secretRead },
  updateHeartbeat: { method: 'PATCH', path: '/api/v1/heartbeats/{id}', tag: 'Heartbeats', summary: 'Change a heartbeat', ...write },
  deleteHeartbeat: {
    method: 'DELETE',
    path: '/api/v1/heartbeats/{id}',
    tag: 'Heartbeats',
    summary: 'Delete a heartbeat; later pings get 404',
    ...write,
    success: 204
  },
  pauseHeartbeat: { method: 'POST', path: '/api/v1/heartbeats/{id}/pause', tag: 'Heartbeats', summary: 'Pause a heartbeat', ...configure },
  resumeHeartbeat: {
    method: 'POST',
    path: '/api/v1/heartbeats/{id}/resume',
    tag: 'Heartbeats',
    summary: 'Resume a heartbeat',
    ...configure
  },
  listPings: {
    method: 'GET',
    path: '/api/v1/heartbeats/{id}/pings',
    tag: 'Heartbeats',
    summary: 'Pings of a heartbeat, newest first',
    ...read
  },
  readRuns: {
    method: 'GET',
    path: '/api/v1/heartbeats/{id}/runs',
    tag: 'Heartbeats',
    summary: 'How long the runs of a heartbeat took',
    ...read
  },

  pushResult: {
    method: 'POST',
    path: '/api/v1/monitors/{id}/results',
    tag: 'Monitors',
    summary: 'Push the state of a monitor that nobody checks',
    auth: 'token_or_session',
    scope: 'ingest',
    role: 'editor',
    rate: 'push',
    success: 202
  },
  listChecks: { method: 'GET', path: '/api/v1/monitors/{id}/checks', tag: 'Monitors', summary: 'Results of checks, newest first', ...read },
  readCheckCapture: {
    method: 'GET',
    path: '/api/v1/monitors/{id}/checks/{check_id}/capture',
    tag: 'Monitors',
    summary: 'The answer of a failed check, without secrets; kept 3 days',
    ...administer,
    rate: 'analytics'
  },
  explainMonitor: {
    method: 'GET',
    path: '/api/v1/monitors/{id}/explain',
    tag: 'Monitors',
    summary: 'Why a monitor has its status',
    ...read
  },
  listStatusChanges: {
    method: 'GET',
    path: '/api/v1/monitors/{id}/status-changes',
    tag: 'Monitors',
    summary: 'Changes of status, newest first',
    ...read
  },
  readUptime: { method: 'GET', path: '/api/v1/analytics/uptime', tag: 'Analytics', summary: 'Uptime and error budget', ...ask },
  readLatency: { method: 'GET', path: '/api/v1/analytics/latency', tag: 'Analytics', summary: 'Response time percentiles', ...ask },
  readIncidentFigures: {
    method: 'GET',
    path: '/api/v1/analytics/incidents',
    tag: 'Analytics',
    summary: 'Incidents, time to acknowledge and to resolve',
    ...ask
  },
  readAlertFigures: {
    method: 'GET',
    path: '/api/v1/analytics/alerts',
    tag: 'Analytics',
    summary: 'Alerts and incidents by source, and how many were noise',
    ...ask
  },
  readPipeline: {
    method: 'GET',
    path: '/api/v1/analytics/pipeline',
    tag: 'Analytics',
    summary: 'How long the service took from what happened to the first message',
    ...ask
  },

  listSources: {
    method: 'GET',
    path: '/api/v1/integrations/sources',
    tag: 'Integrations',
    summary: 'Sources with set-up text and sample',
    ...read
  },
  listIntegrations: {
    method: 'GET',
    path: '/api/v1/integrations/inbound',
    tag: 'Integrations',
    summary: 'List inbound integrations',
    ...read
  },
  createIntegration: {
    method: 'POST',
    path: '/api/v1/integrations/inbound',
    tag: 'Integrations',
    summary: 'Create an inbound integration; its token is shown once',
    ...write,
    success: 201
  },
  readIntegration: {
    method: 'GET',
    path: '/api/v1/integrations/inbound/{id}',
    tag: 'Integrations',
    summary: 'Read an inbound integration',
    ...read
  },
  updateIntegration: {
    method: 'PATCH',
    path: '/api/v1/integrations/inbound/{id}',
    tag: 'Integrations',
    summary: 'Change an inbound integration',
    ...write
  },
  deleteIntegration: {
    method: 'DELETE',
    path: '/api/v1/integrations/inbound/{id}',
    tag: 'Integrations',
    summary: 'Delete an inbound integration; its token is dead within 5 s',
    ...write,
    success: 204
  },
  rotateIntegrationToken: {
    method: 'POST',
    path: '/api/v1/integrations/inbound/{id}/rotate-token',
    tag: 'Integrations',
    summary: 'New token, shown once',
    ...write
  },
  listIntegrationEvents: {
    method: 'GET',
    path: '/api/v1/integrations/inbound/{id}/events',
    tag: 'Integrations',
    summary: 'Recent deliveries, newest first: refused ones, and others while capture is on; kept 3 days',
    ...ask
  },
  readIntegrationEvent: {
    method: 'GET',
    path: '/api/v1/integrations/inbound/{id}/events/{event_id}',
    tag: 'Integrations',
    summary: 'One delivery with its payload, without secrets',
    ...administer,
    rate: 'analytics'
  },
  sendTestAlert: {
    method: 'POST',
    path: '/api/v1/integrations/inbound/{id}/test',
    tag: 'Integrations',
    summary: 'Send a test alert, as if its sender had',
    ...write,
    success: 202
  },
  parseSample: {
    method: 'POST',
    path: '/api/v1/integrations/inbound/{id}/parse',
    tag: 'Integrations',
    summary: 'Parse a sample as the door would, without effect',
    ...write,
    any_text: true
  },

  readAccount: {
    method: 'GET',
    path: '/api/v1/account',
    tag: 'Account and workspace',
    summary: 'Account, workspace, role, plan and usage',
    ...ownRead
  },
  updateAccount: {
    method: 'PATCH',
    path: '/api/v1/account',
    tag: 'Account and workspace',
    summary: 'Change your name, zone, locale or password; a new password ends your other sessions',
    ...ownChange,
    rate: 'api_write'
  },
  readWorkspaceUsage: {
    method: 'GET',
    path: '/api/v1/workspace/usage',
    tag: 'Account and workspace',
    summary: 'What the workspace uses of its limits, and its inbound alerts by window',
    ...read
  },
  listFeed: { method: 'GET', path: '/api/v1/notifications/feed', tag: 'Notifications', summary: 'In-app feed, newest first', ...ownRead },
  countUnreadFeed: {
    method: 'GET',
    path: '/api/v1/notifications/feed/unread-count',
    tag: 'Notifications',
    summary: 'Unread items by category',
    ...ownRead
  },
  markFeedItemRead: {
    method: 'POST',
    path: '/api/v1/notifications/feed/{id}/read',
    tag: 'Notifications',
    summary: 'Mark an item as read',
    ...ownChange
  },
  markFeedItemUnread: {
    method: 'POST',
    path: '/api/v1/notifications/feed/{id}/unread',
    tag: 'Notifications',
    summary: 'Mark an item as unread',
    ...ownChange
  },
  markAllFeedRead: {
    method: 'POST',
    path: '/api/v1/notifications/feed/read-all',
    tag: 'Notifications',
    summary: 'Mark all items as read',
    ...ownChange
  },
  reactToFeedItem: {
    method: 'PUT',
    path: '/api/v1/notifications/feed/{id}/reactions/{emoji}',
    tag: 'Notifications',
    summary: 'React to an item',
    ...ownChange,
    success: 204
  },
  takeReactionBack: {
    method: 'DELETE',
    path: '/api/v1/notifications/feed/{id}/reactions/{emoji}',
    tag: 'Notifications',
    summary: 'Take a reaction back',
    ...ownChange,
    success: 204
  },
  readWorkspace: { method: 'GET', path: '/api/v1/workspace', tag: 'Account and workspace', summary: 'Settings of the workspace', ...read },
  updateWorkspace: {
    method: 'PATCH',
    path: '/api/v1/workspace',
    tag: 'Account and workspace',
    summary: 'Change settings of the workspace',
    ...administer
  },
  readWorkspaceLimits: {
    method: 'GET',
    path: '/api/v1/workspace/limits',
    tag: 'Account and workspace',
    summary: 'Limits in force, and where each comes from',
    ...read
  },
  listMembers: { method: 'GET', path: '/api/v1/workspace/members', tag: 'Account and workspace', summary: 'List members', ...read },
  listRoutingRules: { method: 'GET', path: '/api/v1/routing-rules', tag: 'Routing', summary: 'List routing rules in order', ...read },
  createRoutingRule: {
    method: 'POST',
    path: '/api/v1/routing-rules',
    tag: 'Routing',
    summary: 'Create a routing rule',
    ...write,
    success: 201
  },
  orderRoutingRules: {
    method: 'PUT',
    path: '/api/v1/routing-rules/order',
    tag: 'Routing',
    summary: 'Set the order of all rules',
    ...write
  },
  testRoutingRules: {
    method: 'POST',
    path: '/api/v1/routing-rules/test',
    tag: 'Routing',
    summary: 'Try one alert, without effect',
    ...read,
    rate: 'api_write'
  },
  startBacktest: {
    method: 'POST',
    path: '/api/v1/routing-rules/backtest',
    tag: 'Routing',
    summary: 'Try rules on alerts of before, without effect',
    ...read,
    rate: 'api_write',
    success: 202
  },
  readBacktest: {
    method: 'GET',
    path: '/api/v1/routing-rules/backtests/{id}',
    tag: 'Routing',
    summary: 'How far a back-test is, and what it found',
    ...read
  },
  cancelBacktest: {
    method: 'DELETE',
    path: '/api/v1/routing-rules/backtests/{id}',
    tag: 'Routing',
    summary: 'Cancel a back-test',
    ...read,
    rate: 'api_write',
    success: 204
  },
  listRoutingVersions: {
    method: 'GET',
    path: '/api/v1/routing-rules/versions',
    tag: 'Routing',
    summary: 'Versions of the rule set',
    ...read
  },
  rollbackRoutingRules: {
    method: 'POST',
    path: '/api/v1/routing-rules/rollback',
    tag: 'Routing',
    summary: 'Restore a version of the rule set',
    ...write
  },
  readRoutingRule: { method: 'GET', path: '/api/v1/routing-rules/{id}', tag: 'Routing', summary: 'Read a routing rule', ...read },
  updateRoutingRule: { method: 'PATCH', path: '/api/v1/routing-rules/{id}', tag: 'Routing', summary: 'Change a routing rule', ...write },
  replaceRoutingRule: { method: 'PUT', path: '/api/v1/routing-rules/{id}', tag: 'Routing', summary: 'Replace a routing rule', ...write },
  deleteRoutingRule: {
    method: 'DELETE',
    path: '/api/v1/routing-rules/{id}',
    tag: 'Routing',
    summary: 'Delete a routing rule',
    ...write,
    success: 204
  },

  listSilences: { method: 'GET', path: '/api/v1/silences', tag: 'Silences', summary: 'List silences by a pattern', ...read },
  createSilence: {
    method: 'POST',
    path: '/api/v1/silences',
    tag: 'Silences',
    summary: 'Create a silence by a pattern, or see what it would match',
    ...act,
    success: 201
  },
  readSilence: { method: 'GET', path: '/api/v1/silences/{id}', tag: 'Silences', summary: 'Read a silence', ...read },
  updateSilence: { method: 'PATCH', path: '/api/v1/silences/{id}', tag: 'Silences', summary: 'Change a silence', ...act },
  expireSilence: { method: 'DELETE', path: '/api/v1/silences/{id}', tag: 'Silences', summary: 'End a silence now', ...act, success: 204 },

  listWindows: { method: 'GET', path: '/api/v1/maintenance-windows', tag: 'Maintenance', summary: 'List maintenance windows', ...read },
  createWindow: {
    method: 'POST',
    path: '/api/v1/maintenance-windows',
    tag: 'Maintenance',
    summary: 'Create a maintenance window, or see when it would be and what it covers',
    ...write,
    success: 201
  },
  readWindow: { method: 'GET', path: '/api/v1/maintenance-windows/{id}', tag: 'Maintenance', summary: 'Read a window', ...read },
  updateWindow: { method: 'PATCH', path: '/api/v1/maintenance-windows/{id}', tag: 'Maintenance', summary: 'Change a window', ...write },
  replaceWindow: { method: 'PUT', path: '/api/v1/maintenance-windows/{id}', tag: 'Maintenance', summary: 'Replace a window', ...write },
  deleteWindow: {
    method: 'DELETE',
    path: '/api/v1/maintenance-windows/{id}',
    tag: 'Maintenance',
    summary: 'Delete a window',
    ...write,
    success: 204
  },
  endWindow: {
    method: 'POST',
    path: '/api/v1/maintenance-windows/{id}/end-now',
    tag: 'Maintenance',
    summary: 'End a running window',
    ...write
  },
  startDeployment: {
    method: 'POST',
    path: '/api/v1/deployments/maintenance',
    tag: 'Maintenance',
    summary: 'Start a bounded deployment window, with a token that ends it',
    ...configure,
    success: 201
  },
  endDeployment: {
    method: 'POST',
    path: '/api/v1/deployments/maintenance/end',
    tag: 'Maintenance',
    summary: 'End a deployment window with its token',
    ...open,
    no_store: true
  },
  listDeployments: {
    method: 'GET',
    path: '/api/v1/deployments/maintenance',
    tag: 'Maintenance',
    summary: 'List deployment windows',
    ...read
  },
  readDeployment: {
    method: 'GET',
    path: '/api/v1/deployments/maintenance/{id}',
    tag: 'Maintenance',
    summary: 'Read a deployment window',
    ...read
  },
  extendDeployment: {
    method: 'POST',
    path: '/api/v1/deployments/maintenance/{id}/extend',
    tag: 'Maintenance',
    summary: 'Extend a deployment window, once',
    ...write
  },
  cancelDeployment: {
    method: 'POST',
    path: '/api/v1/deployments/maintenance/{id}/cancel',
    tag: 'Maintenance',
    summary: 'Cancel a deployment window',
    ...write
  },

  listSchedules: { method: 'GET', path: '/api/v1/on-call/schedules', tag: 'On-call', summary: 'List schedules', ...read },
  createSchedule: {
    method: 'POST',
    path: '/api/v1/on-call/schedules',
    tag: 'On-call',
    summary: 'Create a schedule, or see the shifts that it would give',
    ...write,
    success: 201
  },
  readSchedule: { method: 'GET', path: '/api/v1/on-call/schedules/{id}', tag: 'On-call', summary: 'Read a schedule', ...read },
  updateSchedule: {
    method: 'PATCH',
    path: '/api/v1/on-call/schedules/{id}',
    tag: 'On-call',
    summary: 'Change a schedule from an instant on',
    ...write
  },
  replaceSchedule: {
    method: 'PUT',
    path: '/api/v1/on-call/schedules/{id}',
    tag: 'On-call',
    summary: 'Replace a schedule from an instant on',
    ...write
  },
  deleteSchedule: {
    method: 'DELETE',
    path: '/api/v1/on-call/schedules/{id}',
    tag: 'On-call',
    summary: 'Delete a schedule',
    ...write,
    success: 204
  },
  listShifts: {
    method: 'GET',
    path: '/api/v1/on-call/schedules/{id}/shifts',
    tag: 'On-call',
    summary: 'Final shifts of a schedule, as JSON, CSV or iCalendar',
    ...read
  },
  listScheduleVersions: {
    method: 'GET',
    path: '/api/v1/on-call/schedules/{id}/versions',
    tag: 'On-call',
    summary: 'Versions of a schedule, newest first',
    ...read
  },
  listOverrides: { method: 'GET', path: '/api/v1/on-call/overrides', tag: 'On-call', summary: 'List overrides', ...read },
  createOverride: {
    method: 'POST',
    path: '/api/v1/on-call/overrides',
    tag: 'On-call',
    summary: 'Create an override; responders for themselves',
    ...write,
    or: ['incidents:act'],
    success: 201
  },
  endOverride: {
    method: 'DELETE',
    path: '/api/v1/on-call/overrides/{id}',
    tag: 'On-call',
    summary: 'Delete an override, or end one that has begun',
    ...write,
    or: ['incidents:act'],
    success: 204
  },
  readOnCall: { method: 'GET', path: '/api/v1/on-call/now', tag: 'On-call', summary: 'Who is on call, now or at another instant', ...read },
  readCoverage: {
    method: 'GET',
    path: '/api/v1/on-call/coverage',
    tag: 'On-call',
    summary: 'Where nobody is on call, and where too few are',
    ...read
  },
  listSwaps: { method: 'GET', path: '/api/v1/on-call/swaps', tag: 'On-call', summary: 'List swaps', ...read },
  createSwap: {
    method: 'POST',
    path: '/api/v1/on-call/swaps',
    tag: 'On-call',
    summary: 'Ask others to take your shifts',
    ...write,
    or: ['incidents:act'],
    success: 201
  },
  takeSwap: {
    method: 'POST',
    path: '/api/v1/on-call/swaps/{id}/take',
    tag: 'On-call',
    summary: 'Take the shifts of a swap',
    ...write,
    or: ['incidents:act']
  },
  withdrawSwap: {
    method: 'DELETE',
    path: '/api/v1/on-call/swaps/{id}',
    tag: 'On-call',
    summary: 'Withdraw a swap',
    ...ownDuty,
    success: 204
  },
  listCalendarLinks: {
    method: 'GET',
    path: '/api/v1/on-call/ical-links',
    tag: 'On-call',
    summary: 'List your calendar feeds, without their addresses',
    ...ownDuty,
    rate: 'api_read'
  },
  createCalendarLink: {
    method: 'POST',
    path: '/api/v1/on-call/ical-links',
    tag: 'On-call',
    summary: 'Create a calendar feed; its address is shown once',
    ...ownDuty,
    own: 'readers',
    success: 201
  },
  deleteCalendarLink: {
    method: 'DELETE',
    path: '/api/v1/on-call/ical-links/{id}',
    tag: 'On-call',
    summary: 'Revoke a calendar feed',
    ...ownDuty,
    success: 204
  },
  readCalendar: {
    method: 'GET',
    path: '/api/v1/on-call/ical/{secret}.ics',
    tag: 'On-call',
    summary: 'A calendar feed',
    ...open,
    no_store: true
  },
  testChannel: {
    method: 'POST',
    path: '/api/v1/notifications/channels/{id}/test',
    tag: 'Notifications',
    summary: 'Send a test by a channel',
    ...write
  },
  testMethod: {
    method: 'POST',
    path: '/api/v1/notifications/methods/{id}/test',
    tag: 'Notifications',
    summary: 'Send a test to oneself',
    ...ownDuty
  },
  listDeliveries: {
    method: 'GET',
    path: '/api/v1/notifications/deliveries',
    tag: 'Notifications',
    summary: 'The ledger of deliveries',
    ...read
  },
  readDelivery: {
    method: 'GET',
    path: '/api/v1/notifications/deliveries/{id}',
    tag: 'Notifications',
    summary: 'Read a delivery with what was sent',
    ...read
  },
  redeliver: {
    method: 'POST',
    path: '/api/v1/notifications/deliveries/{id}/redeliver',
    tag: 'Notifications',
    summary: 'Send a delivery again',
    ...write,
    success: 202
  },
  listChannels: {
    method: 'GET',
    path: '/api/v1/notifications/channels',
    tag: 'Notifications',
    summary: 'List notification channels',
    ...read
  },
  createChannel: {
    method: 'POST',
    path: '/api/v1/notifications/channels',
    tag: 'Notifications',
    summary: 'Create a notification channel',
    ...write,
    success: 201
  },
  confirmChannel: {
    method: 'GET',
    path: '/api/v1/notifications/channels/confirm',
    tag: 'Notifications',
    summary: 'To the page that confirms an e-mail channel',
    ...open,
    success: 302,
    no_store: true
  },
  lookAtMailLink: {
    method: 'GET',
    path: '/api/v1/notifications/links/{token}',
    tag: 'Notifications',
    summary: 'What the link of a mail would do',
    ...open,
    no_store: true
  },
  useMailLink: {
    method: 'POST',
    path: '/api/v1/notifications/links/{token}',
    tag: 'Notifications',
    summary: 'Do what the link of a mail says',
    ...open,
    no_store: true
  },
  confirmChannelAgain: {
    method: 'POST',
    path: '/api/v1/notifications/channels/{id}/confirmation',
    tag: 'Notifications',
    summary: 'Send the link of an e-mail channel again',
    ...write,
    success: 202
  },
  readChannel: {
    method: 'GET',
    path: '/api/v1/notifications/channels/{id}',
    tag: 'Notifications',
    summary: 'Read a notification channel',
    ...read
  },
  updateChannel: {
    method: 'PATCH',
    path: '/api/v1/notifications/channels/{id}',
    tag: 'Notifications',
    summary: 'Change a notification channel',
    ...write
  },
  replaceChannel: {
    method: 'PUT',
    path: '/api/v1/notifications/channels/{id}',
    tag: 'Notifications',
    summary: 'Replace a notification channel',
    ...write
  },
  deleteChannel: {
    method: 'DELETE',
    path: '/api/v1/notifications/channels/{id}',
    tag: 'Notifications',
    summary: 'Delete a notification channel',
    ...write,
    success: 204
  },
  verifyAddress: {
    method: 'POST',
    path: '/api/v1/notifications/channels/verify',
    tag: 'Notifications',
    summary: 'Send a code to a number or address, or confirm it by the code',
    ...write,
    or: ['incidents:act']
  },
  slackCommand: {
    method: 'POST',
    path: '/api/v1/chat/slack/commands',
    tag: 'Notifications',
    summary: 'A slash command, as Slack calls it',
    ...callback,
    any_text: true
  },
  slackInteraction: {
    method: 'POST',
    path: '/api/v1/chat/slack/interactions',
    tag: 'Notifications',
    summary: 'A pressed button, as Slack calls it',
    ...callback,
    any_text: true
  },
  discordInteraction: {
    method: 'POST',
    path: '/api/v1/chat/discord/interactions',
    tag: 'Notifications',
    summary: 'A command or a pressed button, as Discord calls it',
    ...callback,
    any_text: true
  },
  createPairingLink: {
    method: 'POST',
    path: '/api/v1/notifications/pairing-links',
    tag: 'Notifications',
    summary: 'A link by which a sender in a chat app becomes oneself',
    ...self,
    auth: 'session',
    rate: 'own',
    success: 201
  },
  telegramUpdate: {
    method: 'POST',
    path: '/api/v1/chat/telegram/{hook_id}',
    tag: 'Notifications',
    summary: 'A message to a bot or a pressed button, as Telegram calls it',
    ...callback,
    any_text: true
  },
  slackEvent: {
    method: 'POST',
    path: '/api/v1/chat/slack/events',
    tag: 'Notifications',
    summary: 'What happened in a Slack workspace, as Slack calls it',
    ...callback,
    any_text: true
  },
  startInstall: {
    method: 'GET',
    path: '/api/v1/notifications/oauth/{kind}/start',
    tag: 'Notifications',
    summary: 'To the page of a chat service that adds the app',
    auth: 'session',
    scope: 'write',
    role: 'editor',
    rate: 'api_read',
    success: 302,
    no_store: true
  },
  finishInstall: {
    method: 'GET',
    path: '/api/v1/notifications/oauth/{kind}/callback',
    tag: 'Notifications',
    summary: 'Back from the page of a chat service that added the app',
    auth: 'session',
    scope: 'write',
    role: 'editor',
    rate: 'api_read',
    success: 302,
    no_store: true
  },
  listChatIdentities: {
    method: 'GET',
    path: '/api/v1/chat/identities',
    tag: 'Notifications',
    summary: 'Senders in chat apps that are oneself',
    ...ownRead
  },
  lookAtChatLink: {
    method: 'POST',
    path: '/api/v1/chat/links/look',
    tag: 'Notifications',
    summary: 'Whom the link of a chat app is about',
    ...self,
    auth: 'session'
  },
  linkChatIdentity: {
    method: 'POST',
    path: '/api/v1/chat/identities',
    tag: 'Notifications',
    summary: 'Be the sender that the link of a chat app is about',
    ...self,
    auth: 'session',
    rate: 'own',
    success: 201
  },
  unlinkChatIdentity: {
    method: 'DELETE',
    path: '/api/v1/chat/identities/{id}',
    tag: 'Notifications',
    summary: 'No longer be a sender in a chat app',
    ...ownChange,
    success: 204
  },
  mailEvents: {
    method: 'POST',
    path: '/api/v1/callbacks/email/{provider}',
    tag: 'Notifications',
    summary: 'Mails that came back and complaints, as the mail provider calls it',
    ...callback,
    any_text: true,
    success: 204
  },
  listLinkedSenders: {
    method: 'GET',
    path: '/api/v1/workspace/chat-identities',
    tag: 'Notifications',
    summary: 'Who of the workspace acts from which chat app',
    ...administer,
    rate: 'api_read'
  },
  unlinkSender: {
    method: 'DELETE',
    path: '/api/v1/workspace/chat-identities/{id}',
    tag: 'Notifications',
    summary: 'Unlink a member from a sender in a chat app',
    ...administer,
    success: 204
  },
  twilioSms: {
    method: 'POST',
    path: '/api/v1/callbacks/twilio/sms',
    tag: 'Notifications',
    summary: 'What somebody answers by text message, as Twilio calls it',
    ...callback
  },
  twilioSmsStatus: {
    method: 'POST',
    path: '/api/v1/callbacks/twilio/sms/{delivery_id}',
    tag: 'Notifications',
    summary: 'What became of a text message, as Twilio calls it',
    ...callback,
    success: 204
  },
  twilioVoice: {
    method: 'POST',
    path: '/api/v1/callbacks/twilio/voice/{delivery_id}',
    tag: 'Notifications',
    summary: 'A key that was pressed in a call, as Twilio calls it',
    ...callback
  },
  twilioVoiceStatus: {
    method: 'POST',
    path: '/api/v1/callbacks/twilio/voice/{delivery_id}/status',
    tag: 'Notifications',
    summary: 'What became of a call, as Twilio calls it',
    ...callback,
    success: 204
  },
  listChannelKinds: {
    method: 'GET',
    path: '/api/v1/notifications/channel-kinds',
    tag: 'Notifications',
    summary: 'Kinds of channels, with the JSON Schema of each',
    ...read
  },
  listTemplates: {
    method: 'GET',
    path: '/api/v1/notifications/templates',
    tag: 'Notifications',
    summary: 'List templates of messages',
    ...read
  },
  createTemplate: {
    method: 'POST',
    path: '/api/v1/notifications/templates',
    tag: 'Notifications',
    summary: 'Create a template of messages',
    ...write,
    success: 201
  },
  previewTemplate: {
    method: 'POST',
    path: '/api/v1/notifications/templates/preview',
    tag: 'Notifications',
    summary: 'What a template would say, of a sample',
    ...read,
    rate: 'api_write'
  },
  readTemplate: {
    method: 'GET',
    path: '/api/v1/notifications/templates/{id}',
    tag: 'Notifications',
    summary: 'Read a template of messages',
    ...read
  },
  updateTemplate: {
    method: 'PATCH',
    path: '/api/v1/notifications/templates/{id}',
    tag: 'Notifications',
    summary: 'Change a template of messages',
    ...write
  },
  deleteTemplate: {
    method: 'DELETE',
    path: '/api/v1/notifications/templates/{id}',
    tag: 'Notifications',
    summary: "Delete a template; the service's own words are back",
    ...write,
    success: 204
  },

  readPreferences: {
    method: 'GET',
    path: '/api/v1/notifications/preferences',
    tag: 'Notifications',
    summary: 'How one is reached, and when',
    ...ownRead
  },
  putPreferences: {
    method: 'PUT',
    path: '/api/v1/notifications/preferences',
    tag: 'Notifications',
    summary: 'Set how one is reached, and when',
    ...ownDuty
  },
  listDevices: {
    method: 'GET',
    path: '/api/v1/notifications/devices',
    tag: 'Notifications',
    summary: 'Phones on which one is told',
    ...ownRead
  },
  registerDevice: {
    method: 'POST',
    path: '/api/v1/notifications/devices',
    tag: 'Notifications',
    summary: 'Register the phone on which the app runs',
    ...ownDuty,
    success: 201
  },
  removeDevice: {
    method: 'DELETE',
    path: '/api/v1/notifications/devices/{id}',
    tag: 'Notifications',
    summary: 'Remove a phone',
    ...ownDuty,
    success: 204
  },
  listMails: {
    method: 'GET',
    path: '/api/v1/notifications/mailbox',
    tag: 'Notifications',
    summary: 'Mails that a run without a mail server keeps',
    ...administer,
    rate: 'api_read'
  },
  readMail: {
    method: 'GET',
    path: '/api/v1/notifications/mailbox/{id}',
    tag: 'Notifications',
    summary: 'Read a kept mail',
    ...administer,
    rate: 'api_read'
  },
  readMailHtml: {
    method: 'GET',
    path: '/api/v1/notifications/mailbox/{id}/html',
    tag: 'Notifications',
    summary: 'The HTML of a kept mail, for a sandboxed frame',
    ...administer,
    rate: 'api_read'
  },
  emptyMailbox: {
    method: 'DELETE',
    path: '/api/v1/notifications/mailbox',
    tag: 'Notifications',
    summary: 'Delete the kept mails',
    ...administer,
    success: 204
  },
  listEscalationPolicies: {
    method: 'GET',
    path: '/api/v1/on-call/escalation-policies',
    tag: 'On-call',
    summary: 'List escalation policies',
    ...read
  },
  createEscalationPolicy: {
    method: 'POST',
    path: '/api/v1/on-call/escalation-policies',
    tag: 'On-call',
    summary: 'Create an escalation policy',
    ...write,
    success: 201
  },
  readEscalationPolicy: {
    method: 'GET',
    path: '/api/v1/on-call/escalation-policies/{id}',
    tag: 'On-call',
    summary: 'Read an escalation policy',
    ...read
  },
  updateEscalationPolicy: {
    method: 'PATCH',
    path: '/api/v1/on-call/escalation-policies/{id}',
    tag: 'On-call',
    summary: 'Change an escalation policy',
    ...write
  },
  replaceEscalationPolicy: {
    method: 'PUT',
    path: '/api/v1/on-call/escalation-policies/{id}',
    tag: 'On-call',
    summary: 'Replace an escalation policy',
    ...write
  },
  deleteEscalationPolicy: {
    method: 'DELETE',
    path: '/api/v1/on-call/escalation-policies/{id}',
    tag: 'On-call',
    summary: 'Delete an escalation policy',
    ...write,
    success: 204
  },
  simulateEscalationPolicy: {
    method: 'POST',
    path: '/api/v1/on-call/escalation-policies/{id}/simulate',
    tag: 'On-call',
    summary: 'Who would be asked when, without effect',
    ...read,
    rate: 'api_write'
  },
  pageByHand: {
    method: 'POST',
    path: '/api/v1/on-call/page',
    tag: 'On-call',
    summary: 'Page a person or a schedule by hand',
    ...act,
    success: 201
  },

  listTeams: { method: 'GET', path: '/api/v1/teams', tag: 'Teams', summary: 'List teams', ...read },
  createTeam: { method: 'POST', path: '/api/v1/teams', tag: 'Teams', summary: 'Create a team', ...write, success: 201 },
  readTeam: { method: 'GET', path: '/api/v1/teams/{id}', tag: 'Teams', summary: 'Read a team', ...read },
  updateTeam: { method: 'PATCH', path: '/api/v1/teams/{id}', tag: 'Teams', summary: 'Change a team', ...write },
  deleteTeam: { method: 'DELETE', path: '/api/v1/teams/{id}', tag: 'Teams', summary: 'Delete a team', ...write, success: 204 },
  putTeamMember: {
    method: 'PUT',
    path: '/api/v1/teams/{id}/members/{user_id}',
    tag: 'Teams',
    summary: 'Add a member to a team, or change their role in it',
    ...write
  },
  deleteTeamMember: {
    method: 'DELETE',
    path: '/api/v1/teams/{id}/members/{user_id}',
    tag: 'Teams',
    summary: 'Remove a member from a team',
    ...write,
    success: 204
  },
  leaveTeam: {
    method: 'DELETE',
    path: '/api/v1/teams/{id}/members/me',
    tag: 'Teams',
    summary: 'Leave a team, whatever the role',
    ...ownChange,
    success: 204
  },
  updateMember: {
    method: 'PATCH',
    path: '/api/v1/workspace/members/{user_id}',
    tag: 'Account and workspace',
    summary: 'Change the role of a member; only an owner makes or unmakes an owner',
    ...administer
  },
  deleteMember: {
    method: 'DELETE',
    path: '/api/v1/workspace/members/{user_id}',
    tag: 'Account and workspace',
    summary: 'Remove a member; their sessions and tokens of this workspace are dead within 5 s',
    ...administer,
    success: 204
  },
  listInvites: {
    method: 'GET',
    path: '/api/v1/workspace/invites',
    tag: 'Account and workspace',
    summary: 'List invites that are not accepted',
    ...administer,
    rate: 'api_read'
  },
  createInvite: {
    method: 'POST',
    path: '/api/v1/workspace/invites',
    tag: 'Account and workspace',
    summary: 'Invite a person for 7 days; the address that accepts is shown once',
    ...administer,
    success: 201
  },
  deleteInvite: {
    method: 'DELETE',
    path: '/api/v1/workspace/invites/{id}',
    tag: 'Account and workspace',
    summary: 'Withdraw an invite',
    ...administer,
    success: 204
  },
  readInvite: {
    method: 'GET',
    path: '/api/v1/invites/{token}',
    tag: 'Account and workspace',
    summary: 'What an invite is to, for the page that accepts it; 404 when unknown, used or expired',
    ...open,
    no_store: true
  },
  acceptInvite: {
    method: 'POST',
    path: '/api/v1/invites/{token}/accept',
    tag: 'Account and workspace',
    summary: 'Accept an invite once: a new person by name and password, an existing one by the password; starts a session',
    ...open,
    rate: 'auth',
    no_store: true
  },
  listViews: {
    method: 'GET',
    path: '/api/v1/account/views',
    tag: 'Account and workspace',
    summary: 'Views of lists that you keep',
    ...ownRead
  },
  saveView: {
    method: 'POST',
    path: '/api/v1/account/views',
    tag: 'Account and workspace',
    summary: 'Keep a view of a list; one of the same name takes its place',
    ...ownChange,
    success: 201
  },
  deleteView: {
    method: 'DELETE',
    path: '/api/v1/account/views/{id}',
    tag: 'Account and workspace',
    summary: 'Delete a view of a list',
    ...ownChange,
    success: 204
  },
  listAuditLog: {
    method: 'GET',
    path: '/api/v1/workspace/audit-log',
    tag: 'Account and workspace',
    summary: 'Who did what, newest first',
    ...administer,
    rate: 'api_read'
  },
  listTokens: {
    method: 'GET',
    path: '/api/v1/workspace/tokens',
    tag: 'Account and workspace',
    summary: 'List API tokens',
    ...administer,
    rate: 'api_read'
  },
  createToken: {
    method: 'POST',
    path: '/api/v1/workspace/tokens',
    tag: 'Account and workspace',
    summary: 'Create an API token, shown once',
    ...administer,
    success: 201
  },
  updateToken: {
    method: 'PATCH',
    path: '/api/v1/workspace/tokens/{id}',
    tag: 'Account and workspace',
    summary: 'Change an API token',
    ...administer
  },
  deleteToken: {
    method: 'DELETE',
    path: '/api/v1/workspace/tokens/{id}',
    tag: 'Account and workspace',
    summary: 'Revoke an API token',
    ...administer,
    success: 204
  },
  rotateToken: {
    method: 'POST',
    path: '/api/v1/workspace/tokens/{id}/rotate',
    tag: 'Account and workspace',
    summary: 'New value of an API token, shown once; the old one is dead within 5 s',
    ...administer
  },

  proberHello: { method: 'POST', path: '/api/v1/prober/hello', summary: 'Presence of a prober, every 10 s', ...prober },
  proberTrial: {
    method: 'POST',
    path: '/api/v1/prober/trials',
    summary: 'What a trial of a definition came to',
    ...prober,
    any_text: true
  },
  proberConfig: { method: 'GET', path: '/api/v1/prober/config', summary: 'What the region checks, by long poll', ...prober },

  readPlans: { method: 'GET', path: '/api/v1/public/capability-plans', tag: 'Public', summary: 'Plans, capabilities and limits', ...open },
  readOpenApi: { method: 'GET', path: '/api/v1/public/openapi.json', tag: 'Public', summary: 'This document', ...open },
  health: { method: 'GET', path: '/health', tag: 'Operations', summary: 'Health', ...health },
  ready: { method: 'GET', path: '/health/ready', tag: 'Operations', summary: 'Readiness: 503 while a part is missing', ...health },
  live: { method: 'GET', path: '/health/live', tag: 'Operations', summary: 'Liveness', ...health }
} as const satisfies Record<string, Endpoint>

export type EndpointId = keyof typeof endpoints
