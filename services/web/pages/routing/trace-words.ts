/** What the rules did with an alert, and why each did or did not match, in words. Pure. */
import type { Rule, TrialAnswer } from '../../api/shapes.ts'
import { durationInWords } from '../../parts/duration-words.ts'
import { routingText } from '../../texts/routing.ts'
import { fieldInWords } from './field-words.ts'
import { conditionInWords, type NameOf } from './rule-words.ts'

export type Step = TrialAnswer['trace'][number]
export type Outcome = TrialAnswer['outcome']

const reasons: Readonly<Record<NonNullable<Step['reason']>, string>> = {
  disabled: routingText('try.disabled'),
  expired: routingText('try.expired'),
  outside_time_window: routingText('try.outside'),
  after_stop: routingText('try.after_stop'),
  unreadable: routingText('try.unreadable')
}

export const outcomeWords: Readonly<Record<Step['outcome'], string>> = {
  matched: routingText('try.matched'),
  not_matched: routingText('try.not_matched'),
  skipped: routingText('try.skipped')
}

/** `rule` is the saved rule; it may have changed since. */
export function whyOf({ reason, conditions, team_kept }: Step, rule: Pick<Rule, 'match'> | undefined, nameOf: NameOf): string[] {
  const failed = conditions.map(({ group, index, field, op, seen }) => {
    const saved = rule?.match[group][index]
    const condition = saved ? conditionInWords(saved, nameOf) : `${fieldInWords(field)} ${op}`
    if (group === 'none') {
      return seen === null
        ? routingText('try.refused_nothing', { condition })
        : routingText('try.refused_so', { condition, seen: named(field, seen, nameOf) })
    }
    return seen === null
      ? routingText('try.seen_nothing', { condition })
      : routingText('try.seen', { condition, seen: named(field, seen, nameOf) })
  })
  return [...(reason === null ? [] : [reasons[reason]]), ...failed, ...(team_kept ? [routingText('try.kept')] : [])]
}

const named = (field: string, seen: string, nameOf: NameOf): string => (field.endsWith('_id') ? nameOf(seen) : seen)

/** The incident that an alert would open or join. */
export function incidentOf({ promote, group }: Pick<Outcome, 'promote' | 'group'>): string {
  if (!promote) return routingText('try.opens_none')
  if (group === null) return routingText('try.opens')
  const values = group.values.map((value) => `“${value}”`).join(', ')
  return routingText('try.joins', { values, time: durationInWords(group.window_seconds) })
}

/** Says whether people are notified. `ruleOf` names a rule by its id. */
export function toldOf({ suppressed_by, notify_resolved }: Pick<Outcome, 'suppressed_by' | 'notify_resolved'>, ruleOf: NameOf): string {
  if (suppressed_by !== null) return routingText('try.untold', { rule: ruleOf(suppressed_by) })
  return notify_resolved ? routingText('try.told') : routingText('try.recovery_untold')
}
