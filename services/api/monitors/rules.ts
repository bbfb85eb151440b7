/**
 * Checks what a monitor must be beyond the shape of its fields: its type, the limits of the plan,
 * and regions that can check it. Nothing here makes a request; every refusal names its field.
 * Targets, settings and assertions have files of their own.
 * Source: docs/design/api/monitors.md#s3-1 to #s3-5, docs/design/api/prober.md#s16 and
 * docs/design/api.md#s22.
 */
import { checkTypes } from '../../../schemas/http/check-types/index.ts'
import { PUSHED } from '../../../schemas/http/check-words.ts'
import { laterTypes, type MonitorType, monitorTypes, typeAliases } from '../../../schemas/http/monitors.ts'
import type { Plan } from '../../../schemas/plans.ts'
import type { MonitorSettings } from '../../store/monitors.ts'
import { assignRegions, planLists, type Region } from '../../store/regions.ts'
import { invalid } from '../http/errors.ts'
import { limitExceeded } from '../workspace/limits.ts'
import { checkAssertions } from './assertion-rules.ts'

/** Returns the type that a word means. Throws for a type that this version does not check. */
export function typeOf(word: string): MonitorType {
  const type = monitorTypes.find((known) => known === word) ?? (Object.hasOwn(typeAliases, word) ? typeAliases[word] : undefined)
  if (type) return type
  const known = [...monitorTypes, ...Object.keys(typeAliases)].join(', ')
  const later = laterTypes.some((one) => one === word)
  throw invalid('type', 'enum', later ? `${word} comes with a later version; now there are ${known}` : `must be one of ${known}`)
}

/**
 * The quicker interval must lie between the timeout and the interval. A failure rate must be
 * possible: enough checks of a region must fall into its window. Flapping must end at a lower rate
 * than it begins.
 */
function checkRhythms(type: MonitorType, settings: MonitorSettings): void {
  const { high_percent, low_percent } = settings.flap
  if (low_percent >= high_percent) {
    throw invalid('flap.low_percent', 'max', 'must be less than flap.high_percent', { limit: high_percent - 1, actual: low_percent })
  }
  const { interval_seconds, timeout_seconds, confirmation, down_interval_seconds: quick } = settings
  if (type === PUSHED) {
    if (quick !== null) throw invalid('down_interval_seconds', 'unknown_field', `is not a field of type ${type}: no region checks it`)
    return
  }
  if (quick !== null && quick <= timeout_seconds) {
    throw invalid('down_interval_seconds', 'min', 'must be more than timeout_seconds', { limit: timeout_seconds + 1, actual: quick })
  }
  if (quick !== null && quick > interval_seconds) {
    throw invalid('down_interval_seconds', 'max', 'must not be above interval_seconds', { limit: interval_seconds, actual: quick })
  }
  const { failure_rate } = confirmation
  const shortest = quick ?? interval_seconds
  const needed = failure_rate ? (failure_rate.failures - 1) * shortest + 1 : 0
  if (failure_rate && failure_rate.window_seconds < needed) {
    throw invalid(
      'confirmation.failure_rate.window_seconds',
      'min',
      `must be at least ${needed}: a region checks every ${shortest} seconds, and ${failure_rate.failures} of its checks are to fail within it`,
      { limit: needed, actual: failure_rate.window_seconds }
    )
  }
}

/** Checks rules between two fields. */
export function checkSettings(type: MonitorType, settings: MonitorSettings): void {
  const { interval_seconds, timeout_seconds, regions, assertions, config } = settings
  if (timeout_seconds >= interval_seconds) {
    throw invalid('timeout_seconds', 'max', 'must be less than interval_seconds', {
      limit: interval_seconds - 1,
      actual: timeout_seconds
    })
  }
  const least = checkTypes[type].least_interval_seconds ?? 0
  if (interval_seconds < least) {
    throw invalid('interval_seconds', 'min', `must be at least ${least} for type ${type}`, { limit: least, actual: interval_seconds })
  }
  const quick = settings.down_interval_seconds
  if (quick !== null && quick < least) {
    throw invalid('down_interval_seconds', 'min', `must be at least ${least} for type ${type}`, { limit: least, actual: quick })
  }
  checkRhythms(type, settings)
  if (type === PUSHED && regions.length > 0)
    throw invalid('regions', 'unknown_field', `is not a field of type ${type}: no region checks it`)
  checkAssertions(type, assertions, config)
}

/**
 * Returns the regions that check the monitor and vote. A pushed state is the vote of one region
 * that has no prober. Throws like regionsFor.
 */
export function votersOf(
  { type, monitor_id, regions: chosen }: { type: MonitorType; monitor_id: string; regions: readonly string[] },
  plan: Plan,
  regions: readonly Region[]
): string[] {
  if (type === PUSHED) return [PUSHED]
  return assignRegions(monitor_id, chosen, regionsFor(type, chosen, plan, regions), plan.id)
}

/**
 * Checks one monitor against the plan's figures. Throws TIER_LIMIT_EXCEEDED, or VALIDATION_FAILED
 * for unknown regions.
 */
export function checkPlan(
  { interval_seconds, down_interval_seconds, regions }: MonitorSettings,
  plan: Plan,
  known: readonly Region[]
): void {
  const { min_interval_seconds, regions_per_monitor } = plan.limits
  const shortest = Math.min(interval_seconds, down_interval_seconds ?? interval_seconds)
  if (min_interval_seconds !== null && shortest < min_interval_seconds) {
    throw limitExceeded(plan, 'min_interval_seconds', shortest, `This plan checks every ${min_interval_seconds} seconds at most.`)
  }
  const chosen = [...new Set(regions)].map((code) => {
    const region = known.find((one) => one.code === code)
    if (!region)
      throw invalid(
        `regions[${regions.indexOf(code)}]`,
        'unknown_region',
        `is not a region; there are ${known.map((one) => one.code).join(', ')}`
      )
    return region
  })
  if (regions_per_monitor !== null && chosen.length > regions_per_monitor) {
    throw limitExceeded(
      plan,
      'regions_per_monitor',
      chosen.length,
      `This plan checks a monitor from ${regions_per_monitor} regions at most.`
    )
  }
  const unlisted = chosen.find((region) => !planLists(region, plan.id))
  if (unlisted)
    throw limitExceeded(plan, 'regions', known.indexOf(unlisted) + 1, `The region ${unlisted.code} is not among those of this plan.`)
}

/**
 * Returns the regions that may be picked for a monitor of the type, without those whose probers are
 * known not to support it. Throws if a chosen region cannot do it now, or if no region is left.
 */
function regionsFor(type: MonitorType, chosen: readonly string[], plan: Plan, regions: readonly Region[]): Region[] {
  const able = regions.filter(({ probers_online, kinds }) => probers_online === 0 || kinds.includes(type))
  for (const [at, code] of chosen.entries()) {
    const isKnown = regions.some((region) => region.code === code)
    if (isKnown && !able.some((region) => region.code === code)) {
      throw invalid(`regions[${at}]`, 'unsupported_type', `has no prober that does checks of the type ${type}`)
    }
  }
  const isPicked = (region: Region): boolean => !region.private && planLists(region, plan.id)
  const listed = regions.filter(isPicked)
  if (chosen.length === 0 && listed.length > 0 && !able.some(isPicked)) {
    throw invalid('type', 'unsupported_type', `is checked by no prober of the regions of this plan; types there: ${typesIn(listed)}`)
  }
  return able
}

const typesIn = (regions: readonly Region[]): string => [...new Set(regions.flatMap(({ kinds }) => kinds))].sort().join(', ')
