/**
 * Converts rules between the API and the store: settings as they are checked and stored, rules as
 * they are shown, and the default rule, which is not stored.
 * Source: docs/design/api/alerts-and-routing.md#s6-3.
 */
import { iso } from '../../../schemas/http/common.ts'
import type { Outcome, RuleDetail, RuleSettings, Warning } from '../../../schemas/http/routing.ts'
import type { StoredRule } from '../../../schemas/http/routing-words.ts'
import { uuidv5 } from '../../../schemas/uuid.ts'
import type { Decision } from '../../../streams/routing/rules.ts'
import { checkedActions, checkedMatch, checkedWindow } from './conditions.ts'

/** What people set. */
export type Settings = Omit<StoredRule, 'id' | 'ver' | 'created_at' | 'updated_at'>

export const unsetRule: Settings = {
  name: '',
  description: '',
  enabled: true,
  mode: 'live',
  match: { all: [], any: [], none: [] },
  time_window: null,
  actions: {},
  continue: false,
  expires_at: null
}

export function settingsOf({ id: _id, ver: _ver, created_at: _created, updated_at: _updated, ...settings }: StoredRule): Settings {
  return settings
}

/** Puts `given` over `before`, field by field. Throws VALIDATION_FAILED with paths below `path`. */
export function changedSettings(before: Settings, given: RuleSettings, path = ''): Settings {
  const { id: _id, match, time_window, actions, expires_at, ...plain } = given
  return {
    ...before,
    ...plain,
    ...(match && { match: checkedMatch(match, `${path}match`) }),
    ...(time_window !== undefined && { time_window: time_window && checkedWindow(time_window, `${path}time_window`) }),
    ...(actions && { actions: checkedActions(actions, `${path}actions`) }),
    ...(expires_at !== undefined && { expires_at: expires_at === null ? null : Date.parse(expires_at) })
  }
}

/** Copies read-only lists into the form that the serialiser needs. */
const copied = (match: StoredRule['match']): RuleDetail['match'] => ({ all: [...match.all], any: [...match.any], none: [...match.none] })

export function toDetail(tenant_id: string, rule: StoredRule, position: number, warnings: Warning[]): RuleDetail {
  const { actions, time_window } = rule
  const { group, labels_add, ...plain } = actions
  return {
    id: rule.id,
    tenant_id,
    name: rule.name,
    description: rule.description,
    enabled: rule.enabled,
    position,
    mode: rule.mode,
    match: copied(rule.match),
    time_window: time_window && { ...time_window, days: [...time_window.days] },
    actions: {
      ...plain,
      ...(labels_add && { labels_add: { ...labels_add } }),
      ...(group !== undefined && { group: group && { ...group, by: [...group.by] } })
    },
    continue: rule.continue,
    expires_at: iso(rule.expires_at),
    is_default: false,
    warnings,
    created_at: iso(rule.created_at),
    updated_at: iso(rule.updated_at),
    version: rule.ver
  }
}

export const defaultRuleId = (tenant_id: string): string => uuidv5(tenant_id, 'default routing rule')

/** `created_at`: when the workspace was created, in epoch ms. */
export const defaultRule = (tenant_id: string, position: number, created_at: number): RuleDetail =>
  toDetailOfDefault(tenant_id, position, { ...unsetRule, created_at, updated_at: created_at })

const toDetailOfDefault = (
  tenant_id: string,
  position: number,
  rule: Settings & Pick<StoredRule, 'created_at' | 'updated_at'>
): RuleDetail => ({
  ...toDetail(tenant_id, { ...rule, id: defaultRuleId(tenant_id), ver: 1, name: 'Default' }, position, []),
  description: 'The alert stays with the team of its source, or with the whole workspace.',
  is_default: true
})

export function toOutcome({
  routing_version: _version,
  matched_rule_ids: _ids,
  tzdb_version: _tzdb,
  group,
  ...decision
}: Decision): Outcome {
  if (group === null) return { ...decision, group }
  const { key: _key, ...shown } = group
  return { ...decision, group: shown }
}
