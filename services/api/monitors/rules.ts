/**
 * What a monitor must be beyond the shape of its fields: type, target, assertions, settings with
 * their secrets, limits of the plan. Nothing here asks anybody; every refusal names its field.
 * Source: docs/design/api/monitors.md#s3-1 to #s3-5, docs/design/api/prober.md#s16 and
 * docs/design/api.md#s22.
 */
import { X509Certificate } from 'node:crypto'
import {
  type Assertion,
  type HttpConfig,
  httpAssertions,
  isSecretHeader,
  lengthOps,
  MASK,
  mapSecrets,
  presenceOps
} from '../../../schemas/http/check-config.ts'
import { laterTypes, type MonitorType, monitorTypes, typeAliases } from '../../../schemas/http/monitors.ts'
import type { Plan } from '../../../schemas/plans.ts'
import { checkExpression, compileExpression, MAX_EXPRESSION, MAX_NODES_TOGETHER, UnsafeExpression } from '../../../schemas/safe-regex.ts'
import { storable } from '../../../streams/incident/rules.ts'
import { compilePath, PathRefused } from '../../checks/json-path.ts'
import { type AddressGuard, BlockedTarget, canonicalHost } from '../../http/address-guard.ts'
import type { MonitorSettings } from '../../store/monitors.ts'
import { planLists, type Region } from '../../store/regions.ts'
import { invalid, refuse } from '../http/errors.ts'
import { limitExceeded } from '../workspace/limits.ts'

/** The type that a word means. Throws for one that this version does not check. */
export function typeOf(word: string): MonitorType {
  const type = monitorTypes.find((known) => known === word) ?? (Object.hasOwn(typeAliases, word) ? typeAliases[word] : undefined)
  if (type) return type
  const known = [...monitorTypes, ...Object.keys(typeAliases)].join(', ')
  const later = laterTypes.some((one) => one === word)
  throw invalid('type', 'enum', later ? `${word} comes with a later version; now there are ${known}` : `must be one of ${known}`)
}

/** `target` or its other name `url`; undefined where neither was sent. */
export function targetOf({ target, url }: { target?: string; url?: string }): string | undefined {
  if (target !== undefined && url !== undefined && target !== url)
    throw invalid('url', 'mutually_exclusive', 'is another way to say target')
  return target ?? url
}

/**
 * An http or https address without credentials whose host, where it is a literal, may be connected
 * to. Names are judged by the probers at each check.
 */
export async function checkTarget(target: string, guard: AddressGuard): Promise<void> {
  if (/[\s\p{Cc}]/u.test(target) || !/^https?:\/\//i.test(target) || !URL.canParse(target)) {
    throw invalid('target', 'pattern', 'must be an address that begins with http:// or https://')
  }
  const { hostname, port, protocol, username, password } = new URL(target)
  if (username !== '' || password !== '') throw invalid('target', 'pattern', 'may not hold a user or password; they go into config.auth')
  const host = canonicalHost(hostname)
  if (host === null) throw invalid('target', 'pattern', 'has no host that can be asked for')
  try {
    // Nobody is asked here: what is no literal passes.
    await guard.resolve(host, Number(port) || (protocol === 'https:' ? 443 : 80), 0, async () => [])
  } catch (error) {
    if (!(error instanceof BlockedTarget)) throw error
    throw invalid('target', 'blocked_target', error.message)
  }
}

export function checkAssertions(assertions: readonly Assertion[]): void {
  for (const [at, assertion] of assertions.entries()) checkAssertion(assertion, `assertions[${at}]`)
  checkExpressions(assertions)
}

/**
 * Each within its bound and all together within theirs, before any is compiled; the same text is
 * compiled once.
 */
function checkExpressions(assertions: readonly Assertion[]): void {
  /** Expression → path of the first assertion that has it. */
  const paths = new Map<string, string>()
  let together = 0
  for (const [at, { op, value }] of assertions.entries()) {
    if ((op !== 'matches' && op !== 'not_matches') || typeof value !== 'string' || paths.has(value)) continue
    const path = `assertions[${at}].value`
    together += safely(path, () => checkExpression(value))
    if (together > MAX_NODES_TOGETHER) {
      throw invalid(path, 'unsafe_regex', `must come to at most ${MAX_NODES_TOGETHER} parts together with the expressions before it`, {
        limit: MAX_NODES_TOGETHER,
        actual: together
      })
    }
    paths.set(value, path)
  }
  for (const [expression, path] of paths) safely(path, () => compileExpression(expression))
}

function safely<T>(path: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof UnsafeExpression)) throw error
    const { message, limit, actual } = error
    throw invalid(path, 'unsafe_regex', message, limit === null || actual === null ? {} : { limit, actual })
  }
}

function checkAssertion({ source, property, op, value }: Assertion, path: string): void {
  const rule = httpAssertions[source]
  if (!rule) throw invalid(`${path}.source`, 'enum', `must be one of ${Object.keys(httpAssertions).join(', ')} for type http`)
  if (!rule.ops.includes(op)) throw invalid(`${path}.op`, 'enum', `must be one of ${rule.ops.join(', ')} for ${source}`)
  if (rule.property && property === undefined) throw invalid(`${path}.property`, 'required', `is required for ${source}`)
  if (!rule.property && property !== undefined) throw invalid(`${path}.property`, 'unknown_field', `is not a field for ${source}`)
  if (source === 'header' && property !== undefined && !/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/.test(property)) {
    throw invalid(`${path}.property`, 'pattern', 'must be the name of a header')
  }
  if (source === 'json' && property !== undefined) checkPath(property, `${path}.property`)

  if (presenceOps.includes(op)) {
    if (value !== undefined) throw invalid(`${path}.value`, 'unknown_field', `is not a field for ${op}`)
    return
  }
  if (value === undefined) throw invalid(`${path}.value`, 'required', `is required for ${op}`)
  if (op === 'in' || op === 'not_in') {
    if (!Array.isArray(value) || value.length === 0) throw invalid(`${path}.value`, 'type', `must be a list for ${op}`)
    for (const [nth, one] of value.entries()) checkScalar(one, rule.values, `${path}.value[${nth}]`)
    return
  }
  if (Array.isArray(value)) throw invalid(`${path}.value`, 'type', `may be a list for in and not_in only`)
  if (lengthOps.includes(op)) {
    if (!Number.isSafeInteger(value) || Number(value) < 0) throw invalid(`${path}.value`, 'type', `must be a whole number for ${op}`)
  } else if (op === 'gt' || op === 'gte' || op === 'lt' || op === 'lte') checkScalar(value, 'number', `${path}.value`)
  else if (op === 'matches' || op === 'not_matches') {
    if (typeof value !== 'string') throw invalid(`${path}.value`, 'type', 'must be a regular expression')
    if (value.length > MAX_EXPRESSION)
      throw invalid(`${path}.value`, 'length', `must have at most ${MAX_EXPRESSION}`, { limit: MAX_EXPRESSION })
  } else checkScalar(value, rule.values, `${path}.value`)
}

function checkScalar(value: unknown, wanted: 'number' | 'string' | 'any', path: string): void {
  if (wanted !== 'any' && typeof value !== wanted) throw invalid(path, 'type', `must be a ${wanted}`)
}

function checkPath(value: string, path: string): void {
  try {
    compilePath(value)
  } catch (error) {
    if (!(error instanceof PathRefused)) throw error
    throw invalid(path, 'pattern', error.message)
  }
}

/** Probers make these themselves. */
const OWN_HEADERS = new Set(['connection', 'content-length', 'expect', 'keep-alive', 'te', 'trailer', 'transfer-encoding', 'upgrade'])

type Seal = (plain: string, field: string) => string

export interface ChangedConfig {
  config: HttpConfig
  /** Paths of the secrets in it that the request did not bring: they stay as they were. */
  kept: string[]
}

/**
 * `changes` over `before`, each field by itself, headers as a whole. A new secret is sealed by
 * `seal`; one that comes back masked, as null or not at all stays as it is (sealed); one that was
 * never set is refused. A header whose name says that it holds a credential is secret, marked or
 * not.
 */
export function changedConfig(before: HttpConfig, changes: HttpConfig, seal: Seal): ChangedConfig {
  const config: HttpConfig = { ...before, ...changes }
  const kept: string[] = []
  const secrets: Secrets = {
    seal,
    keep(path, value) {
      kept.push(path)
      return value
    }
  }
  if (changes.headers) config.headers = changedHeaders(before, changes.headers, secrets)
  if (changes.auth) config.auth = changedAuth(before.auth, changes.auth, secrets)
  // What the request does not name stays whole, with the secrets in it.
  const untouched: HttpConfig = {
    ...(before.headers && !changes.headers && { headers: before.headers }),
    ...(before.auth && !changes.auth && { auth: before.auth })
  }
  mapSecrets(untouched, (value, _field, _isClear, path) => secrets.keep(`config.${path}`, value))
  if (changes.ca_pem) checkCertificate(changes.ca_pem)
  return { config, kept }
}

type Headers = NonNullable<HttpConfig['headers']>
type Auth = NonNullable<HttpConfig['auth']>

interface Secrets {
  seal: Seal
  /** Notes that the value stays. */
  keep(path: string, value: string): string
}

function changedHeaders(before: HttpConfig, headers: Headers, secrets: Secrets): Headers {
  /** Field → sealed values there are, in their order: headers may repeat. */
  const kept = new Map<string, (() => string)[]>()
  mapSecrets({ headers: before.headers ?? [] }, (value, field, isClear) => {
    kept.set(field, [...(kept.get(field) ?? []), () => (isClear ? secrets.seal(value, field) : value)])
    return value
  })
  return headers.map((header, at) => {
    const path = `config.headers[${at}]`
    const { name, value } = header
    if (OWN_HEADERS.has(name.toLowerCase())) throw invalid(`${path}.name`, 'pattern', 'is a header that the prober sets')
    if (!isSecretHeader(header)) {
      if (value === null || value === MASK) throw invalid(`${path}.value`, 'required', 'is required for a header that is not secret')
      return header
    }
    const field = `header:${name.toLowerCase()}`
    return { ...header, secret: true, value: secretOf(value, kept.get(field)?.shift(), field, `${path}.value`, secrets) }
  })
}

function changedAuth(before: Auth | undefined, auth: Auth, secrets: Secrets): Auth {
  const { type, username, password, token } = auth
  const strange = (field: string) => invalid(`config.auth.${field}`, 'unknown_field', `is not a field of type ${type}`)
  const old = before?.type === type ? before : undefined
  if (type !== 'basic' && username !== undefined) throw strange('username')
  if (type !== 'basic' && password !== undefined) throw strange('password')
  if (type !== 'bearer' && token !== undefined) throw strange('token')
  if (type === 'none') return { type }
  const there = (value: string | null | undefined) => (value ? () => value : undefined)
  if (type === 'bearer') return { type, token: secretOf(token, there(old?.token), 'auth.token', 'config.auth.token', secrets) }
  const name = username ?? old?.username
  if (name === undefined) throw invalid('config.auth.username', 'required', 'is required for type basic')
  return { type, username: name, password: secretOf(password, there(old?.password), 'auth.password', 'config.auth.password', secrets) }
}

function secretOf(
  value: string | null | undefined,
  kept: (() => string) | undefined,
  field: string,
  path: string,
  secrets: Secrets
): string {
  if (value === '') throw invalid(path, 'length', 'has to have at least 1; leave it out to keep what is there', { limit: 1, actual: 0 })
  if (typeof value === 'string' && value !== MASK) return secrets.seal(value, field)
  if (!kept) throw invalid(path, 'required', 'is required: there is no value to keep')
  return secrets.keep(path, kept())
}

interface Destination {
  target: string
  config: HttpConfig
}

/**
 * Secrets go where the person meant them who knew them. Where a request changes who reads them it
 * must bring them again: throws VALIDATION_FAILED, `required`, with the path of every secret that
 * was to stay.
 */
export function checkKept(before: Destination, after: Destination, kept: readonly string[]): void {
  const why = otherReader(before, after)
  if (why !== null) refuse(kept.map((path) => ({ path, rule: 'required', message: `is required again, since ${why}` })))
}

/**
 * Why another machine, or another owner of the same one, reads what a check sends from now on; null
 * where none does.
 */
function otherReader(before: Destination, after: Destination): string | null {
  const [from, to] = [new URL(before.target), new URL(after.target)]
  if (from.origin !== to.origin) return 'the address leads to another origin'
  // Many a machine serves the hosts of many people and goes by this header.
  if (hostOf(before) !== hostOf(after)) return 'the header Host names another host'
  const isVerified = before.config.verify_tls ?? true
  if (to.protocol !== 'https:' || !isVerified) return null
  if (after.config.verify_tls === false) return 'the certificate is not verified any more'
  return (before.config.ca_pem || null) === (after.config.ca_pem || null) ? null : 'certificates of another authority are trusted'
}

function hostOf({ target, config: { headers = [] } }: Destination): string {
  const named = headers.filter(({ name, value }) => name.toLowerCase() === 'host' && value !== null).at(-1)?.value
  return (named ?? new URL(target).host).toLowerCase()
}

function checkCertificate(pem: string): void {
  try {
    new X509Certificate(pem)
  } catch {
    throw invalid('config.ca_pem', 'pattern', 'must be a certificate in PEM')
  }
}

/** What depends on two fields. */
export function checkSettings({ interval_seconds, timeout_seconds, assertions }: MonitorSettings): void {
  if (timeout_seconds >= interval_seconds) {
    throw invalid('timeout_seconds', 'max', 'must be less than interval_seconds', {
      limit: interval_seconds - 1,
      actual: timeout_seconds
    })
  }
  checkAssertions(assertions)
}

/**
 * The plan's figures for one monitor. Throws TIER_LIMIT_EXCEEDED; regions nobody knows are
 * VALIDATION_FAILED.
 */
export function checkPlan({ interval_seconds, regions }: MonitorSettings, plan: Plan, known: readonly Region[]): void {
  const { min_interval_seconds, regions_per_monitor } = plan.limits
  if (min_interval_seconds !== null && interval_seconds < min_interval_seconds) {
    throw limitExceeded(plan, 'min_interval_seconds', interval_seconds, `This plan checks every ${min_interval_seconds} seconds at most.`)
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

/** Every text in `value` as every store takes it. */
export function storableDeep<T>(value: T): T
export function storableDeep(value: unknown): unknown {
  if (typeof value === 'string') return storable(value)
  if (Array.isArray(value)) return value.map((one) => storableDeep(one))
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [storable(key), storableDeep(one)]))
}
