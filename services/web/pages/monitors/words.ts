/** A monitor in words: what counts as success, when it goes down, what its regions say. Pure. */
import { opWords } from '../../../../schemas/http/assertion-words.ts'
import type { Check, Monitor } from '../../api/shapes.ts'
import { durationInWords } from '../../parts/duration-words.ts'
import { monitorsText } from '../../texts/monitors.ts'

type Assertion = Monitor['assertions'][number]

/** `a, b and c`. */
export const listed = (words: readonly string[]): string =>
  words.length < 2 ? (words[0] ?? '') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`

export const sourceWords: Readonly<Partial<Record<Assertion['source'], string>>> = {
  status: 'Status',
  header: 'Header',
  body: 'Body',
  json: 'JSON',
  latency_ms: 'Response time (ms)',
  tls_days: 'Days left of the certificate',
  redirect_url: 'Address after redirects',
  ip: 'IP address',
  text: 'Reply',
  dns_records: 'Records'
}

const valueWords = (value: unknown): string => (Array.isArray(value) ? value.map(String).join(', ') : String(value))

/** `JSON $.healthy equals true`. */
export function assertionInWords({ source, property, op, value, on_fail }: Assertion): string {
  const words = [sourceWords[source] ?? source, property, opWords[op], value === undefined ? undefined : valueWords(value)]
  return `${words.filter((word) => word !== undefined).join(' ')}${on_fail === 'degraded' ? ' (else degraded)' : ''}`
}

const times = (count: number): string => (count === 1 ? 'once' : `${count} times in a row`)

const timesIn = ({ failures, window_seconds }: NonNullable<Monitor['confirmation']['failure_rate']>): string =>
  `${failures === 1 ? 'once' : `${failures} times`} within ${durationInWords(Math.max(window_seconds, 0))}`

const quorums = { any: 'any region', majority: 'a majority of the regions', all: 'all regions' } as const

const regionsOf = (quorum: Monitor['confirmation']['regions']): string =>
  typeof quorum === 'number' ? `${quorum} ${quorum === 1 ? 'region' : 'regions'}` : quorums[quorum]

/** `When a majority of the regions fail 2 times in a row`. */
export function downInWords({ regions, rounds, min_seconds, failure_rate }: Monitor['confirmation']): string {
  const lasting = min_seconds > 0 ? `, for at least ${durationInWords(min_seconds)}` : ''
  const fail = regions === 'any' || regions === 'majority' || regions === 1 ? 'fails' : 'fail'
  const often = failure_rate ? `, or ${timesIn(failure_rate)}` : ''
  return `When ${regionsOf(regions)} ${fail} ${times(rounds)}${lasting}${often}`
}

export function upInWords({ recovery_rounds, recovery_seconds }: Monitor['confirmation']): string {
  const lasting = recovery_seconds > 0 ? `, over at least ${durationInWords(recovery_seconds)}` : ''
  return `When most regions succeed ${times(recovery_rounds)}${lasting}`
}

/** `When 30 % of the last 20 rounds are changes, until 15 % are`. */
export const flapInWords = ({ enabled, window_rounds, high_percent, low_percent }: Monitor['flap']): string =>
  enabled ? monitorsText('flap.fact_on', { rounds: window_rounds, high: high_percent, low: low_percent }) : monitorsText('flap.fact_off')

/**
 * Votes that down needs among the fresh regions, by the monitor's rule.
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
  if (voting.length === 0) return 'No region has a vote yet, or a fresh one: nobody can say.'
  const down = voting.filter(({ state }) => state === 'down').length
  const needed = neededOf(confirmation.regions, voting.length)
  const silent = region_states.length - voting.length
  const said = `${down === 0 ? 'None' : down} of ${voting.length} ${voting.length === 1 ? 'region says' : 'regions say'} down; ${needed} ${needed === 1 ? 'is' : 'are'} needed`
  return `${said}${silent > 0 ? `, and ${silent} ${silent === 1 ? 'has' : 'have'} no vote, or no fresh one` : ''}.`
}

export const outcomeWords: Readonly<Record<Check['outcome'], string>> = {
  success: 'Succeeded',
  degraded: 'Degraded',
  failure: 'Failed',
  prober_error: 'Prober error',
  missed_window: 'Missed',
  rate_limited: 'Rate limited',
  unknown: 'Unknown'
}

export const reasonWords: Readonly<Record<NonNullable<Check['reason']>, string>> = {
  timeout: 'The check took too long',
  dns: 'The host name was not found',
  connect: 'No connection',
  tls: 'TLS failed',
  http_status: 'Unexpected status',
  redirect: 'Too many or wrong redirects',
  assertion: 'An assertion failed',
  body_too_large: 'The body is too large',
  protocol: 'The answer is not HTTP',
  icmp_loss: 'Packets were lost',
  blocked_target: 'The address may not be checked',
  auth: 'Access was refused',
  unknown: 'Unknown reason'
}

export const regionLabel = ({ prober_region_labels }: Pick<Monitor, 'prober_region_labels'>, code: string): string =>
  prober_region_labels[code] ?? code

export const hostOf = (target: string): string => (URL.canParse(target) ? new URL(target).host : target)
