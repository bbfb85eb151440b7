/** The values in the form of a heartbeat, and the requests built from them. */
import { MAX_EXCERPT_CHARS, pingMethods } from '../../../../schemas/http/heartbeats.ts'
import type { HeartbeatChange, HeartbeatWithSchedule, NewHeartbeat } from '../../api/shapes.ts'
import { ownZone } from '../../parts/clock.ts'
import type { Schedule } from './words.ts'

export interface Values {
  name: string
  kind: Schedule['kind']
  /** NaN when nothing is typed. */
  period_seconds: number
  expression: string
  time_zone: string
  /** null: the default. */
  grace_seconds: number | null
  /** null: no limit. */
  max_run_seconds: number | null
  /** null: no limit. */
  min_run_seconds: number | null
  fail_tolerance: number
  recovery_pings: number
  allowed_methods: HeartbeatWithSchedule['allowed_methods']
  body_rules: Required<HeartbeatWithSchedule['body_rules']>
  body_excerpt_chars: number
  severity: HeartbeatWithSchedule['severity']
  slug: string
  /** Empty: none. */
  team_id: string
  tags: string[]
  description: string
  keep_phase: boolean
}

export const fresh: Values = {
  name: '',
  kind: 'period',
  period_seconds: 86_400,
  expression: '0 3 * * *',
  time_zone: ownZone(),
  grace_seconds: null,
  max_run_seconds: null,
  min_run_seconds: null,
  fail_tolerance: 0,
  recovery_pings: 1,
  allowed_methods: [...pingMethods],
  body_rules: { success: [], failure: [], start: [] },
  body_excerpt_chars: MAX_EXCERPT_CHARS,
  severity: 'critical',
  slug: '',
  team_id: '',
  tags: [],
  description: '',
  keep_phase: false
}

export const valuesOf = (heartbeat: HeartbeatWithSchedule): Values => ({
  name: heartbeat.name,
  kind: heartbeat.schedule.kind,
  period_seconds: heartbeat.schedule.period_seconds ?? fresh.period_seconds,
  expression: heartbeat.schedule.expression ?? fresh.expression,
  time_zone: heartbeat.schedule.time_zone ?? fresh.time_zone,
  grace_seconds: heartbeat.grace_seconds,
  max_run_seconds: heartbeat.max_run_seconds,
  min_run_seconds: heartbeat.min_run_seconds,
  fail_tolerance: heartbeat.fail_tolerance,
  recovery_pings: heartbeat.recovery_pings,
  allowed_methods: heartbeat.allowed_methods,
  body_rules: { ...fresh.body_rules, ...heartbeat.body_rules },
  body_excerpt_chars: heartbeat.body_excerpt_chars,
  severity: heartbeat.severity,
  slug: heartbeat.slug ?? '',
  team_id: heartbeat.team_id ?? '',
  tags: heartbeat.tags,
  description: heartbeat.description,
  keep_phase: false
})

/**
 * Returns the grace period in seconds that applies when the field is empty.
 *
 * Source: services/api/heartbeats/rules.ts.
 */
export const defaultGrace = ({ kind, period_seconds }: Values): number =>
  kind === 'cron' ? 600 : Math.min(2_592_000, Math.max(60, Math.round((Number.isNaN(period_seconds) ? 0 : period_seconds) / 5)))

export const scheduleOf = ({ kind, period_seconds, expression, time_zone }: Values): Schedule =>
  kind === 'period' ? { kind, period_seconds } : { kind, expression: expression.trim(), time_zone }

/** An empty choice or text becomes null. */
const orNull = (value: string): string | null => (value === '' ? null : value)

/** Those that differ. */
function pingRules(before: Values, after: Values) {
  const { min_run_seconds, fail_tolerance, recovery_pings, allowed_methods, body_rules, body_excerpt_chars } = after
  return {
    ...(min_run_seconds !== before.min_run_seconds && { min_run_seconds }),
    ...(fail_tolerance !== before.fail_tolerance && { fail_tolerance }),
    ...(recovery_pings !== before.recovery_pings && { recovery_pings }),
    ...(allowed_methods.join() !== before.allowed_methods.join() && { allowed_methods }),
    ...(JSON.stringify(body_rules) !== JSON.stringify(before.body_rules) && { body_rules }),
    ...(body_excerpt_chars !== before.body_excerpt_chars && { body_excerpt_chars })
  }
}

export const toCreate = (values: Values): NewHeartbeat => ({
  name: values.name.trim(),
  schedule: scheduleOf(values),
  grace_seconds: values.grace_seconds,
  max_run_seconds: values.max_run_seconds,
  ...pingRules(fresh, values),
  severity: values.severity,
  ...(values.slug !== '' && { slug: values.slug }),
  team_id: orNull(values.team_id),
  tags: values.tags,
  description: values.description
})

export const scheduleChanged = (before: Values, after: Values): boolean =>
  JSON.stringify(scheduleOf(before)) !== JSON.stringify(scheduleOf(after))

/**
 * Returns only the fields that were changed, so that changes made by others in the meantime stay.
 */
export function toChange(before: Values, after: Values): HeartbeatChange {
  const { name, grace_seconds, max_run_seconds, severity, slug, team_id, tags, description, keep_phase } = after
  const rescheduled = scheduleChanged(before, after)
  return {
    ...(name.trim() !== before.name && { name: name.trim() }),
    ...(rescheduled && { schedule: scheduleOf(after), keep_phase }),
    ...(grace_seconds !== before.grace_seconds && { grace_seconds }),
    ...(max_run_seconds !== before.max_run_seconds && { max_run_seconds }),
    ...pingRules(before, after),
    ...(severity !== before.severity && { severity }),
    ...(slug !== before.slug && { slug: orNull(slug) }),
    ...(team_id !== before.team_id && { team_id: orNull(team_id) }),
    ...(tags.join('\n') !== before.tags.join('\n') && { tags }),
    ...(description !== before.description && { description })
  }
}
