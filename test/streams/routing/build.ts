/** Builds alerts and rules for tests. */
import type { StoredRule } from '../../../schemas/http/routing-words.ts'
import type { Routable } from '../../../streams/routing/rules.ts'

export const TENANT = '01890000-0000-7000-8000-000000000001'
export const TEAM = '01890000-0000-7000-8000-0000000000a1'
export const OTHER_TEAM = '01890000-0000-7000-8000-0000000000a2'

export const alertOf = (over: Partial<Routable> = {}): Routable => ({
  tenant_id: TENANT,
  severity: 'critical',
  title: 'Disk full on db-7',
  summary: 'Only 2 % are left.',
  source_kind: 'inbound',
  source_type: 'grafana',
  integration_id: null,
  monitor_id: null,
  heartbeat_id: null,
  region: null,
  affected_regions: [],
  priority: null,
  labels: { service: 'db', tier: '1' },
  links: [],
  team_id: null,
  visibility: 'org',
  escalation_policy_id: null,
  ...over
})

type Over = Partial<Omit<StoredRule, 'match'>> & { match?: Partial<StoredRule['match']> }

export const ruleOf = (id: string, { match, ...over }: Over = {}): StoredRule => ({
  id,
  name: `rule ${id}`,
  description: '',
  enabled: true,
  mode: 'live',
  match: { all: [], any: [], none: [], ...match },
  time_window: null,
  actions: {},
  continue: false,
  expires_at: null,
  ver: 1,
  created_at: 0,
  updated_at: 0,
  ...over
})
