/**
 * For every body field that holds an id, makes a body that is valid in all other fields. The
 * crawler of bodies puts ids of a private team into these fields.
 */
import { uuidv4 } from '../../../schemas/uuid.ts'
import type { Owned, Private } from './private-team.ts'

export interface Filled {
  path: string
  body: object
  /** The id of what the field names; default: the team. */
  of?: (owned: Owned) => string
  /**
   * The refusal that an owner gets instead of a success. An owner sees both objects; this refusal
   * is expected.
   */
  known?: { status: number; rule: string }
}
export type Fill = (id: string, all: Private) => Filled

const monitorOf = ({ monitor_id }: Owned): string => monitor_id
const policyOf = ({ policy_id }: Owned): string => policy_id
const scheduleOf = ({ rota }: Owned): string => rota.schedule_id
const channelOf = ({ channel_id }: Owned): string => channel_id
const declaredOf = ({ declared }: Owned): string => declared.incident_id

/** Makes a rule that matches nothing, so that it does not affect other alerts. */
const ruleFor = (actions: object) => ({ name: 'x', match: { all: [{ field: 'title', op: 'eq', value: 'of nothing' }] }, actions })

const layerOf = (user_id: string) => ({
  name: 'all',
  participants: [user_id],
  rotation: 'daily',
  handoff_time: '00:00',
  starts_on: '2026-01-01'
})

const hour = (from: number) => new Date(Date.now() + from * 3_600_000).toISOString()

const incidentFields: Readonly<Record<string, Fill>> = {
  'POST /api/v1/incidents team_id': (team_id) => ({ path: 'incidents', body: { title: 'x', severity: 'info', team_id } }),
  'POST /api/v1/incidents escalation_policy_id': (escalation_policy_id) => ({
    path: 'incidents',
    body: { title: 'x', severity: 'info', escalation_policy_id },
    of: policyOf
  }),
  'PATCH /api/v1/incidents/{id} team_id': (team_id, { open }) => ({ path: `incidents/${open.ended.incident_id}`, body: { team_id } }),
  'POST /api/v1/incidents/bulk ids': (id) => ({ path: 'incidents/bulk', body: { ids: [id], action: 'acknowledge' }, of: declaredOf }),
  'POST /api/v1/incidents/bulk schedule_id': (schedule_id, { open }) => ({
    path: 'incidents/bulk',
    body: { ids: [open.declared.incident_id], action: 'assign', schedule_id },
    of: scheduleOf
  }),
  'POST /api/v1/incidents/{id}/assign schedule_id': (schedule_id, { open }) => ({
    path: `incidents/${open.declared.incident_id}/assign`,
    body: { schedule_id },
    of: scheduleOf
  }),
  'POST /api/v1/incidents/{id}/escalate schedule_ids': (id, { open }) => ({
    path: `incidents/${open.declared.incident_id}/escalate`,
    body: { schedule_ids: [id] },
    of: scheduleOf
  }),
  // The channel is a webhook: an owner is told that it does not belong to the Slack app.
  'POST /api/v1/incidents/{id}/war-room channel_id': (channel_id, { open }) => ({
    path: `incidents/${open.declared.incident_id}/war-room`,
    body: { channel_id },
    of: channelOf,
    known: { status: 422, rule: 'channel_id' }
  }),
  'POST /api/v1/incidents/{id}/merge into_id': (into_id, { open }) => ({
    path: `incidents/${open.declared.incident_id}/merge`,
    body: { into_id },
    of: declaredOf,
    known: { status: 409, rule: 'CONFLICT' }
  }),
  'POST /api/v1/alerts/{id}/promote incident_id': (incident_id, { open }) => ({
    path: `alerts/${open.kept_alert_id}/promote`,
    body: { incident_id },
    of: declaredOf,
    known: { status: 409, rule: 'CONFLICT' }
  })
}

const watchedFields: Readonly<Record<string, Fill>> = {
  'POST /api/v1/monitors team_id': (team_id) => ({
    path: 'monitors',
    body: { name: uuidv4(), type: 'http', target: 'https://example.test/', team_id }
  }),
  'POST /api/v1/monitors escalation_policy_id': (escalation_policy_id) => ({
    path: 'monitors',
    body: { name: uuidv4(), type: 'http', target: 'https://example.test/', escalation_policy_id },
    of: policyOf
  }),
  'POST /api/v1/monitors depends_on': (id) => ({
    path: 'monitors',
    body: { name: uuidv4(), type: 'http', target: 'https://example.test/', depends_on: [id] },
    of: monitorOf
  }),
  'POST /api/v1/monitors/validate team_id': (team_id) => ({
    path: 'monitors/validate',
    body: { type: 'http', target: 'https://example.test/', team_id }
  }),
  'POST /api/v1/monitors/validate escalation_policy_id': (escalation_policy_id) => ({
    path: 'monitors/validate',
    body: { type: 'http', target: 'https://example.test/', escalation_policy_id },
    of: policyOf
  }),
  'POST /api/v1/monitors/validate depends_on': (id) => ({
    path: 'monitors/validate',
    body: { type: 'http', target: 'https://example.test/', depends_on: [id] },
    of: monitorOf
  }),
  'POST /api/v1/monitors/validate monitor_id': (monitor_id) => ({ path: 'monitors/validate', body: { monitor_id }, of: monitorOf }),
  // The monitor does not exist. If an owner moved a real one, the other callers would miss it.
  'POST /api/v1/monitors/bulk patch': (team_id) => ({
    path: 'monitors/bulk',
    body: { ids: ['01890000-0000-7000-8000-000000000000'], action: 'patch', patch: { team_id } }
  }),
  'POST /api/v1/monitors/bulk ids': (id) => ({ path: 'monitors/bulk', body: { ids: [id], action: 'resume' }, of: monitorOf }),
  'PATCH /api/v1/monitors/{id} depends_on': (id, { open }) => ({
    path: `monitors/${open.monitor_id}`,
    body: { depends_on: id === open.monitor_id ? [] : [id] },
    of: monitorOf
  }),
  'PATCH /api/v1/monitors/{id} team_id': (team_id, { open }) => ({ path: `monitors/${open.monitor_id}`, body: { team_id } }),
  'PATCH /api/v1/monitors/{id} escalation_policy_id': (escalation_policy_id, { open }) => ({
    path: `monitors/${open.monitor_id}`,
    body: { escalation_policy_id },
    of: policyOf
  }),
  'POST /api/v1/heartbeats team_id': (team_id) => ({
    path: 'heartbeats',
    body: { name: 'x', schedule: { kind: 'period', period_seconds: 60 }, team_id }
  }),
  'POST /api/v1/heartbeats escalation_policy_id': (escalation_policy_id) => ({
    path: 'heartbeats',
    body: { name: 'x', schedule: { kind: 'period', period_seconds: 60 }, escalation_policy_id },
    of: policyOf
  }),
  'PATCH /api/v1/heartbeats/{id} team_id': (team_id, { open }) => ({ path: `heartbeats/${open.heartbeat_id}`, body: { team_id } }),
  'PATCH /api/v1/heartbeats/{id} escalation_policy_id': (escalation_policy_id, { open }) => ({
    path: `heartbeats/${open.heartbeat_id}`,
    body: { escalation_policy_id },
    of: policyOf
  }),
  'POST /api/v1/integrations/inbound team_id': (team_id) => ({
    path: 'integrations/inbound',
    body: { name: 'x', source_type: 'generic', team_id }
  }),
  'POST /api/v1/integrations/inbound escalation_policy_id': (escalation_policy_id) => ({
    path: 'integrations/inbound',
    body: { name: 'x', source_type: 'generic', escalation_policy_id },
    of: policyOf
  }),
  'PATCH /api/v1/integrations/inbound/{id} team_id': (team_id, { open }) => ({
    path: `integrations/inbound/${open.integration_id}`,
    body: { team_id }
  }),
  'PATCH /api/v1/integrations/inbound/{id} escalation_policy_id': (escalation_policy_id, { open }) => ({
    path: `integrations/inbound/${open.integration_id}`,
    body: { escalation_policy_id },
    of: policyOf
  })
}

const ruleFields: Readonly<Record<string, Fill>> = {
  'POST /api/v1/routing-rules actions': (team_id) => ({ path: 'routing-rules', body: ruleFor({ team_id }) }),
  'PATCH /api/v1/routing-rules/{id} actions': (team_id, { open }) => ({
    path: `routing-rules/${open.rule_id}`,
    body: { actions: { team_id } }
  }),
  'PUT /api/v1/routing-rules/{id} actions': (team_id, { open }) => ({
    path: `routing-rules/${open.rule_id}`,
    body: ruleFor({ team_id })
  }),
  'POST /api/v1/routing-rules/backtest rules': (team_id) => ({
    path: 'routing-rules/backtest',
    body: { from: new Date(Date.now() - 1000).toISOString(), rules: [ruleFor({ team_id })] }
  }),
  'POST /api/v1/routing-rules/test rules': (team_id) => ({
    path: 'routing-rules/test',
    body: { alert: { title: 'x', severity: 'info' }, rules: [ruleFor({ team_id })] }
  })
}

/** A field of a schedule, for the routes that create, change and replace it. */
const scheduleField = (field: string, given: (id: string, all: Private) => unknown, of?: Filled['of']): Record<string, Fill> => {
  const whole = (id: string, all: Private) => ({
    name: uuidv4(),
    time_zone: 'UTC',
    layers: [layerOf(all.home.user_id)],
    [field]: given(id, all)
  })
  const named = of ? { of } : {}
  return {
    [`POST /api/v1/on-call/schedules ${field}`]: (id, all) => ({ path: 'on-call/schedules', body: whole(id, all), ...named }),
    [`PATCH /api/v1/on-call/schedules/{id} ${field}`]: (id, all) => ({
      path: `on-call/schedules/${all.spare_schedule_id}`,
      body: { [field]: given(id, all) },
      ...named
    }),
    [`PUT /api/v1/on-call/schedules/{id} ${field}`]: (id, all) => ({
      path: `on-call/schedules/${all.spare_schedule_id}`,
      body: whole(id, all),
      ...named
    })
  }
}

const policyField = (field: string, given: (id: string) => unknown, of?: Filled['of']): Record<string, Fill> => {
  const whole = (id: string, all: Private) => ({
    name: uuidv4(),
    steps: [{ targets: [{ type: 'user', id: all.home.user_id }] }],
    [field]: given(id)
  })
  const named = of ? { of } : {}
  return {
    [`POST /api/v1/on-call/escalation-policies ${field}`]: (id, all) => ({
      path: 'on-call/escalation-policies',
      body: whole(id, all),
      ...named
    }),
    [`PATCH /api/v1/on-call/escalation-policies/{id} ${field}`]: (id, all) => ({
      path: `on-call/escalation-policies/${all.open.policy_id}`,
      body: { [field]: given(id) },
      ...named
    }),
    [`PUT /api/v1/on-call/escalation-policies/{id} ${field}`]: (id, all) => ({
      path: `on-call/escalation-policies/${all.open.policy_id}`,
      body: whole(id, all),
      ...named
    })
  }
}

const onCallFields: Readonly<Record<string, Fill>> = {
  ...scheduleField('team_id', (id) => id),
  ...scheduleField('fallback', (id) => ({ kind: 'schedule', id }), scheduleOf),
  ...scheduleField('notices', (channel_id) => [{ channel_id, when: 'on_change' }], channelOf),
  'POST /api/v1/on-call/overrides schedule_id': (schedule_id) => ({
    path: 'on-call/overrides',
    body: { schedule_id, user_id: null, starts_at: hour(30), ends_at: hour(31) },
    of: scheduleOf
  }),
  'POST /api/v1/on-call/swaps schedule_id': (schedule_id) => ({
    path: 'on-call/swaps',
    body: { schedule_id, starts_at: hour(40), ends_at: hour(41) },
    of: scheduleOf,
    known: { status: 422, rule: 'no_shift' }
  }),
  'POST /api/v1/on-call/ical-links schedule_id': (schedule_id) => ({ path: 'on-call/ical-links', body: { schedule_id }, of: scheduleOf }),
  'POST /api/v1/on-call/page target': (id) => ({
    path: 'on-call/page',
    body: { target: { type: 'schedule', id }, message: 'x' },
    of: scheduleOf
  }),
  ...policyField('team_id', (id) => id),
  ...policyField('steps', (id) => [{ targets: [{ type: 'schedule', id }] }], scheduleOf),
  // The channel does not use the bot: a caller who sees it is told so.
  'POST /api/v1/notifications/pairing-links channel_id': (channel_id) => ({
    path: 'notifications/pairing-links',
    body: { kind: 'telegram', bot: 'acme_bot', channel_id },
    of: channelOf,
    known: { status: 422, rule: 'must be a channel of this bot' }
  })
}

const channelField = (field: string, given: (id: string) => unknown): Record<string, Fill> => {
  const whole = (id: string) => ({
    name: uuidv4(),
    kind: 'webhook',
    config: { url: 'https://hook.example.com/', secret: 'one-of-twenty-four-letters' },
    [field]: given(id)
  })
  return {
    [`POST /api/v1/notifications/channels ${field}`]: (id) => ({ path: 'notifications/channels', body: whole(id) }),
    [`PATCH /api/v1/notifications/channels/{id} ${field}`]: (id, { open }) => ({
      path: `notifications/channels/${open.channel_id}`,
      body: { [field]: given(id) }
    }),
    [`PUT /api/v1/notifications/channels/{id} ${field}`]: (id, { open }) => ({
      path: `notifications/channels/${open.channel_id}`,
      body: whole(id)
    })
  }
}

const windowFields = (): Record<string, Fill> => {
  const of = ({ monitor_id }: Owned): string => monitor_id
  const scoped = (id: string) => ({ scope: { monitor_ids: [id] } })
  const span = () => ({ schedule: { kind: 'once', starts_at: hour(24), ends_at: hour(25) } })
  const whole = (id: string) => ({ name: uuidv4(), effect: 'suppress_notifications', ...span(), ...scoped(id) })
  return {
    'POST /api/v1/maintenance-windows scope': (id) => ({ path: 'maintenance-windows', body: whole(id), of }),
    'PATCH /api/v1/maintenance-windows/{id} scope': (id, { open }) => ({
      path: `maintenance-windows/${open.window_id}`,
      body: scoped(id),
      of
    }),
    'PUT /api/v1/maintenance-windows/{id} scope': (id, { open }) => ({
      path: `maintenance-windows/${open.window_id}`,
      body: whole(id),
      of
    }),
    'POST /api/v1/deployments/maintenance scope': (id) => ({
      path: 'deployments/maintenance',
      body: { name: uuidv4(), duration_minutes: 5, ...scoped(id) },
      of
    })
  }
}

const settingFields: Readonly<Record<string, Fill>> = {
  ...windowFields(),
  ...channelField('team_id', (id) => id),
  ...channelField('allowed_team_ids', (id) => [id]),
  'POST /api/v1/teams escalation_policy_id': (escalation_policy_id) => ({
    path: 'teams',
    body: { name: uuidv4(), escalation_policy_id },
    of: policyOf
  }),
  'PATCH /api/v1/teams/{id} escalation_policy_id': (escalation_policy_id, { open }) => ({
    path: `teams/${open.team_id}`,
    body: { escalation_policy_id },
    of: policyOf
  })
}

/** Bodies by method, route and field. */
export const fills: Readonly<Record<string, Fill>> = {
  ...incidentFields,
  ...watchedFields,
  ...ruleFields,
  ...onCallFields,
  ...settingFields
}

/**
 * Fields that name a person, a workspace, a prober, a part of the same object, or something that
 * does not exist yet. A key has its own test.
 */
export const ofOthers = new Set([
  'POST /api/v1/auth/workspace workspace_id',
  'POST /api/v1/incidents assignee_id',
  'POST /api/v1/alerts dedup_key',
  'POST /api/v1/incidents dedup_key',
  'POST /api/v1/incidents/{id}/close on_behalf_of',
  'POST /api/v1/alerts/{id}/close on_behalf_of',
  'POST /api/v1/incidents/{id}/assign user_id',
  'POST /api/v1/incidents/{id}/escalate user_ids',
  'POST /api/v1/incidents/bulk on_behalf_of',
  'POST /api/v1/incidents/bulk user_id',
  // Owners of action items are people. Timeline references belong to the incident itself.
  'PUT /api/v1/incidents/{id}/postmortem action_items',
  'PUT /api/v1/incidents/{id}/postmortem timeline_refs',
  // A permutation of the rules that the caller sees; routing.test.ts tests it with hidden rules.
  'PUT /api/v1/routing-rules/order ids',
  'POST /api/v1/routing-rules/test alert',
  // Only for owners and admins, who see every team.
  'PATCH /api/v1/workspace default_escalation_policy_id',
  'POST /api/v1/workspace/invites team_ids',
  'PATCH /api/v1/workspace/members/{user_id} replace_with',
  // Layers name people.
  'POST /api/v1/on-call/schedules layers',
  'PATCH /api/v1/on-call/schedules/{id} layers',
  'PUT /api/v1/on-call/schedules/{id} layers',
  'POST /api/v1/on-call/overrides user_id',
  'POST /api/v1/on-call/overrides replaces_user_id',
  // One's own.
  'POST /api/v1/notifications/devices id',
  'PUT /api/v1/notifications/preferences contact_methods',
  'PUT /api/v1/notifications/preferences rules',
  // A group of monitors belongs to the workspace; see monitor-groups.test.ts.
  'POST /api/v1/monitors group_id',
  'PATCH /api/v1/monitors/{id} group_id',
  'POST /api/v1/monitors/validate group_id',
  // A name that the sender chooses.
  'POST /api/v1/monitors/{id}/results dedup_id',
  'POST /api/v1/prober/hello instance_id',
  'POST /api/v1/prober/hello public_key',
  'POST /api/v1/prober/trials instance_id',
  'POST /api/v1/prober/trials result'
])
