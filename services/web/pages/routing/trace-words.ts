/** What the rules made of an alert, and why each did or did not match, in words. Pure. */
import type { Rule, TrialAnswer } from '../../api/shapes.ts'
import { durationInWords } from '../../parts/duration-words.ts'
import { text } from '../../texts/catalogue.ts'
import { conditionInWords, fieldInWords, type NameOf } from './rule-words.ts'

export type Step = TrialAnswer['trace'][number]
export type Outcome = TrialAnswer['outcome']

const reasons: Readonly<Record<NonNullable<Step['reason']>, string>> = {
  disabled: text('routing', 'try.disabled'),
  expired: text('routing', 'try.expired'),
  outside_time_window: text('routing', 'try.outside'),
  after_stop: text('routing', 'try.after_stop'),
  unreadable: text('routing', 'try.unreadable')
}

export const outcomeWords: Readonly<Record<Step['outcome'], string>> = {
  matched: text('routing', 'try.matched'),
  not_matched: text('routing', 'try.not_matched'),
  skipped: text('routing', 'try.skipped')
}

/** `rule`: as it is saved; it may have been changed since. */
export function whyOf({ reason, conditions, team_kept }: Step, rule: Pick<Rule, 'match'> | undefined, nameOf: NameOf): string[] {
  const failed = conditions.map(({ group, index, field, op, seen }) => {
    const saved = rule?.match[group][index]
    const condition = saved ? conditionInWords(saved, nameOf) : `${fieldInWords(field)} ${op}`
    if (group === 'none') {
      return seen === null
        ? text('routing', 'try.refused_nothing', { condition })
        : text('routing', 'try.refused_so', { condition, seen: named(field, seen, nameOf) })
    }
    return seen === null
      ? text('routing', 'try.seen_nothing', { condition })
      : text('routing', 'try.seen', { condition, seen: named(field, seen, nameOf) })
  })
  return [...(reason === null ? [] : [reasons[reason]]), ...failed, ...(team_kept ? [text('routing', 'try.kept')] : [])]
}

const named = (field: string, seen: string, nameOf: NameOf): string => (field.endsWith('_id') ? nameOf(seen) : seen)

/** The incident that an alert would open or join. */
export function incidentOf({ promote, group }: Pick<Outcome, 'promote' | 'group'>): string {
  if (!promote) return text('routing', 'try.opens_none')
  if (group === null) return text('routing', 'try.opens')
  const values = group.values.map((value) => `“${value}”`).join(', ')
  return text('routing', 'try.joins', { values, time: durationInWords(group.window_seconds) })
}

/** Whether people are told. `ruleOf` names a rule by its id. */
export function toldOf({ suppressed_by, notify_resolved }: Pick<Outcome, 'suppressed_by' | 'notify_resolved'>, ruleOf: NameOf): string {
  if (suppressed_by !== null) return text('routing', 'try.untold', { rule: ruleOf(suppressed_by) })
  return notify_resolved ? text('routing', 'try.told') : text('routing', 'try.recovery_untold')
}
