/**
 * The plans: what each one allows, and its request rates. GET /public/capability-plans and every
 * check of a limit use this one catalogue.
 *
 * `null` means unlimited. The figures are the defaults of this deployment. The
 * `ingest_alerts_per_minute` of a plan is never below the floor of specification 8.4.
 * Source: docs/design/api.md#s21 and #s22.
 */

export type PlanId = 'free' | 'pro' | 'business' | 'enterprise'

export const planIds: readonly PlanId[] = ['free', 'pro', 'business', 'enterprise']

/**
 * Limits that are counted or measured, with unit and meaning. The keys are those of
 * docs/design/api.md#s22.
 */
export const limitKeys = {
  monitors: { unit: 'count', description: 'Monitors' },
  heartbeats: { unit: 'count', description: 'Heartbeats' },
  min_interval_seconds: { unit: 'seconds', description: 'Shortest interval between two checks of a monitor' },
  regions_per_monitor: { unit: 'count', description: 'Regions that check one monitor' },
  regions: { unit: 'count', description: 'Public regions to choose from' },
  private_locations: { unit: 'count', description: 'Private locations' },
  check_retention_days: { unit: 'days', description: 'How long single check results are kept' },
  rollup_retention_days: { unit: 'days', description: 'How long summaries of check results are kept' },
  incident_retention_days: { unit: 'days', description: 'How far back figures about incidents and alerts reach' },
  audit_retention_days: { unit: 'days', description: 'How long the audit log is kept' },
  replay_window_days: { unit: 'days', description: 'How far back a replay or an earlier state reaches' },
  channels: { unit: 'count', description: 'Notification channels' },
  sms_voice_per_month: { unit: 'count per month', description: 'Text messages and calls' },
  inbound_integrations: { unit: 'count', description: 'Inbound integrations' },
  ingest_alerts_per_minute: { unit: 'alerts per minute', description: 'Alerts that all doors of the workspace accept' },
  routing_rules: { unit: 'count', description: 'Routing rules' },
  silences: { unit: 'count', description: 'Silences that are pending or active' },
  schedules: { unit: 'count', description: 'On-call schedules' },
  escalation_policies: { unit: 'count', description: 'Escalation policies' },
  teams: { unit: 'count', description: 'Teams' },
  members: { unit: 'count', description: 'Members of the workspace' },
  api_tokens: { unit: 'count', description: 'API tokens that are not revoked' },
  status_pages: { unit: 'count', description: 'Status pages' },
  components: { unit: 'count', description: 'Components on all status pages' },
  subscribers: { unit: 'count', description: 'Subscribers of all status pages' },
  maintenance_windows: { unit: 'count', description: 'Planned or running maintenance windows' },
  deployment_windows: { unit: 'count', description: 'Deployment windows open at once' },
  sinks: { unit: 'count', description: 'Managed copies of the workspace topics' },
  data_credentials: { unit: 'count', description: 'Broker credentials of data teams' }
} as const

export type LimitKey = keyof typeof limitKeys

/** Features that a plan either includes or does not. */
export const capabilities = {
  explain: { name: 'Explain', description: 'Explanation of each decision' },
  custom_domain: { name: 'Custom domain', description: 'Status pages under a domain of your own' },
  password: { name: 'Password', description: 'Status pages behind a password' },
  white_label: { name: 'White label', description: 'Status pages without our name' },
  topics: { name: 'Topics', description: 'The workspace topics for data teams' },
  sso: { name: 'Single sign-on', description: 'Log in through an identity provider' },
  scim: { name: 'SCIM', description: 'Members and groups from an identity provider' },
  custom_roles: { name: 'Custom roles', description: 'Roles made of single permissions' },
  postmortems: { name: 'Postmortems', description: 'A report for an incident' },
  shadow_rules: { name: 'Shadow rules', description: 'Routing rules that only report' },
  backtest: { name: 'Backtest', description: 'Routing rules tried on past alerts' }
} as const

export type Capability = keyof typeof capabilities

/**
 * Limits and features that the plans already name but this version does not have yet. Nobody is
 * told that they have them.
 */
export const planned: ReadonlySet<string> = new Set<LimitKey | Capability>([
  'replay_window_days',
  'status_pages',
  'components',
  'subscribers',
  'sinks',
  'data_credentials',
  'custom_domain',
  'password',
  'white_label',
  'topics',
  'sso',
  'scim',
  'custom_roles'
])

export interface Plan {
  id: PlanId
  name: string
  description: string
  /** In minor units of `currency`. Null when this deployment does not sell the plan by itself. */
  prices: { month: number | null; year: number | null }
  limits: Readonly<Record<LimitKey, number | null>>
  capabilities: readonly Capability[]
  /**
   * Kinds of notification channels that the plan includes; `kind:mode` when it includes only one
   * mode.
   */
  channels: readonly string[]
  support: 'community' | 'email' | 'priority' | 'contract'
}

export const catalogue = { currency: 'EUR', updated_at: '2026-11-30T00:00:00.000Z' } as const

// biome-ignore format: one line per family reads as the table it is
const everyChannel = [
  'slack', 'discord', 'msteams', 'googlechat', 'telegram', 'rocketchat', 'matrix', 'mattermost',
  'pagerduty', 'opsgenie', 'victorops',
  'ntfy', 'gotify', 'apprise', 'pushbullet', 'pushover',
  'servicenow', 'freshservice', 'linear', 'jira', 'zendesk',
  'email', 'webhook', 'sms', 'voice', 'sns'
]

export const plans: Readonly<Record<PlanId, Plan>> = {
  free: {
    id: 'free',
    name: 'Free',
    description: 'To try it, and for one person’s own services',
    prices: { month: 0, year: 0 },
    limits: {
      monitors: 10,
      heartbeats: 10,
      min_interval_seconds: 180,
      regions_per_monitor: 2,
      regions: 3,
      private_locations: 0,
      check_retention_days: 7,
      rollup_retention_days: 90,
      incident_retention_days: 90,
      audit_retention_days: 7,
      replay_window_days: 1,
      channels: 3,
      sms_voice_per_month: 0,
      inbound_integrations: 2,
      ingest_alerts_per_minute: 1000,
      routing_rules: 5,
      silences: 10,
      schedules: 1,
      escalation_policies: 1,
      teams: 1,
      members: 3,
      api_tokens: 3,
      status_pages: 1,
      components: 10,
      subscribers: 100,
      maintenance_windows: 3,
      deployment_windows: 1,
      sinks: 0,
      data_credentials: 0
    },
    capabilities: ['explain', 'postmortems'],
    // biome-ignore format: one line per family reads as the table it is
    channels: [
      'slack:webhook', 'discord:webhook', 'msteams', 'googlechat', 'telegram', 'rocketchat', 'matrix', 'mattermost',
      'ntfy', 'gotify', 'apprise', 'pushbullet', 'pushover', 'email', 'webhook'
    ],
    support: 'community'
  },
  pro: {
    id: 'pro',
    name: 'Pro',
    description: 'For a team that is on call',
    prices: { month: null, year: null },
    limits: {
      monitors: 100,
      heartbeats: 100,
      min_interval_seconds: 60,
      regions_per_monitor: 6,
      regions: null,
      private_locations: 1,
      check_retention_days: 30,
      rollup_retention_days: 395,
      incident_retention_days: 395,
      audit_retention_days: 90,
      replay_window_days: 7,
      channels: 25,
      sms_voice_per_month: 50,
      inbound_integrations: 20,
      ingest_alerts_per_minute: 2000,
      routing_rules: 50,
      silences: 100,
      schedules: 5,
      escalation_policies: 10,
      teams: 5,
      members: 10,
      api_tokens: 20,
      status_pages: 3,
      components: 50,
      subscribers: 1000,
      maintenance_windows: 50,
      deployment_windows: 5,
      sinks: 0,
      data_credentials: 0
    },
    capabilities: ['explain', 'custom_domain', 'password', 'postmortems', 'backtest'],
    channels: everyChannel.filter((kind) => kind !== 'sns'),
    support: 'email'
  },
  business: {
    id: 'business',
    name: 'Business',
    description: 'For a company with several teams',
    prices: { month: null, year: null },
    limits: {
      monitors: 500,
      heartbeats: 500,
      min_interval_seconds: 30,
      regions_per_monitor: null,
      regions: null,
      private_locations: 5,
      check_retention_days: 90,
      rollup_retention_days: 760,
      incident_retention_days: 1095,
      audit_retention_days: 395,
      replay_window_days: 31,
      channels: 100,
      sms_voice_per_month: 300,
      inbound_integrations: 100,
      ingest_alerts_per_minute: 10_000,
      routing_rules: 500,
      silences: 500,
      schedules: 50,
      escalation_policies: 100,
      teams: 50,
      members: 50,
      api_tokens: 100,
      status_pages: 10,
      components: 200,
      subscribers: 10_000,
      maintenance_windows: 500,
      deployment_windows: 20,
      sinks: 2,
      data_credentials: 5
    },
    capabilities: ['explain', 'custom_domain', 'password', 'white_label', 'topics', 'sso', 'postmortems', 'shadow_rules', 'backtest'],
    channels: everyChannel,
    support: 'priority'
  },
  enterprise: {
    id: 'enterprise',
    name: 'Enterprise',
    description: 'By contract; every figure can be raised',
    prices: { month: null, year: null },
    limits: {
      monitors: 5000,
      heartbeats: 5000,
      min_interval_seconds: 10,
      regions_per_monitor: null,
      regions: null,
      private_locations: 50,
      check_retention_days: 395,
      rollup_retention_days: 1825,
      incident_retention_days: 2555,
      audit_retention_days: 2555,
      replay_window_days: 90,
      channels: 500,
      sms_voice_per_month: 2000,
      inbound_integrations: 1000,
      ingest_alerts_per_minute: 60_000,
      routing_rules: 5000,
      silences: 500,
      schedules: null,
      escalation_policies: null,
      teams: null,
      members: null,
      api_tokens: 500,
      status_pages: 50,
      components: 1000,
      subscribers: 100_000,
      maintenance_windows: 5000,
      deployment_windows: 100,
      sinks: 20,
      data_credentials: 50
    },
    capabilities: [
      'explain',
      'custom_domain',
      'password',
      'white_label',
      'topics',
      'sso',
      'scim',
      'custom_roles',
      'postmortems',
      'shadow_rules',
      'backtest'
    ],
    channels: everyChannel,
    support: 'contract'
  }
}

/** Returns the plan of a workspace. An unknown id counts as free. */
export const planOf = (id: string): Plan => plans[planIds.find((known) => known === id) ?? 'free']

/** Limits for which a smaller value allows more. */
const floors: ReadonlySet<LimitKey> = new Set(['min_interval_seconds'])

/**
 * Returns the next higher plan that allows more of `key` than `plan`; for the shortest interval,
 * one that allows `wanted`. Null when no plan does. The answer to a refused write uses it.
 */
export function upgradeFor(plan: PlanId, key: LimitKey, wanted = 0): PlanId | null {
  const now = plans[plan].limits[key]
  if (now === null) return null
  for (const id of planIds.slice(planIds.indexOf(plan) + 1)) {
    const limit = plans[id].limits[key]
    if (limit === null || (floors.has(key) ? limit <= wanted : limit > now)) return id
  }
  return null
}

/**
 * Requests per window for one rate group. `burst` of them may come at once. Each instance has its
 * own buckets, so a caller gets at least these figures.
 */
export interface Rate {
  window_seconds: number
  limit: Readonly<Record<PlanId, number>>
  burst: number
}

const same = (figure: number): Record<PlanId, number> => ({ free: figure, pro: figure, business: figure, enterprise: figure })

export const rates = {
  /** Wrong passwords, per pair of address and account. */
  auth: { window_seconds: 900, limit: same(10), burst: 5 },
  /**
   * Wrong passwords from one address for all accounts together. Accounts that the address has
   * logged in to before do not count.
   */
  auth_address: { window_seconds: 900, limit: same(60), burst: 30 },
  /**
   * Wrong passwords for one account from all addresses together. Addresses that have logged in to
   * it before do not count.
   */
  auth_account: { window_seconds: 900, limit: same(60), burst: 30 },
  /**
   * Answers with 403, per token or session. A refused request takes nothing from the workspace's
   * budget.
   */
  refused: { window_seconds: 60, limit: same(60), burst: 30 },
  /** Per address. */
  public: { window_seconds: 60, limit: same(300), burst: 100 },
  /** What a person changes for themselves alone, as marks in the feed. Per token or session. */
  own: { window_seconds: 60, limit: same(120), burst: 60 },
  /** States that are pushed, per workspace: those of all monitors of a minute may come at once. */
  push: { window_seconds: 60, limit: { free: 120, pro: 600, business: 3000, enterprise: 12_000 }, burst: 500 },
  /** States that are pushed, per monitor. */
  push_monitor: { window_seconds: 60, limit: same(60), burst: 20 },
  /** Per token or session. */
  api_read: { window_seconds: 60, limit: { free: 120, pro: 600, business: 2400, enterprise: 12_000 }, burst: 60 },
  /** Per workspace. */
  api_write: { window_seconds: 60, limit: { free: 60, pro: 240, business: 960, enterprise: 4800 }, burst: 30 },
  /**
   * Per workspace. It has its own bucket, so that an acknowledgement never waits for other traffic.
   */
  api_action: { window_seconds: 60, limit: { free: 120, pro: 480, business: 1920, enterprise: 9600 }, burst: 60 },
  /** New WebSocket connections, per workspace. */
  realtime: { window_seconds: 60, limit: { free: 30, pro: 120, business: 600, enterprise: 6000 }, burst: 20 },
  /** Pings, per heartbeat. The limit of the workspace is pingsPerWorkspace. */
  ping: { window_seconds: 60, limit: same(60), burst: 20 },
  /** Checks on demand, per monitor. */
  on_demand: { window_seconds: 60, limit: same(6), burst: 6 },
  /** Regions that are asked to try a definition, per workspace. */
  trial: { window_seconds: 60, limit: same(60), burst: 30 },
  /** Requests from chat apps, per sender. */
  chat: { window_seconds: 60, limit: same(60), burst: 20 },
  /** Per prober token. */
  prober: { window_seconds: 60, limit: same(1200), burst: 200 },
  /** Queries about the past, per workspace. */
  analytics: { window_seconds: 60, limit: { free: 20, pro: 60, business: 240, enterprise: 600 }, burst: 30 }
} as const satisfies Record<string, Rate>

export type RateGroup = keyof typeof rates

/**
 * Returns the alerts per minute that a plan allows, before the floor is applied. A plan without a
 * limit is bounded by what a door can handle.
 */
export const ingestPerMinute = (plan: Plan): number => plan.limits.ingest_alerts_per_minute ?? 1_000_000

/** Most WebSockets that a workspace may keep open at one gateway instance. */
export const openSockets: Readonly<Record<PlanId, number>> = { free: 10, pro: 100, business: 1000, enterprise: 20_000 }

/**
 * Most pings per minute from all heartbeats of a workspace at one instance. The pings of a whole
 * minute may come at once, because jobs start at the full minute.
 */
export const pingsPerWorkspace: Readonly<Record<PlanId, number>> = { free: 600, pro: 6000, business: 30_000, enterprise: 120_000 }
