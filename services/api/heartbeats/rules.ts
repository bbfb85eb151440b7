/**
 * Converts what a request says about a heartbeat into what is stored: the schedule as columns,
 * defaults, the slug. Throws VALIDATION_FAILED at the field that is wrong.
 * Source: docs/design/api/heartbeats.md#s4-1.
 */
import type { Static } from 'typebox'
import {
  type BodyRules,
  MAX_GRACE_SECONDS,
  pingMethods,
  type Schedule,
  type UpdateHeartbeatBody
} from '../../../schemas/http/heartbeats.ts'
import { type Schedule as Rule, validateSchedule } from '../../../streams/heartbeat/schedule.ts'
import { storable } from '../../../streams/incident/rules.ts'
import type { HeartbeatSettings } from '../../store/heartbeats.ts'
import { invalid } from '../http/errors.ts'

type ScheduleColumns = Pick<HeartbeatSettings, 'schedule_kind' | 'period_seconds' | 'cron' | 'time_zone'>

/**
 * Returns the columns of a schedule. Throws VALIDATION_FAILED at the field that is missing, out of
 * place or not understood.
 */
export function columnsOf(schedule: Schedule): ScheduleColumns {
  const { kind, period_seconds, expression, time_zone } = schedule
  const lacks = (name: string) => invalid(`schedule.${name}`, 'required', `is required for kind ${kind}`)
  const strange = (name: string) => invalid(`schedule.${name}`, 'unknown_field', `is not a field of kind ${kind}`)
  if (kind === 'period') {
    if (expression !== undefined) throw strange('expression')
    if (time_zone !== undefined) throw strange('time_zone')
    if (period_seconds === undefined) throw lacks('period_seconds')
    return { schedule_kind: kind, period_seconds, cron: null, time_zone: null }
  }
  if (period_seconds !== undefined) throw strange('period_seconds')
  if (expression === undefined) throw lacks('expression')
  if (time_zone === undefined) throw lacks('time_zone')
  const columns = { schedule_kind: kind, period_seconds: null, cron: expression, time_zone }
  const fault = validateSchedule(expression, time_zone)
  if (fault) throw invalid(`schedule.${fault.part}`, fault.part === 'time_zone' ? 'unknown_zone' : 'pattern', fault.message)
  return columns
}

/** A CHECK of the table guarantees that each kind has its columns. */
export const scheduleOf = ({ schedule_kind, period_seconds, cron, time_zone }: ScheduleColumns): Rule =>
  schedule_kind === 'period'
    ? { kind: 'period', period_seconds: period_seconds ?? 0 }
    : { kind: 'cron', expression: cron ?? '', time_zone: time_zone ?? '' }

const MIN_GRACE_SECONDS = 60
const CRON_GRACE_SECONDS = 600

export const defaultGrace = ({ period_seconds }: ScheduleColumns): number =>
  period_seconds === null ? CRON_GRACE_SECONDS : Math.min(MAX_GRACE_SECONDS, Math.max(MIN_GRACE_SECONDS, Math.round(period_seconds / 5)))

/** `Nachtlauf für Köln` → `nachtlauf-fur-koln`. */
export function slugOf(name: string): string {
  const slug = name
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9_]+/g, '-')
    .slice(0, 90)
    .replace(/^-+|-+$/g, '')
  return slug === '' ? 'heartbeat' : slug
}

const storableLabels = (labels: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(labels).map(([name, value]) => [name, storable(value)]))

/** Drops empty lists and repeated words. */
const storableRules = (rules: BodyRules): BodyRules =>
  Object.fromEntries(
    (['success', 'failure', 'start'] as const).flatMap((kind) => {
      const words = [...new Set((rules[kind] ?? []).map(storable))]
      return words.length === 0 ? [] : [[kind, words]]
    })
  )

/**
 * Puts `body` over the existing settings. Throws VALIDATION_FAILED if the result does not fit
 * together.
 */
export function changed(before: HeartbeatSettings, body: Static<typeof UpdateHeartbeatBody>): HeartbeatSettings {
  const settings = merged(before, body)
  const { min_run_seconds, max_run_seconds } = settings
  if (min_run_seconds !== null && max_run_seconds !== null && min_run_seconds >= max_run_seconds)
    throw invalid('min_run_seconds', 'max', 'must be less than max_run_seconds')
  return settings
}

function merged(before: HeartbeatSettings, body: Static<typeof UpdateHeartbeatBody>): HeartbeatSettings {
  const schedule = body.schedule ? columnsOf(body.schedule) : before
  const {
    name,
    slug,
    description,
    tags,
    labels,
    severity,
    grace_seconds,
    max_run_seconds,
    min_run_seconds,
    fail_tolerance,
    recovery_pings
  } = body
  return {
    name: name === undefined ? before.name : storable(name),
    slug: slug === undefined ? before.slug : slug,
    description: description === undefined ? before.description : storable(description),
    schedule_kind: schedule.schedule_kind,
    period_seconds: schedule.period_seconds,
    cron: schedule.cron,
    time_zone: schedule.time_zone,
    grace_seconds: grace_seconds === undefined ? before.grace_seconds : (grace_seconds ?? defaultGrace(schedule)),
    max_run_seconds: max_run_seconds === undefined ? before.max_run_seconds : max_run_seconds,
    min_run_seconds: min_run_seconds === undefined ? before.min_run_seconds : min_run_seconds,
    fail_tolerance: fail_tolerance ?? before.fail_tolerance,
    recovery_pings: recovery_pings ?? before.recovery_pings,
    allowed_methods: body.allowed_methods ? pingMethods.filter((one) => body.allowed_methods?.includes(one)) : before.allowed_methods,
    body_excerpt_chars: body.body_excerpt_chars ?? before.body_excerpt_chars,
    body_rules: body.body_rules ? storableRules(body.body_rules) : before.body_rules,
    tags: tags === undefined ? before.tags : tags.map(storable),
    labels: labels === undefined ? before.labels : storableLabels(labels),
    severity: severity ?? before.severity,
    // services/api/teams/rules.ts and escalation/rules.ts decide these.
    team_id: before.team_id,
    escalation_policy_id: before.escalation_policy_id
  }
}
