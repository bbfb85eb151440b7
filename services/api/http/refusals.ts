/**
 * Lists the errors that each route answers with, for the API's document: those that follow from its
 * row (a credential, a body, a rate), and its own. The fuzzer (test/fuzz/api) compares every answer
 * with the document.
 */
import { ERROR_SCHEMA } from '../../../schemas/http/common.ts'
import type { Endpoint, EndpointId } from '../../../schemas/http/endpoints.ts'
import { type ErrorCode, statusOf } from './errors.ts'

/** Errors beyond those that `shared` gives. */
const own: Partial<Record<EndpointId, readonly ErrorCode[]>> = {
  login: ['INVALID_CREDENTIALS', 'ACCOUNT_DISABLED', 'ORIGIN_REJECTED'],
  switchWorkspace: ['NOT_FOUND'],
  acknowledgeIncident: ['INCIDENT_RESOLVED'],
  escalateIncident: ['INCIDENT_RESOLVED'],
  unacknowledgeIncident: ['INCIDENT_RESOLVED'],
  resolveIncident: ['INCIDENT_RESOLVED'],
  silenceIncident: ['INCIDENT_RESOLVED'],
  unsilenceIncident: ['INCIDENT_RESOLVED'],
  assignIncident: ['INCIDENT_RESOLVED'],
  closeIncident: ['INCIDENT_RESOLVED'],
  openWarRoom: ['INCIDENT_RESOLVED'],
  mergeIncident: ['CONFLICT', 'INCIDENT_RESOLVED'],
  writePostmortem: ['TIER_LIMIT_EXCEEDED', 'VERSION_MISMATCH', 'CONFLICT'],
  acknowledgeAlert: ['INCIDENT_RESOLVED'],
  promoteAlert: ['ALREADY_PROMOTED', 'INCIDENT_RESOLVED', 'CONFLICT'],
  createMonitor: ['TIER_LIMIT_EXCEEDED', 'NAME_TAKEN'],
  updateMonitor: ['TIER_LIMIT_EXCEEDED', 'NAME_TAKEN'],
  resumeMonitor: ['TIER_LIMIT_EXCEEDED'],
  checkMonitor: ['MONITOR_PAUSED', 'NO_PROBER_ONLINE', 'WRONG_TYPE'],
  validateMonitor: ['TIER_LIMIT_EXCEEDED', 'NO_PROBER_ONLINE'],
  createMonitorGroup: ['NAME_TAKEN', 'CONFLICT'],
  updateMonitorGroup: ['NAME_TAKEN'],
  importMonitors: ['TIER_LIMIT_EXCEEDED', 'NAME_TAKEN'],
  pushResult: ['WRONG_TYPE'],
  createLocation: ['TIER_LIMIT_EXCEEDED', 'NAME_TAKEN'],
  updateLocation: ['NAME_TAKEN', 'VERSION_MISMATCH'],
  deleteLocation: ['IN_USE', 'VERSION_MISMATCH'],
  createHeartbeat: ['TIER_LIMIT_EXCEEDED', 'SLUG_TAKEN'],
  updateHeartbeat: ['SLUG_TAKEN'],
  resumeHeartbeat: ['TIER_LIMIT_EXCEEDED'],
  listChecks: ['HISTORY_EXPIRED'],
  listStatusChanges: ['HISTORY_EXPIRED'],
  listPings: ['HISTORY_EXPIRED'],
  readRuns: ['HISTORY_EXPIRED'],
  readUptime: ['NOT_FOUND', 'HISTORY_EXPIRED'],
  readLatency: ['NOT_FOUND', 'HISTORY_EXPIRED'],
  readIncidentFigures: ['NOT_FOUND', 'HISTORY_EXPIRED'],
  createIntegration: ['TIER_LIMIT_EXCEEDED'],
  listIntegrationEvents: ['HISTORY_EXPIRED'],
  parseSample: ['UNPARSEABLE_PAYLOAD'],
  updateAccount: ['CONFLICT'],
  updateWorkspace: ['SLUG_TAKEN'],
  updateMember: ['LAST_OWNER', 'IN_USE'],
  deleteMember: ['LAST_OWNER', 'IN_USE', 'VALIDATION_FAILED'],
  createInvite: ['TIER_LIMIT_EXCEEDED', 'EMAIL_TAKEN'],
  acceptInvite: ['INVALID_CREDENTIALS', 'ACCOUNT_DISABLED', 'ORIGIN_REJECTED', 'TIER_LIMIT_EXCEEDED', 'EMAIL_TAKEN', 'CONFLICT'],
  createToken: ['TIER_LIMIT_EXCEEDED'],
  createTeam: ['TIER_LIMIT_EXCEEDED', 'SLUG_TAKEN'],
  updateTeam: ['SLUG_TAKEN'],
  deleteTeam: ['IN_USE'],
  createEscalationPolicy: ['TIER_LIMIT_EXCEEDED'],
  updateEscalationPolicy: ['VERSION_MISMATCH'],
  replaceEscalationPolicy: ['VERSION_MISMATCH'],
  deleteEscalationPolicy: ['IN_USE', 'VERSION_MISMATCH'],
  createRoutingRule: ['TIER_LIMIT_EXCEEDED'],
  updateRoutingRule: ['TIER_LIMIT_EXCEEDED', 'DEFAULT_RULE', 'VERSION_MISMATCH'],
  replaceRoutingRule: ['TIER_LIMIT_EXCEEDED', 'DEFAULT_RULE', 'VERSION_MISMATCH'],
  deleteRoutingRule: ['DEFAULT_RULE', 'VERSION_MISMATCH'],
  orderRoutingRules: ['VERSION_MISMATCH', 'PRECONDITION_REQUIRED'],
  rollbackRoutingRules: ['TIER_LIMIT_EXCEEDED', 'NOT_FOUND', 'VERSION_MISMATCH'],
  startBacktest: ['TIER_LIMIT_EXCEEDED', 'CONFLICT'],
  createSilence: ['CONFLICT'],
  updateSilence: ['CONFLICT', 'VERSION_MISMATCH'],
  expireSilence: ['VERSION_MISMATCH'],
  createWindow: ['TIER_LIMIT_EXCEEDED'],
  updateWindow: ['CONFLICT', 'VERSION_MISMATCH'],
  replaceWindow: ['CONFLICT', 'VERSION_MISMATCH'],
  deleteWindow: ['VERSION_MISMATCH'],
  endWindow: ['CONFLICT', 'VERSION_MISMATCH'],
  startDeployment: ['TIER_LIMIT_EXCEEDED'],
  endDeployment: ['INVALID_END_TOKEN', 'END_TOKEN_USED', 'WINDOW_EXPIRED'],
  extendDeployment: ['CONFLICT', 'WINDOW_LIMIT'],
  cancelDeployment: ['CONFLICT'],
  createSchedule: ['TIER_LIMIT_EXCEEDED'],
  updateSchedule: ['CONFLICT', 'VERSION_MISMATCH'],
  replaceSchedule: ['CONFLICT', 'VERSION_MISMATCH'],
  deleteSchedule: ['IN_USE', 'VERSION_MISMATCH'],
  createOverride: ['CONFLICT'],
  createSwap: ['CONFLICT'],
  takeSwap: ['CONFLICT'],
  withdrawSwap: ['CONFLICT'],
  createCalendarLink: ['CONFLICT'],
  readOnCall: ['NOT_FOUND'],
  readCoverage: ['NOT_FOUND'],
  lookAtMailLink: ['FORBIDDEN'],
  useMailLink: ['FORBIDDEN', 'INCIDENT_RESOLVED'],
  createChannel: ['TIER_LIMIT_EXCEEDED', 'CONFLICT'],
  updateChannel: ['CONFLICT', 'VERSION_MISMATCH'],
  replaceChannel: ['CONFLICT', 'VERSION_MISMATCH'],
  confirmChannelAgain: ['CONFLICT'],
  deleteChannel: ['IN_USE', 'VERSION_MISMATCH', 'VALIDATION_FAILED'],
  createTemplate: ['CONFLICT'],
  updateTemplate: ['VERSION_MISMATCH'],
  deleteTemplate: ['VERSION_MISMATCH'],
  reactToFeedItem: ['CONFLICT'],
  takeReactionBack: ['VALIDATION_FAILED'],
  listMails: ['NOT_FOUND'],
  emptyMailbox: ['NOT_FOUND'],
  readPreferences: ['NOT_FOUND'],
  putPreferences: ['NOT_FOUND', 'VERSION_MISMATCH'],
  slackCommand: ['RATE_LIMITED'],
  slackInteraction: ['RATE_LIMITED'],
  discordInteraction: ['RATE_LIMITED'],
  telegramUpdate: ['RATE_LIMITED'],
  slackEvent: ['RATE_LIMITED'],
  lookAtChatLink: ['NOT_FOUND'],
  linkChatIdentity: ['NOT_FOUND', 'CONFLICT'],
  twilioSms: ['SIGNATURE_INVALID', 'RATE_LIMITED'],
  twilioSmsStatus: ['SIGNATURE_INVALID', 'RATE_LIMITED'],
  twilioVoice: ['SIGNATURE_INVALID', 'RATE_LIMITED'],
  twilioVoiceStatus: ['SIGNATURE_INVALID', 'RATE_LIMITED'],
  mailEvents: ['SIGNATURE_INVALID', 'NOT_FOUND', 'RATE_LIMITED'],
  forgotPassword: ['ORIGIN_REJECTED', 'NOT_IMPLEMENTED'],
  resetPassword: ['ORIGIN_REJECTED', 'TOKEN_EXPIRED'],
  testChannel: ['TIER_LIMIT_EXCEEDED'],
  testMethod: ['TIER_LIMIT_EXCEEDED'],
  verifyAddress: ['TIER_LIMIT_EXCEEDED', 'CODE_EXPIRED'],
  proberHello: ['CONFLICT'],
  proberConfig: ['CONFLICT']
}

/**
 * Headers or an address that are too long, and data that is not HTTP, are refused before the route
 * is known.
 */
const shared = ({ auth, rate, path, method }: Endpoint): ErrorCode[] => [
  'BAD_REQUEST',
  // A DELETE may also have a body: it is read and ignored.
  ...(method === 'GET' ? [] : (['MALFORMED_JSON', 'BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] as const)),
  ...(auth === 'prober' ? (['INVALID_PROBER_TOKEN'] as const) : []),
  ...(auth === 'public' || auth === 'prober'
    ? []
    : (['UNAUTHENTICATED', 'TOKEN_EXPIRED_OR_REVOKED', 'FORBIDDEN', 'READ_ONLY_TOKEN', 'ORIGIN_REJECTED', 'IP_NOT_ALLOWED'] as const)),
  ...(path.includes('{') ? (['NOT_FOUND'] as const) : []),
  ...(method === 'DELETE' ? [] : (['VALIDATION_FAILED'] as const)),
  ...(rate ? (['RATE_LIMITED'] as const) : []),
  'INTERNAL',
  'UNAVAILABLE'
]

/** Error answers for the document: status → its codes, in the one shape of an error. */
export function refusalsOf(id: EndpointId, endpoint: Endpoint): Record<number, object> {
  const codes = new Map<number, ErrorCode[]>()
  for (const code of new Set([...shared(endpoint), ...(own[id] ?? [])]))
    codes.set(statusOf[code], [...(codes.get(statusOf[code]) ?? []), code])
  return Object.fromEntries(
    [...codes].map(([status, each]) => [
      status,
      { description: each.join(', '), content: { 'application/json': { schema: { $ref: `${ERROR_SCHEMA}#` } } } }
    ])
  )
}
