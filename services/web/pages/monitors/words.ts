/** A monitor in words: what counts as success, when it goes down, what its regions say. Pure. */
import { opWords } from '../../../../schemas/http/assertion-words.ts'
import type { Check, Monitor } from '../../api/shapes.ts'
import { durationInWords } from '../../parts/duration-words.ts'
import { monitorWordsText } from '../../texts/monitor-words.ts'
import { monitorsText } from '../../texts/monitors.ts'

type Assertion = Monitor['assertions'][number]

/** `a, b and c`. */
export const listed = (words: readonly string[]): string =>
  words.length < 2 ? (words[0] ?? '') : monitorWordsText('list.and', { others: words.slice(0, -1).join(', '), last: words.at(-1) ?? '' })

export const sourceWord = (source: Assertion['source']): string => monitorWordsText(`source.${source}`)

const valueWords = (value: unknown): string => (Array.isArray(value) ? value.map(String).join(', ') : String(value))

/** `JSON $.healthy equals true`. */
export function assertionInWords({ source, property, op, value, on_fail }: Assertion): string {
  const words = [sourceWord(source), property, opWords[op], value === undefined ? undefined : valueWords(value)]
  const assertion = words.filter((word) => word !== undefined).join(' ')
  return on_fail === 'degraded' ? monitorWordsText('assertion.degraded', { assertion }) : assertion
}

const times = (count: number): string => (count === 1 ? monitorWordsText('times.once') : monitorWordsText('times.row', { count }))

function rateInWords({ failures, window_seconds }: NonNullable<Monitor['confirmation']['failure_rate']>): string {
  const often = failures === 1 ? monitorWordsText('times.once') : monitorWordsText('times.some', { count: failures })
  return monitorWordsText('down.rate', { times: often, time: durationInWords(Math.max(window_seconds, 0)) })
}

function regionsOf(quorum: Monitor['confirmation']['regions']): string {
  if (typeof quorum !== 'number') return monitorWordsText(`regions.${quorum}`)
  return quorum === 1 ? monitorWordsText('regions.one') : monitorWordsText('regions.some', { count: quorum })
}

/** `When a majority of the regions fail 2 times in a row`. */
export function downInWords({ regions, rounds, min_seconds, failure_rate }: Monitor['confirmation']): string {
  const isOne = regions === 'any' || regions === 'majority' || regions === 1
  const rule = monitorWordsText(isOne ? 'down.one' : 'down.many', { regions: regionsOf(regions), times: times(rounds) })
  const lasting = min_seconds > 0 ? monitorWordsText('down.lasting', { time: durationInWords(min_seconds) }) : ''
  return `${rule}${lasting}${failure_rate ? rateInWords(failure_rate) : ''}`
}

export function upInWords({ recovery_rounds, recovery_seconds }: Monitor['confirmation']): string {
  const lasting = recovery_seconds > 0 ? monitorWordsText('up.lasting', { time: durationInWords(recovery_seconds) }) : ''
  return `${monitorWordsText('up.rule', { times: times(recovery_rounds) })}${lasting}`
}

/** `When 30 % of the last 20 rounds are changes, until 15 % are`. */
export const flapInWords = ({ enabled, window_rounds, high_percent, low_percent }: Monitor['flap']): string =>
  enabled ? monitorsText('flap.fact_on', { rounds: window_rounds, high: high_percent, low: low_percent }) : monitorsText('flap.fact_off')

/**
 * Returns the number of votes for down that are needed among the fresh regions, by the monitor's
 * rule.
 * Source: docs/design/specification.md#s2-3.
 */
function neededOf(quorum: Monitor['confirmation']['regions'], fresh: number): number {
  if (quorum === 'any') return 1
  if (quorum === 'all') return Math.max(fresh, 1)
  if (quorum === 'majority') return Math.floor(fresh / 2) + 1
  return Math.max(Math.min(quorum, fresh), 1)
}

/** `2 of 3 regions say down; 2 are needed.` */
export function votesInWords({ region_states, confirmation }: Pick<Monitor, 'region_states' | 'confirmation'>): string {
  const voting = region_states.filter(({ state }) => state !== 'stale' && state !== 'pending')
  const count = voting.length
  if (count === 0) return monitorWordsText('votes.nobody')
  const found = voting.filter(({ state }) => state === 'down').length
  const down = found === 0 ? monitorWordsText('votes.none') : found
  const said = count === 1 ? monitorWordsText('votes.down_one', { down }) : monitorWordsText('votes.down', { down, count })
  const least = neededOf(confirmation.regions, count)
  const needed = least === 1 ? monitorWordsText('votes.needed_one') : monitorWordsText('votes.needed', { count: least })
  const silent = region_states.length - count
  const others = silent === 1 ? monitorWordsText('votes.silent_one') : monitorWordsText('votes.silent', { count: silent })
  return `${said}; ${needed}${silent > 0 ? others : ''}.`
}

type Severities = Pick<Monitor, 'severity_down' | 'severity_degraded' | 'open_on_degraded'>

/** Says which incidents a monitor opens: `Critical when down, warning when degraded`. */
export function severitiesInWords({ severity_down, severity_degraded, open_on_degraded }: Severities): string {
  const degraded = open_on_degraded ? monitorWordsText(`severities.${severity_degraded}`) : monitorWordsText('severities.nothing')
  const words = monitorWordsText('severities.both', { down: monitorWordsText(`severities.${severity_down}`), degraded })
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`
}

export const outcomeWord = (outcome: Check['outcome']): string => monitorWordsText(`outcome.${outcome}`)

export const reasonWord = (reason: NonNullable<Check['reason']>): string => monitorWordsText(`reason.${reason}`)
