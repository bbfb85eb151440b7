/**
 * Converts silences between the API and the store: checks settings, and shows silences with what is
 * odd about them.
 * Source: docs/design/api/alerts-and-routing.md#s6-4.
 */
import { iso } from '../../../schemas/http/common.ts'
import type { Warning } from '../../../schemas/http/routing.ts'
import type { Condition, StoredRule } from '../../../schemas/http/routing-words.ts'
import { MAX_SILENCE_AHEAD_DAYS, MAX_SILENCE_DAYS, type SilenceDetail, type UpdateSilenceBody } from '../../../schemas/http/silences.ts'
import { silenceStateAt } from '../../../streams/routing/silences.ts'
import type { Tx } from '../../store/pool.ts'
import type { SilenceSettings, StoredSilence } from '../../store/silences.ts'
import { invalid } from '../http/errors.ts'
import { checkedCondition } from '../routing/conditions.ts'
import { unsetRule } from '../routing/shapes.ts'
import { warningsOf } from '../routing/warnings.ts'

const DAY_MS = 86_400_000

/**
 * Puts `given` over `before` (null: a new one) at `now`, in epoch ms. Throws VALIDATION_FAILED. A
 * start that has passed counts as now, because nothing was held then, unless the silence has that
 * start already.
 */
export function changedSettings(before: SilenceSettings | null, given: UpdateSilenceBody, now: number): SilenceSettings {
  const matchers = given.matchers?.map((condition, at) => checkedCondition(condition, `matchers[${at}]`)) ?? before?.matchers
  const comment = given.comment ?? before?.comment
  const ends_at = given.ends_at === undefined ? before?.ends_at : Date.parse(given.ends_at)
  const wanted = given.starts_at === undefined ? (before?.starts_at ?? now) : Date.parse(given.starts_at)
  const starts_at = wanted === before?.starts_at ? wanted : Math.max(wanted, now)
  if (matchers === undefined) throw invalid('matchers', 'required', 'is required')
  if (comment === undefined) throw invalid('comment', 'required', 'is required')
  if (ends_at === undefined) throw invalid('ends_at', 'required', 'is required')
  if (starts_at > now + MAX_SILENCE_AHEAD_DAYS * DAY_MS) throw invalid('starts_at', 'max', 'is too far in the future')
  if (ends_at <= now) throw invalid('ends_at', 'empty_interval', 'has passed')
  if (ends_at <= starts_at) throw invalid('ends_at', 'empty_interval', 'must be later than starts_at')
  if (ends_at - starts_at > MAX_SILENCE_DAYS * DAY_MS)
    throw invalid('ends_at', 'max', `must be at most ${MAX_SILENCE_DAYS} days after starts_at`, {
      limit: MAX_SILENCE_DAYS,
      actual: Math.ceil((ends_at - starts_at) / DAY_MS)
    })
  return { matchers, comment, starts_at, ends_at }
}

/**
 * Returns what is odd about each silence: the warnings of a rule whose conditions are its matchers.
 */
export async function silenceWarnings(tx: Tx, tenant_id: string, silences: readonly (readonly Condition[])[]): Promise<Warning[][]> {
  // `continue`: a silence hides no other one.
  const none = { ...unsetRule, continue: true, id: '', ver: 0, created_at: 0, updated_at: 0 }
  const rules = silences.map((matchers): StoredRule => ({ ...none, match: { all: matchers, any: [], none: [] } }))
  const warnings = await warningsOf(tx, tenant_id, rules, rules.length, 0)
  const pathOf = (path: string | null) => path?.replace(/^match(?:\.all)?/, 'matchers') ?? null
  return warnings.map((some) => some.map((one) => ({ ...one, path: pathOf(one.path) })))
}

/** `now` in epoch ms. */
export function toDetail(silence: StoredSilence, warnings: Warning[], now: number): SilenceDetail {
  return {
    id: silence.silence_id,
    tenant_id: silence.tenant_id,
    matchers: [...silence.matchers],
    comment: silence.comment,
    starts_at: iso(silence.starts_at),
    ends_at: iso(silence.ends_at),
    expired_at: iso(silence.expired_at),
    state: silenceStateAt(silence, now),
    scope: 'notifications',
    created_by: silence.created_by,
    warnings,
    created_at: iso(silence.created_at),
    updated_at: iso(silence.updated_at),
    version: silence.ver
  }
}
