/** Names for the types of the generated document. */
import type { paths } from './openapi.ts'

type Get<P extends keyof paths> = paths[P] extends { get: { responses: { 200: { content: { 'application/json': infer Body } } } } }
  ? Body
  : never
type Sent<P extends keyof paths, M extends 'post' | 'patch'> = paths[P] extends {
  [K in M]: { requestBody?: { content: { 'application/json': infer Body } } }
}
  ? Body
  : never
type Put<P extends keyof paths> = paths[P] extends { put: { requestBody?: { content: { 'application/json': infer Body } } } } ? Body : never
type Made<P extends keyof paths> = paths[P] extends { post: { responses: { 201: { content: { 'application/json': infer Body } } } } }
  ? Body
  : never
type Query<P extends keyof paths> = paths[P] extends { get: { parameters: { query?: infer Q } } } ? NonNullable<Q> : never

export type Session = Get<'/api/v1/auth/session'>
export type Account = Get<'/api/v1/account'>
export type Workspace = Get<'/api/v1/workspace'>
export type Usage = Get<'/api/v1/workspace/usage'>
export type Limits = Get<'/api/v1/workspace/limits'>
export type Member = Get<'/api/v1/workspace/members'>['items'][number]
export type Invite = Get<'/api/v1/workspace/invites'>['items'][number]
export type InviteWithUrl = Made<'/api/v1/workspace/invites'>
export type PublicInvite = Get<'/api/v1/invites/{token}'>
export type Role = Session['role']

export type Incident = Exclude<Get<'/api/v1/incidents'>, string>['items'][number]
/**
 * The incident as its own page has it, with the fields that a list and the answer to an action
 * leave out.
 */
export type IncidentInFull = Get<'/api/v1/incidents/{id}'>
export type Related = NonNullable<IncidentInFull['related']>[number]
export type Postmortem = Exclude<Get<'/api/v1/incidents/{id}/postmortem'>, string>
export type PostmortemChange = Put<'/api/v1/incidents/{id}/postmortem'>
export type IncidentCounts = NonNullable<Get<'/api/v1/incidents'>['counts']>
export type IncidentQuery = Query<'/api/v1/incidents'>
export type TimelineItem = Get<'/api/v1/incidents/{id}/timeline'>['items'][number]
export type IncidentComment = Get<'/api/v1/incidents/{id}/comments'>['items'][number]
export type NewIncident = Sent<'/api/v1/incidents', 'post'>
export type IncidentChange = Sent<'/api/v1/incidents/{id}', 'patch'>
export type EscalateNow = NonNullable<Sent<'/api/v1/incidents/{id}/escalate', 'post'>>
export type Escalated = paths['/api/v1/incidents/{id}/escalate']['post']['responses'][202]['content']['application/json']

export type Alert = Get<'/api/v1/alerts/{id}'>
export type NewAlert = Sent<'/api/v1/alerts', 'post'>
export type SentAlert = paths['/api/v1/alerts']['post']['responses'][202]['content']['application/json']
export type AlertQuery = Query<'/api/v1/alerts'>
/** One event that a sender reported for an alert. */
export type Signal = Get<'/api/v1/alerts/{id}/events'>['items'][number]

export type RuleList = Get<'/api/v1/routing-rules'>
export type Rule = RuleList['items'][number]
export type NewRule = NonNullable<Sent<'/api/v1/routing-rules', 'post'>>
export type RuleChange = NonNullable<Sent<'/api/v1/routing-rules/{id}', 'patch'>>
export type RuleVersion = Get<'/api/v1/routing-rules/versions'>['items'][number]
export type TrialAnswer = paths['/api/v1/routing-rules/test']['post']['responses'][200]['content']['application/json']

export type Backtest = Get<'/api/v1/routing-rules/backtests/{id}'>
export type BacktestRules = NonNullable<NonNullable<Sent<'/api/v1/routing-rules/backtest', 'post'>>['rules']>
export type BacktestResult = NonNullable<Backtest['result']>

export type Policy = Get<'/api/v1/on-call/escalation-policies'>['items'][number]
export type PolicyDetail = Get<'/api/v1/on-call/escalation-policies/{id}'>
export type NewPolicy = Sent<'/api/v1/on-call/escalation-policies', 'post'>
export type PolicyChange = NonNullable<Sent<'/api/v1/on-call/escalation-policies/{id}', 'patch'>>
export type PolicyCourse =
  paths['/api/v1/on-call/escalation-policies/{id}/simulate']['post']['responses'][200]['content']['application/json']

export type MaintenanceWindow = Get<'/api/v1/maintenance-windows/{id}'>
export type NewWindow = NonNullable<Sent<'/api/v1/maintenance-windows', 'post'>>
export type WindowChange = NonNullable<Sent<'/api/v1/maintenance-windows/{id}', 'patch'>>
export type WindowPreview = paths['/api/v1/maintenance-windows']['post']['responses'][200]['content']['application/json']
export type DeploymentWindow = Get<'/api/v1/deployments/maintenance/{id}'>

export type Silence = Get<'/api/v1/silences/{id}'>
export type NewSilence = NonNullable<Sent<'/api/v1/silences', 'post'>>
export type SilenceChange = NonNullable<Sent<'/api/v1/silences/{id}', 'patch'>>
export type SilencePreview = paths['/api/v1/silences']['post']['responses'][200]['content']['application/json']

export type Explanation = Get<'/api/v1/incidents/{id}/explain'>

export type BulkAction = NonNullable<Sent<'/api/v1/incidents/bulk', 'post'>>
export type BulkAnswer = paths['/api/v1/incidents/bulk']['post']['responses'][200]['content']['application/json']

export type Team = Get<'/api/v1/teams'>['items'][number]
export type TeamDetail = Get<'/api/v1/teams/{id}'>
export type TeamMember = TeamDetail['members'][number]
export type NewTeam = Sent<'/api/v1/teams', 'post'>
export type TeamChange = Sent<'/api/v1/teams/{id}', 'patch'>

export type Monitor = Get<'/api/v1/monitors/{id}'>
export type MonitorQuery = Query<'/api/v1/monitors'>
export type NewMonitor = Sent<'/api/v1/monitors', 'post'>
export type MonitorChange = Sent<'/api/v1/monitors/{id}', 'patch'>
export type CertificateItem = Get<'/api/v1/certificates'>['items'][number]
export type MonitorGroup = Get<'/api/v1/monitor-groups/{id}'>
export type NewMonitorGroup = NonNullable<Sent<'/api/v1/monitor-groups', 'post'>>
export type MonitorGroupChange = NonNullable<Sent<'/api/v1/monitor-groups/{id}', 'patch'>>
export type MonitorTrial = NonNullable<Sent<'/api/v1/monitors/validate', 'post'>>
export type Tried = paths['/api/v1/monitors/validate']['post']['responses'][200]['content']['application/json']
export type MonitorBulk = NonNullable<Sent<'/api/v1/monitors/bulk', 'post'>>
export type MonitorBulkAnswer = paths['/api/v1/monitors/bulk']['post']['responses'][200]['content']['application/json']
export type MonitorImport = NonNullable<Sent<'/api/v1/monitors/import', 'post'>>
export type Imported = paths['/api/v1/monitors/import']['post']['responses'][200]['content']['application/json']
export type Region = Get<'/api/v1/regions'>['items'][number]
export type Check = Get<'/api/v1/monitors/{id}/checks'>['items'][number]
export type Capture = Get<'/api/v1/monitors/{id}/checks/{check_id}/capture'>
export type StatusChange = Get<'/api/v1/monitors/{id}/status-changes'>['items'][number]

export type Heartbeat = Get<'/api/v1/heartbeats'>['items'][number]
export type HeartbeatWithSchedule = Get<'/api/v1/heartbeats/{id}'>
export type HeartbeatQuery = Query<'/api/v1/heartbeats'>
export type NewHeartbeat = Sent<'/api/v1/heartbeats', 'post'>
export type HeartbeatChange = Sent<'/api/v1/heartbeats/{id}', 'patch'>
export type Ping = Get<'/api/v1/heartbeats/{id}/pings'>['items'][number]
export type RunFigures = Get<'/api/v1/heartbeats/{id}/runs'>

export type Integration = Get<'/api/v1/integrations/inbound/{id}'>
export type NewIntegration = Sent<'/api/v1/integrations/inbound', 'post'>
export type IntegrationChange = Sent<'/api/v1/integrations/inbound/{id}', 'patch'>
export type Source = Get<'/api/v1/integrations/sources'>['items'][number]
export type Delivery = Get<'/api/v1/integrations/inbound/{id}/events'>['items'][number]
export type ParseAnswer = paths['/api/v1/integrations/inbound/{id}/parse']['post']['responses'][200]['content']['application/json']

export type Token = Get<'/api/v1/workspace/tokens'>['items'][number]
export type NewToken = Sent<'/api/v1/workspace/tokens', 'post'>
export type TokenWithValue = Made<'/api/v1/workspace/tokens'>
export type Scope = NonNullable<NewToken['scopes']>[number]

export type Location = Get<'/api/v1/private-locations'>['items'][number]
export type NewLocation = Sent<'/api/v1/private-locations', 'post'>
export type LocationChange = NonNullable<Sent<'/api/v1/private-locations/{id}', 'patch'>>
export type LocationWithToken = Made<'/api/v1/private-locations'>

export type FeedItem = Get<'/api/v1/notifications/feed'>['items'][number]
export type FeedCategory = FeedItem['category']
export type UnreadCount = Get<'/api/v1/notifications/feed/unread-count'>

export type NotificationChannel = Get<'/api/v1/notifications/channels'>['items'][number]
export type ChannelQuery = Query<'/api/v1/notifications/channels'>
export type NewChannel = Sent<'/api/v1/notifications/channels', 'post'>
export type ChannelChange = Sent<'/api/v1/notifications/channels/{id}', 'patch'>
export type MessageTemplate = Get<'/api/v1/notifications/templates/{id}'>
export type NewTemplate = Sent<'/api/v1/notifications/templates', 'post'>
export type TemplateChange = Sent<'/api/v1/notifications/templates/{id}', 'patch'>
export type TemplateSample = Sent<'/api/v1/notifications/templates/preview', 'post'>
export type Preferences = Get<'/api/v1/notifications/preferences'>
export type ContactMethod = Preferences['contact_methods'][number]
export type Device = Get<'/api/v1/notifications/devices'>['items'][number]
export type PreferencesChange = Put<'/api/v1/notifications/preferences'>
export type Verification = Sent<'/api/v1/notifications/channels/verify', 'post'>
export type ChannelKindItem = Get<'/api/v1/notifications/channel-kinds'>['items'][number]

export type OnCallNow = Get<'/api/v1/on-call/now'>['items'][number]
export type Schedule = Get<'/api/v1/on-call/schedules/{id}'>
export type ScheduleLayer = Schedule['layers'][number]
export type ShiftItem = Schedule['next_shifts'][number]
export type NewSchedule = NonNullable<Sent<'/api/v1/on-call/schedules', 'post'>>
export type ScheduleChange = NonNullable<Sent<'/api/v1/on-call/schedules/{id}', 'patch'>>
export type SchedulePreview = Extract<
  paths['/api/v1/on-call/schedules']['post']['responses'][200]['content']['application/json'],
  { shifts: unknown }
>
export type ScheduleVersion = Get<'/api/v1/on-call/schedules/{id}/versions'>['items'][number]
export type Override = Get<'/api/v1/on-call/overrides'>['items'][number]
export type NewOverride = NonNullable<Sent<'/api/v1/on-call/overrides', 'post'>>
export type Swap = Get<'/api/v1/on-call/swaps'>['items'][number]
export type NewSwap = NonNullable<Sent<'/api/v1/on-call/swaps', 'post'>>
export type Coverage = Get<'/api/v1/on-call/coverage'>

export type LedgerItem = Get<'/api/v1/notifications/deliveries'>['items'][number]
export type LedgerQuery = Query<'/api/v1/notifications/deliveries'>
export type LedgerDetail = Get<'/api/v1/notifications/deliveries/{id}'>

export type Severity = Incident['severity']
export type LatencyAnswer = Get<'/api/v1/analytics/latency'>
export type UptimeAnswer = Get<'/api/v1/analytics/uptime'>

export type KeptMail = Get<'/api/v1/notifications/mailbox'>['items'][number]
export type KeptMailInFull = Get<'/api/v1/notifications/mailbox/{id}'>
export type LinkedSender = Get<'/api/v1/workspace/chat-identities'>['items'][number]
export type ChatIdentity = Get<'/api/v1/chat/identities'>['items'][number]
export type MailLinkAnswer = Get<'/api/v1/notifications/links/{token}'>

export type SavedView = Get<'/api/v1/account/views'>['items'][number]
export type NewView = NonNullable<Sent<'/api/v1/account/views', 'post'>>
export type AuditEntry = Get<'/api/v1/workspace/audit-log'>['items'][number]
export type AuditQuery = Query<'/api/v1/workspace/audit-log'>
