/**
 * The values of the monitor form as people type them, and the request bodies made from them. Pure.
 * Where a number is needed and the text is not one, the value becomes -1. That is below every
 * minimum, so the schema reports at the field what is allowed.
 */
import {
  type Assertion,
  type AssertionOp,
  type AssertionRule,
  type AssertionSource,
  authFields,
  defaultRetry,
  isSecretHeader,
  lengthOps,
  presenceOps
} from '../../../../schemas/http/check-config.ts'
import type { HttpConfig } from '../../../../schemas/http/check-types/http.ts'
import { checkTypes } from '../../../../schemas/http/check-types/index.ts'
import { PUSHED } from '../../../../schemas/http/check-words.ts'
import { defaultConfirmation, defaultFlap, type MonitorType, monitorTypes } from '../../../../schemas/http/monitors.ts'
import type { Monitor, MonitorChange, NewMonitor } from '../../api/shapes.ts'
import { differing } from '../../forms/differing.ts'
import { wordOf } from '../../search.ts'
import { type Config, type ConfigField, configFields, sentConfig } from '../channels/config-fields.ts'
import { listOf, type Scalar, scalarOf, typedValue } from './assertion-text.ts'
import { blankStep, sentSteps, typedSteps } from './steps.ts'

export interface HeaderRow {
  key: number
  name: string
  value: string
  secret: boolean
}

export interface AssertionRow {
  key: number
  source: AssertionSource
  property: string
  op: AssertionOp
  /** As typed (assertion-text.ts). */
  value: string
  on_fail: 'down' | 'degraded'
  /** As it was read, if the monitor has it already. */
  given?: Assertion
}

type Auth = NonNullable<HttpConfig['auth']>['type']
type Severity = Monitor['severity_down']

export interface Values {
  type: MonitorType
  /** Settings of every type except http, whose form has fields of its own. */
  settings: Config
  name: string
  target: string
  description: string
  interval: string
  timeout: string
  regions: string[]
  method: NonNullable<HttpConfig['method']>
  headers: HeaderRow[]
  body: string
  body_type: NonNullable<HttpConfig['body_type']>
  auth: Auth
  username: string
  password: string
  token: string
  token_url: string
  client_id: string
  client_secret: string
  /** Separated by spaces. */
  scopes: string
  cert_pem: string
  key_pem: string
  http_version: NonNullable<HttpConfig['http_version']>
  follow_redirects: boolean
  max_redirects: string
  verify_tls: boolean
  ip_family: NonNullable<HttpConfig['ip_family']>
  user_agent: string
  cache_bust: boolean
  capture_on_failure: boolean
  max_body_bytes: string
  ca_pem: string
  assertions: AssertionRow[]
  degraded_after: string
  quorum: string
  rounds: string
  min_seconds: string
  recovery_rounds: string
  recovery_seconds: string
  /** If both are empty, there is no such rule. */
  rate_failures: string
  rate_window: string
  advisory_after: string
  /** Seconds; empty: no other interval. */
  down_interval: string
  flap: boolean
  flap_rounds: string
  flap_high: string
  flap_low: string
  retry_count: string
  retry_strategy: Monitor['retry']['strategy']
  retry_base: string
  retry_total: string
  severity_down: Severity
  severity_degraded: Severity
  open_on_degraded: boolean
  tls_days: string
  /** Seconds; empty: no reminders. */
  repeat: string
  /** Ids of monitors. */
  depends_on: string[]
  /** Seconds; empty: as long as it takes. */
  dependency_hold: string
  /** Empty: none. */
  team_id: string
  /** Empty: none. */
  group_id: string
  tags: string
  labels: readonly { name: string; value: string }[]
}

const DEFAULT_INTERVAL_SECONDS = 60
/**
 * Upper limit for the interval that another type takes over from the form. An interval that was
 * chosen for a type that is checked once a day does not suit another type.
 */
const MAX_USUAL_SECONDS = 3600
const DEFAULT_TIMEOUT_SECONDS = 10
const DEFAULT_TLS_DAYS = [30, 14, 7, 3, 1]

export const typeOf = (monitor: Pick<Monitor, 'type'> | null): MonitorType => wordOf(monitor?.type, monitorTypes) ?? 'http'

/** Settings that have form fields of their own. */
const apart: readonly string[] = ['steps', 'variables']

/** Returns the settings that the form of a type asks for, from the type's schema. */
export const fieldsOf = (type: MonitorType): ConfigField[] =>
  type === 'http' ? [] : configFields({ ...checkTypes[type].config }).filter(({ name }) => !apart.includes(name))

/** Returns the values that the form starts with when another type is chosen. */
export function changedType(type: MonitorType, { interval }: Pick<Values, 'interval'>): Partial<Values> {
  const { usual = {}, least_interval_seconds = 0 } = checkTypes[type]
  const rounds = String(usual.rounds ?? defaultConfirmation.rounds)
  const seconds = usual.interval_seconds ?? Math.max(Math.min(Number(interval), MAX_USUAL_SECONDS), least_interval_seconds)
  const settings = type === 'api' ? { ...defaultsOf(type), steps: [blankStep()], variables: [] } : defaultsOf(type)
  return { type, settings, assertions: [], interval: String(seconds), rounds, recovery_rounds: rounds }
}

/** Returns the values that apply where a setting is left out. */
export function defaultsOf(type: MonitorType): Config {
  const { properties } = checkTypes[type].config
  const defaults = fieldsOf(type).map(({ name }) => [name, Reflect.get(properties[name] ?? {}, 'default')])
  return Object.fromEntries(defaults.filter(([, value]) => value !== undefined))
}

/** A source means the same in every type that has it. */
const rules = new Map(
  Object.values(checkTypes).flatMap(({ assertions }) => Object.entries(assertions) as [AssertionSource, AssertionRule][])
)
export const ruleOf = (source: AssertionSource): AssertionRule | undefined => rules.get(source)

let keys = 0
/** Rows of a list need a key, because they have no other name while they are typed. */
export const nextKey = (): number => keys++

/** Returns how the value for `op` on `source` is typed. */
export function valueKind(source: AssertionSource, op: AssertionOp): 'none' | 'list' | 'number' | 'text' | 'any' {
  if (presenceOps.includes(op)) return 'none'
  if (op === 'in' || op === 'not_in') return 'list'
  if (lengthOps.includes(op) || ['gt', 'gte', 'lt', 'lte'].includes(op)) return 'number'
  if (['contains', 'not_contains', 'matches', 'not_matches'].includes(op))
    return source === 'json' && op.endsWith('contains') ? 'any' : 'text'
  const values = ruleOf(source)?.values ?? 'string'
  return values === 'number' ? 'number' : values === 'any' ? 'any' : 'text'
}

function meantBy({ source, op, value }: AssertionRow): Scalar | Scalar[] | undefined {
  const values = ruleOf(source)?.values ?? 'string'
  switch (valueKind(source, op)) {
    case 'none':
      return undefined
    case 'list':
      return listOf(value, values)
    case 'number':
      return scalarOf(value, 'number')
    case 'any':
      return scalarOf(value, 'any')
    default:
      return value
  }
}

const whole = (text: string): number => (/^\d+$/.test(text.trim()) ? Number(text) : -1)

const typed = (count: number | null | undefined): string => (count == null ? '' : String(count))

const words = (text: string): string[] => [
  ...new Set(
    text
      .split(',')
      .map((word) => word.trim())
      .filter((word) => word !== '')
  )
]

/** Returns an empty form. `least` is the plan's shortest interval in seconds, if it has one. */
export const blank = (least: number | null): Values => valuesOf(null, Math.max(DEFAULT_INTERVAL_SECONDS, least ?? 0))

/** Returns the form values of an existing monitor, or of a new one. */
export function valuesOf(monitor: Monitor | null, interval = DEFAULT_INTERVAL_SECONDS): Values {
  const type = typeOf(monitor)
  const config = (type === 'http' ? (monitor?.config ?? {}) : {}) as HttpConfig
  const confirmation = monitor?.confirmation ?? defaultConfirmation
  const retry = monitor?.retry ?? defaultRetry
  const flap = monitor?.flap ?? defaultFlap
  return {
    type,
    settings: type === 'http' ? {} : { ...defaultsOf(type), ...monitor?.config, ...(type === 'api' && typedSteps(monitor?.config)) },
    name: monitor?.name ?? '',
    target: monitor?.target ?? '',
    description: monitor?.description ?? '',
    interval: String(monitor?.interval_seconds ?? interval),
    timeout: String(monitor?.timeout_seconds ?? DEFAULT_TIMEOUT_SECONDS),
    regions: monitor?.regions ?? [],
    method: config.method ?? 'GET',
    headers: (config.headers ?? []).map(({ name, value, secret = false }) => ({ key: nextKey(), name, value: value ?? '', secret })),
    body: config.body ?? '',
    body_type: config.body_type ?? 'text',
    auth: config.auth?.type ?? 'none',
    username: config.auth?.username ?? '',
    password: config.auth?.password ?? '',
    token: config.auth?.token ?? '',
    token_url: config.auth?.token_url ?? '',
    client_id: config.auth?.client_id ?? '',
    client_secret: config.auth?.client_secret ?? '',
    scopes: (config.auth?.scopes ?? []).join(' '),
    cert_pem: config.auth?.cert_pem ?? '',
    key_pem: config.auth?.key_pem ?? '',
    http_version: config.http_version ?? 'auto',
    follow_redirects: config.follow_redirects ?? true,
    max_redirects: String(config.max_redirects ?? 5),
    verify_tls: config.verify_tls ?? true,
    ip_family: config.ip_family ?? 'auto',
    user_agent: config.user_agent ?? '',
    cache_bust: config.cache_bust ?? false,
    capture_on_failure: config.capture_on_failure ?? false,
    max_body_bytes: String(config.max_body_bytes ?? 1_048_576),
    ca_pem: config.ca_pem ?? '',
    assertions: ((monitor?.assertions ?? []) as Assertion[]).map((given) => ({ key: nextKey(), ...shownAs(given), given })),
    degraded_after: monitor?.degraded_after_ms == null ? '' : String(monitor.degraded_after_ms),
    quorum: String(confirmation.regions),
    rounds: String(confirmation.rounds),
    min_seconds: String(confirmation.min_seconds),
    recovery_rounds: String(confirmation.recovery_rounds),
    recovery_seconds: String(confirmation.recovery_seconds),
    rate_failures: typed(confirmation.failure_rate?.failures),
    rate_window: typed(confirmation.failure_rate?.window_seconds),
    advisory_after: String(confirmation.advisory_after_seconds),
    down_interval: typed(monitor?.down_interval_seconds),
    flap: flap.enabled,
    flap_rounds: String(flap.window_rounds),
    flap_high: String(flap.high_percent),
    flap_low: String(flap.low_percent),
    retry_count: String(retry.count),
    retry_strategy: retry.strategy,
    retry_base: String(retry.base_seconds),
    retry_total: String(retry.max_total_seconds),
    severity_down: monitor?.severity_down ?? 'critical',
    severity_degraded: monitor?.severity_degraded ?? 'warning',
    open_on_degraded: monitor?.open_on_degraded ?? false,
    tls_days: (monitor?.tls_expiry_days ?? DEFAULT_TLS_DAYS).join(', '),
    repeat: typed(monitor?.repeat_interval_seconds),
    depends_on: monitor?.depends_on ?? [],
    dependency_hold: monitor?.dependency_hold_seconds == null ? '' : String(monitor.dependency_hold_seconds),
    team_id: monitor?.team_id ?? '',
    group_id: monitor?.group_id ?? '',
    tags: (monitor?.tags ?? []).join(', '),
    labels: Object.entries(monitor?.labels ?? {}).map(([name, value]) => ({ name, value }))
  }
}

const shownAs = ({ source, property = '', op, value, on_fail = 'down' }: Assertion) => ({
  source,
  property,
  op,
  value: typedValue(value, ruleOf(source)?.values ?? 'string'),
  on_fail
})

/** A row that nobody has changed is sent exactly as it was read. */
function isAsGiven({ source, property, op, value, on_fail, given }: AssertionRow): boolean {
  return given !== undefined && JSON.stringify(shownAs(given)) === JSON.stringify({ source, property, op, value, on_fail })
}

export const assertionOf = (row: AssertionRow): Assertion => {
  if (row.given && isAsGiven(row)) return row.given
  const value = meantBy(row)
  return {
    source: row.source,
    ...(ruleOf(row.source)?.property && { property: row.property }),
    op: row.op,
    ...(value !== undefined && { value }),
    on_fail: row.on_fail
  }
}

const scopesOf = (text: string): string[] => text.split(/\s+/).filter((scope) => scope !== '')

/** A secret that is shown as the mask stays unchanged. Fields of another auth type are not sent. */
function authOf(values: Values): NonNullable<HttpConfig['auth']> {
  const { open, secret } = authFields[values.auth]
  const fields = [...open, ...secret].map((field) => [field, field === 'scopes' ? scopesOf(values.scopes) : values[field]])
  return { type: values.auth, ...Object.fromEntries(fields) }
}

const configOf = (values: Values): HttpConfig => ({
  method: values.method,
  headers: values.headers.map(({ name, value, secret }) => ({
    name: name.trim(),
    value,
    secret: isSecretHeader({ name: name.trim(), secret })
  })),
  body: values.body === '' ? null : values.body,
  body_type: values.body_type,
  auth: authOf(values),
  follow_redirects: values.follow_redirects,
  max_redirects: whole(values.max_redirects),
  verify_tls: values.verify_tls,
  ip_family: values.ip_family,
  http_version: values.http_version,
  user_agent: values.user_agent === '' ? null : values.user_agent,
  cache_bust: values.cache_bust,
  capture_on_failure: values.capture_on_failure,
  max_body_bytes: whole(values.max_body_bytes),
  ca_pem: values.ca_pem === '' ? null : values.ca_pem
})

const quorumOf = (text: string): Monitor['confirmation']['regions'] =>
  (/^\d+$/.test(text) ? Number(text) : text) as Monitor['confirmation']['regions']

const isEmpty = (text: string): boolean => text.trim() === ''

function rateOf({ rate_failures, rate_window }: Values): Monitor['confirmation']['failure_rate'] {
  if (isEmpty(rate_failures) && isEmpty(rate_window)) return null
  return { failures: whole(rate_failures), window_seconds: whole(rate_window) }
}

export const confirmationOf = (values: Values): Monitor['confirmation'] => ({
  regions: quorumOf(values.quorum),
  rounds: whole(values.rounds),
  min_seconds: whole(values.min_seconds),
  recovery_rounds: whole(values.recovery_rounds),
  recovery_seconds: whole(values.recovery_seconds),
  failure_rate: rateOf(values),
  advisory_after_seconds: whole(values.advisory_after)
})

function configBody(values: Values, before: Values | null): Record<string, unknown> {
  if (values.type === 'http') return configOf(values)
  const sent = sentConfig(fieldsOf(values.type), before?.settings ?? null, values.settings)
  return values.type === 'api' ? { ...sent, ...sentSteps(values.settings) } : sent
}

const fullBody = (values: Values, before: Values | null) => ({
  name: values.name,
  ...(values.type !== PUSHED && { target: values.target.trim() }),
  description: values.description,
  interval_seconds: whole(values.interval),
  ...(values.type !== PUSHED && { down_interval_seconds: isEmpty(values.down_interval) ? null : whole(values.down_interval) }),
  timeout_seconds: whole(values.timeout),
  regions: values.regions,
  config: configBody(values, before),
  assertions: values.assertions.map(assertionOf),
  degraded_after_ms: values.degraded_after.trim() === '' ? null : whole(values.degraded_after),
  confirmation: confirmationOf(values),
  retry: {
    count: whole(values.retry_count),
    strategy: values.retry_strategy,
    base_seconds: whole(values.retry_base),
    max_total_seconds: whole(values.retry_total)
  },
  flap: {
    enabled: values.flap,
    window_rounds: whole(values.flap_rounds),
    high_percent: whole(values.flap_high),
    low_percent: whole(values.flap_low)
  },
  severity_down: values.severity_down,
  severity_degraded: values.severity_degraded,
  open_on_degraded: values.open_on_degraded,
  tls_expiry_days: words(values.tls_days).map(whole),
  repeat_interval_seconds: isEmpty(values.repeat) ? null : whole(values.repeat),
  depends_on: values.depends_on,
  dependency_hold_seconds: values.dependency_hold.trim() === '' ? null : whole(values.dependency_hold),
  team_id: values.team_id === '' ? null : values.team_id,
  group_id: values.group_id === '' ? null : values.group_id,
  tags: words(values.tags),
  // Rows without a name are not filled in yet.
  labels: Object.fromEntries(values.labels.filter(({ name }) => name.trim() !== '').map(({ name, value }) => [name.trim(), value]))
})

/**
 * Builds the body of a new monitor. It sends only settings that differ from the usual ones, so the
 * others follow the service's defaults. A copy of `like` keeps its escalation policy, for which the
 * form has no field.
 */
export function createBody(values: Values, like: Pick<Monitor, 'escalation_policy_id'> | null = null): NewMonitor {
  const body = fullBody(values, null)
  const usual = values.type === 'http' ? configOf(valuesOf(null)) : defaultsOf(values.type)
  const policy = like?.escalation_policy_id ?? null
  return {
    ...body,
    type: values.type,
    config: differing(usual, body.config),
    ...(policy !== null && { escalation_policy_id: policy })
  }
}

/**
 * Returns only what the person changed, so that changes that another person made meanwhile stay.
 */
export function changesOf(before: Values, after: Values): MonitorChange {
  const [old, now] = [fullBody(before, before), fullBody(after, before)]
  const { config, confirmation, retry, flap, ...others } = differing(old, now)
  return {
    ...others,
    ...(config && { config: differing(old.config, config) }),
    ...(confirmation && { confirmation: differing(old.confirmation, confirmation) }),
    ...(retry && { retry: differing(old.retry, retry) }),
    ...(flap && { flap: differing(old.flap, flap) })
  }
}
