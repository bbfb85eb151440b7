/**
 * Checks the settings of a monitor's type: their shape, rules between several of them, and secrets.
 * A secret may only go to the place for which the person who knew it gave it.
 * Source: docs/design/api/monitors.md#s3-3, docs/design/api.md#secrets.
 */
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { type TSchema, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { originsOf } from '../../../schemas/http/api-steps.ts'
import {
  type Auth,
  authFields,
  type CheckConfig,
  type Header,
  isSecretHeader,
  mapSecrets,
  type NamedList,
  namedLists
} from '../../../schemas/http/check-config.ts'
import type { ApiConfig } from '../../../schemas/http/check-types/api.ts'
import { checkTypes, type MonitorType } from '../../../schemas/http/check-types/index.ts'
import { MASK } from '../../../schemas/http/check-words.ts'
import { faultsOf } from '../../../schemas/http/faults.ts'
import { isLocationCode } from '../../../schemas/http/private-locations.ts'
import { invalid, refuse } from '../http/errors.ts'

/** Headers that the prober sets itself. */
export const OWN_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade'
])

/** Further ones by the protocol of a type, in its list. */
const ownOfType: Partial<Record<MonitorType, RegExp>> = {
  websocket: /^sec-websocket-/,
  grpc: /^(:|grpc-|host$|content-type$|proxy-connection$)/
}

const lists = ['headers', 'metadata', 'variables'] as const satisfies readonly NamedList[]

type Seal = (plain: string, field: string) => string

export interface ChangedConfig {
  config: CheckConfig
  /** Paths of secrets in `config` that the request did not send: they stay as they were. */
  kept: string[]
}

/**
 * Puts `changes` over `before`, each field by itself, headers as a whole. `seal` seals a new
 * secret. A secret that comes back masked, as null or not at all stays as it is (sealed); one that
 * was never set is refused. A header whose name says that it holds a credential is secret, marked
 * or not.
 */
export function changedConfig(
  { type, target }: { type: MonitorType; target: string },
  before: CheckConfig,
  changes: CheckConfig,
  seal: Seal
): ChangedConfig {
  checkShape(type, changes)
  const config: CheckConfig = { ...before, ...changes }
  const kept: string[] = []
  const secrets: Secrets = {
    seal,
    keep(path, value) {
      kept.push(path)
      return value
    }
  }
  for (const at of lists) {
    const list = changes[at]
    if (list) config[at] = changedHeaders(type, at, before, list, secrets)
  }
  if (changes.password != null) {
    const there = before.password
    config.password = secretOf(changes.password, there ? () => there : undefined, 'password', 'config.password', secrets)
  }
  if (changes.auth) config.auth = changedAuth(before.auth, changes.auth, secrets)
  // Settings that the request does not name stay whole, with their secrets.
  const untouched: CheckConfig = {
    ...Object.fromEntries(lists.flatMap((at) => (before[at] && !changes[at] ? [[at, before[at]]] : []))),
    ...(before.password && changes.password === undefined && { password: before.password }),
    ...(before.auth && !changes.auth && { auth: before.auth })
  }
  mapSecrets(untouched, (value, _field, _isClear, path) => secrets.keep(`config.${path}`, value))
  if (typeof changes.ca_pem === 'string' && changes.ca_pem !== '') checkCertificate('config.ca_pem', changes.ca_pem)
  if (changes.auth) checkClientPair(changes.auth)
  const settled = type === 'http' ? config : withoutNulls(config)
  const faults = checkTypes[type].faults?.(settled, target) ?? []
  if (faults.length > 0) refuse(faults.map(({ path, rule, message }) => ({ path: `config.${path}`, rule, message })))
  return { config: settled, kept }
}

/** Null stands for the default, which is not stored. */
const withoutNulls = (config: CheckConfig): CheckConfig => Object.fromEntries(Object.entries(config).filter(([, value]) => value !== null))

const shapes = new Map<MonitorType, ReturnType<typeof Compile<TSchema>>>()

/** Compiles the shape when the first monitor of the type arrives. */
function shapeOf(type: MonitorType): ReturnType<typeof Compile<TSchema>> {
  const shape = shapes.get(type) ?? Compile<TSchema>(Type.Object({ config: checkTypes[type].config }))
  shapes.set(type, shape)
  return shape
}

function checkShape(type: MonitorType, config: CheckConfig): void {
  const shape = shapeOf(type)
  if (shape.Check({ config })) return
  refuse(shape.Errors({ config }).flatMap((error) => faultsOf(error, { config })))
}

interface Secrets {
  seal: Seal
  /** Records that the value stays, and returns it. */
  keep(path: string, value: string): string
}

function changedHeaders(type: MonitorType, at: NamedList, before: CheckConfig, headers: Header[], secrets: Secrets): Header[] {
  const word = namedLists[at]
  /** Field → its existing sealed values, in their order: headers may repeat. */
  const kept = new Map<string, (() => string)[]>()
  mapSecrets({ [at]: before[at] ?? [] }, (value, field, isClear) => {
    kept.set(field, [...(kept.get(field) ?? []), () => (isClear ? secrets.seal(value, field) : value)])
    return value
  })
  return headers.map((header, nth) => {
    const path = `config.${at}[${nth}]`
    const { name, value } = header
    const lower = name.toLowerCase()
    if (at !== 'variables' && (OWN_HEADERS.has(lower) || ownOfType[type]?.test(lower)))
      throw invalid(`${path}.name`, 'pattern', 'is a header that the prober sets')
    const field = `${word}:${lower}`
    // A mask in place of a stored secret also marks the header as secret.
    if (!isSecretHeader(header) && !(value === MASK && kept.has(field))) {
      if (value === null || value === MASK) throw invalid(`${path}.value`, 'required', `is required for a ${word} that is not secret`)
      return header
    }
    return { ...header, secret: true, value: secretOf(value, kept.get(field)?.shift(), field, `${path}.value`, secrets) }
  })
}

function changedAuth(before: Auth | undefined, auth: Auth, secrets: Secrets): Auth {
  const { type } = auth
  const { open, secret, optional } = authFields[type]
  const old = before?.type === type ? before : undefined
  for (const field of Object.keys(auth)) {
    const isKnown = field === 'type' || [...open, ...secret].some((one) => one === field)
    if (!isKnown) throw invalid(`config.auth.${field}`, 'unknown_field', `is not a field of type ${type}`)
  }
  const changed: Auth = { ...old, ...auth }
  for (const field of open) {
    if (changed[field] === undefined && field !== optional) {
      throw invalid(`config.auth.${field}`, 'required', `is required for type ${type}`)
    }
  }
  for (const field of secret) {
    const there = old?.[field]
    changed[field] = secretOf(auth[field], there ? () => there : undefined, `auth.${field}`, `config.auth.${field}`, secrets)
  }
  return changed
}

function secretOf(
  value: string | null | undefined,
  kept: (() => string) | undefined,
  field: string,
  path: string,
  secrets: Secrets
): string {
  if (value === '') throw invalid(path, 'length', 'must have at least 1; leave it out to keep what is there', { limit: 1, actual: 0 })
  if (typeof value === 'string' && value !== MASK) return secrets.seal(value, field)
  if (!kept) throw invalid(path, 'required', 'is required: there is no value to keep')
  return secrets.keep(path, kept())
}

interface Destination {
  type: MonitorType
  target: string
  config: CheckConfig
  /** Codes of the regions that check it, as chosen. */
  regions: readonly string[]
}

/**
 * A secret may only go to the place for which the person who knew it gave it. A request that
 * changes who can read the secrets must send them again. Throws VALIDATION_FAILED, `required`, with
 * the path of every secret that was to stay.
 */
export function checkKept(before: Destination, after: Destination, kept: readonly string[]): void {
  const why = otherReader(before, after)
  if (why !== null) refuse(kept.map((path) => ({ path, rule: 'required', message: `is required again, since ${why}` })))
}

/**
 * Returns why another machine, or another owner of the same machine, could now read what a check
 * sends; null if none could.
 */
function otherReader(before: Destination, after: Destination): string | null {
  if (originOf(before) !== originOf(after)) return 'the address leads to another origin'
  // Many machines serve the hosts of many people and choose by this header.
  if (hostOf(before) !== hostOf(after)) return 'the header Host names another host'
  if (tokenOriginOf(before) !== tokenOriginOf(after)) return 'the token comes from another origin'
  if (isEncrypted(before) && !isEncrypted(after)) return 'the connection is not encrypted any more'
  // Whoever runs a machine of the workspace's own reads what its prober sends.
  const added = after.regions.find((code) => isLocationCode(code) && !before.regions.includes(code))
  if (added !== undefined) return `the private location ${added} would read it, too`
  const isVerified = before.config.verify_tls ?? true
  if (!verifies(after) || !isVerified) return null
  if (after.config.verify_tls === false) return 'the certificate is not verified any more'
  return (before.config.ca_pem || null) === (after.config.ca_pem || null) ? null : 'certificates of another authority are trusted'
}

const isUrl = ({ type }: Destination): boolean => ['http', 'websocket'].includes(checkTypes[type].target.form)

/** Returns the origin of the token server; empty if there is none. */
function tokenOriginOf({ config: { auth } }: Destination): string {
  const url = auth?.token_url ?? ''
  return URL.canParse(url) ? new URL(url).origin : url
}

/** Returns the origin of a web address; for other targets, host and port as they are written. */
function originOf(to: Destination): string {
  if (!isUrl(to)) return to.target.toLowerCase()
  const { steps } = to.config as ApiConfig
  if (to.type === 'api' && steps) return originsOf(to.target, steps).join(' ')
  const { protocol, host } = new URL(to.target)
  return `${protocol}//${host}`
}

function isEncrypted(to: Destination): boolean {
  if (isUrl(to)) return ['https:', 'wss:'].includes(new URL(to.target).protocol)
  const { security, tls } = to.config
  return security === undefined ? tls !== false : security !== 'none'
}

/** Whether a connection of the check is encrypted: to the target, of a step, or for a token. */
function verifies(to: Destination): boolean {
  const { steps = [] } = to.config as ApiConfig
  const others = [tokenOriginOf(to), ...(to.type === 'api' ? steps.map(({ url }) => url) : [])]
  // An address that begins with a variable may turn out to be https.
  return isEncrypted(to) || others.some((address) => /^(https:|\{\{)/i.test(address))
}

/**
 * Returns the hosts that the headers name, as they are written; without one, that of the address.
 */
function hostOf(to: Destination): string {
  if (!isUrl(to)) return ''
  const { headers = [], steps = [] } = to.config as CheckConfig & ApiConfig
  const hosts = (list: readonly { name: string; value: string | null }[]): string[] =>
    list.flatMap(({ name, value }) => (name.toLowerCase() === 'host' && value !== null ? [value.toLowerCase()] : []))
  if (to.type === 'api') return [...new Set(steps.flatMap((step) => hosts(step.headers ?? [])))].sort().join(' ')
  return hosts(headers).at(-1) ?? new URL(to.target).host.toLowerCase()
}

function checkCertificate(path: string, pem: string): X509Certificate {
  try {
    return new X509Certificate(pem)
  } catch {
    throw invalid(path, 'pattern', 'must be a certificate in PEM')
  }
}

/** A key that stays was checked when it was first given. */
function checkClientPair({ cert_pem, key_pem }: Auth): void {
  const certificate = cert_pem === undefined ? null : checkCertificate('config.auth.cert_pem', cert_pem)
  if (!certificate || typeof key_pem !== 'string' || key_pem === MASK) return
  let key: KeyObject
  try {
    key = createPrivateKey(key_pem)
  } catch {
    throw invalid('config.auth.key_pem', 'pattern', 'must be a private key in PEM that is not encrypted')
  }
  if (!certificate.checkPrivateKey(key)) throw invalid('config.auth.key_pem', 'pattern', 'must be the key of cert_pem')
}
