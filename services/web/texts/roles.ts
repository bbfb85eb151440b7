/** Texts about the rights of people and tokens. */
import { textsOf } from './text.ts'

export const roles = {
  'role.owner': 'Owner',
  'role.admin': 'Admin',
  'role.responder': 'Responder',
  'role.editor': 'Editor',
  'role.viewer': 'Viewer',
  'role.billing': 'Billing',
  'does.owner': 'Can do everything. Only owners can add other owners.',
  'does.admin': 'Manages members, API tokens and settings, and can do everything that editors and responders can do.',
  'does.responder':
    'Declares, acknowledges, silences, resolves and comments on incidents, and takes over shifts. Can view everything else.',
  'does.editor':
    'Sets up monitors, heartbeats, integrations, channels, routing, on-call and maintenance. Cannot act on incidents. Can view everything else.',
  'does.viewer': 'Can view everything and change nothing.',
  'does.billing': 'Manages the plan and its cost. Cannot view monitors or incidents.',
  'scope.read': 'Read',
  'scope.write': 'Write',
  'scope.act': 'Act on incidents',
  'scope.ingest': 'Send',
  'scope.data': 'Read data topics',
  'scope.billing': 'Billing',
  'scope.admin': 'Admin',
  'allows.read': 'Monitors, heartbeats, incidents, integrations and analytics.',
  'allows.write':
    'Create and change everything that is set up: monitors, heartbeats, integrations, channels, routing, schedules, policies, maintenance and teams.',
  'allows.act': 'Declare, acknowledge, silence, resolve and comment on incidents, notify people, and take over shifts.',
  'allows.ingest': 'Send alerts and states of external monitors. With Read, also see the ping URLs of heartbeats.',
  'allows.data': 'For data teams that read the topics of the workspace.',
  'allows.billing': 'The plan and its cost.',
  'allows.admin': 'Everything its owner can do, including members and tokens.'
} as const

export const rolesText = textsOf(roles, 'roles')
