/**
 * The plans: what each allows, and the request rates that go with it. One catalogue serves GET
 * /public/capability-plans and every enforcement.
 *
 * `null` means unlimited. Figures are defaults of this deployment; the `ingest_alerts_per_minute`
 * of a plan is never under the floor of specification 8.4.
 * Source: docs/design/api.md#s21 and #s22.
 */

export type PlanId = 'free' | 'pro' | 'business' | 'enterprise'

export const planIds: readonly PlanId[] = ['free', 'pro', 'business', 'enterprise']

/** Counted or measured limits, with their unit and meaning: keys of docs/design/api.md#s22. */
export const limitKeys = {
  monitors: { unit: 'count', description: 'Monitors' },
  heartbeats: { unit: 'count', description: 'Heartbeats' },
  min_interval_seconds: { unit: 'seconds', description: 'Shortest interval between two checks of a monitor' },
  regions_per_monitor: { unit: 'count', description: 'Regions that check one monitor' },
  regions: { unit: 'count', description: 'Public regions to choose from' },
  private_locations: { unit: 'count', description: 'Private locations' },
  check_retention_days: { unit: 'days', description: 'How long single check results are kept' },
  rollup_retention_days: { unit: 'days', description: 'How long summaries of check results are kept' },
  incident_retention_days: { unit: 'days', description: 'How long incidents and their events are kept' },
  audit_retention_days: { unit: 'days', description: 'How long the audit log is kept' },
  replay_window_days: { unit: 'days', description: 'How far back a replay or an earlier state reaches' },
  channels: { unit: 'count', description: 'Notification channels' },
  sms_voice_per_month: { unit: 'count per month', description: 'Text messages and calls' },
  inbound_integrations: { unit: 'count', description: 'Inbound integrations' },
  ingest_alerts_per_minute: { unit: 'alerts per minute', description: 'Alerts that all doors of the workspace accept' },
  routing_rules: { unit: 'count', description: 'Routing rules' },
  silences: { unit: 'count', description: 'Active silences' },
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

/** What a plan either has or has not. */
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
 * What the plans name already and this version does not have yet: nobody is told that they have
 * it.
 */
export const planned: ReadonlySet<string> = new Set<LimitKey | Capability>([
  'audit_retention_days',
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
  /** Minor units of `currency`; null where this deployment does not sell it by itself. */
  prices: { month: number | null; year: number | null }
  limits: Readonly<Record<LimitKey, number | null>>
  capabilities: readonly Capability[]
  /** Kinds of notification channels; `kind:mode` where only one mode is included. */
  channels: readonly string[]
  support: 'community' | 'email' | 'priority' | 'contract'
}

export const catalogue = { currency: 'EUR', updated_at: '2026-11-21T00:00:00.000Z' } as const

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
      silences: 1000,
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
      silences: 10_000,
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

/** The plan of a workspace; an id that this version does not know counts as free. */
export const planOf = (id: string): Plan => plans[planIds.find((known) => known === id) ?? 'free']

/** Limits of which less is more. */
const floors: ReadonlySet<LimitKey> = new Set(['min_interval_seconds'])

/**
 * The next plan up that allows more of `key` than `plan` does (of a shortest interval: `wanted`),
 * for the answer of a refused write; null when none does.
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
 * Requests per window of each group; `burst` of them may come at once. Buckets live in each
 * instance, so the figures are floors.
 */
export interface Rate {
  window_seconds: number
  limit: Readonly<Record<PlanId, number>>
  burst: number
}

const same = (figure: number): Record<PlanId, number> => ({ free: figure, pro: figure, business: figure, enterprise: figure })

export const rates = {
  /** Wrong passwords: per address and account together. */
  auth: { window_seconds: 900, limit: same(10), burst: 5 },
  /**
   * Wrong passwords of an address for any account, where the address has not logged in to the
   * account before.
   */
  auth_address: { window_seconds: 900, limit: same(60), burst: 30 },
  /** Wrong passwords for an account from any address that has not logged in to it before. */
  auth_account: { window_seconds: 900, limit: same(60), burst: 30 },
  /** Answers 403: per token or session. What is refused takes from no budget of the workspace. */
  refused: { window_seconds: 60, limit: same(60), burst: 30 },
  /** Per address. */
  public: { window_seconds: 60, limit: same(300), burst: 100 },
  /** Per token or session. */
  api_read: { window_seconds: 60, limit: { free: 120, pro: 600, business: 2400, enterprise: 12_000 }, burst: 60 },
  /** Per workspace. */
  api_write: { window_seconds: 60, limit: { free: 60, pro: 240, business: 960, enterprise: 4800 }, burst: 30 },
  /**
   * Per workspace; a bucket of its own, so that an acknowledgement never waits for other traffic.
   */
  api_action: { window_seconds: 60, limit: { free: 120, pro: 480, business: 1920, enterprise: 9600 }, burst: 60 },
  /** Connects to the WebSocket, per workspace. */
  realtime: { window_seconds: 60, limit: { free: 30, pro: 120, business: 600, enterprise: 6000 }, burst: 20 },
  /** Per heartbeat; the workspace's own figure is pingsPerWorkspace. */
  ping: { window_seconds: 60, limit: same(60), burst: 20 },
  /** Checks on demand, per monitor. */
  on_demand: { window_seconds: 60, limit: same(6), burst: 6 },
  /** Regions asked to try a definition, per workspace. */
  trial: { window_seconds: 60, limit: same(60), burst: 30 },
  /** Per sender in a chat app. */
  chat: { window_seconds: 60, limit: same(60), burst: 20 },
  /** Per prober token. */
  prober: { window_seconds: 60, limit: same(1200), burst: 200 },
  /** Per workspace: questions about the past. */
  analytics: { window_seconds: 60, limit: { free: 20, pro: 60, business: 240, enterprise: 600 }, burst: 10 }
} as const satisfies Record<string, Rate>

export type RateGroup = keyof typeof rates

/**
 * Alerts a minute of a plan, before the floor. A plan without a figure is bounded by what a door
 * can take.
 */
export const ingestPerMinute = (plan: Plan): number => plan.limits.ingest_alerts_per_minute ?? 1_000_000

/** WebSockets that a workspace may hold open at one gateway instance. */
export const openSockets: Readonly<Record<PlanId, number>> = { free: 10, pro: 100, business: 1000, enterprise: 20_000 }

/**
 * Pings a minute of all heartbeats of a workspace at one instance; a minute's worth may come at
 * once, since jobs start at the full minute.
 */
export const pingsPerWorkspace: Readonly<Record<PlanId, number>> = { free: 600, pro: 6000, business: 30_000, enterprise: 120_000 }
