/**
 * Checks the settings of a channel's kind by its schema and its own rules. Secrets are sealed, kept
 * or asked for again. Nothing here makes a request.
 * Source: docs/design/api/notifications.md#s8-1, docs/design/api.md#secrets.
 */
import { Compile } from 'typebox/compile'
import { MASK } from '../../../schemas/http/check-words.ts'
import { faultsOf } from '../../../schemas/http/faults.ts'
import type { Channel } from '../../channels/channel.ts'
import { mapSecrets, propertiesOf } from '../../channels/config.ts'
import { invalid, refuse } from '../http/errors.ts'

type Config = Record<string, unknown>
type Header = { name: string; value: string }

/** Stands for a secret that stays, where only its presence is checked. */
const KEPT = 'kept-kept-kept-kept'
const ROTATION_MS = 86_400_000
const MAX_ROTATION_MS = 7 * ROTATION_MS

export interface Sealing {
  seal(plain: string, field: string): string
  /** Throws if the text was not sealed for this channel. */
  open(sealed: string, field: string): string
}

/** Returns settings as people may see them. */
export function shownConfig(channel: Channel, config: Config): Config {
  const shown = mapSecrets(channel, config, () => MASK)
  if (shown.url_query === undefined) return shown
  const { url_query: _query, ...rest } = shown
  return { ...rest, url: `${String(rest.url)}?${MASK}` }
}

/**
 * People cannot change the settings of an app's channel; only the next install does. Throws
 * VALIDATION_FAILED.
 */
export function untouched(channel: Channel, before: Config, given: Config = {}): Config {
  const shown = shownConfig(channel, before)
  const changed = Object.keys(given).find((name) => given[name] !== shown[name] && given[name] !== null)
  if (changed !== undefined) throw invalid(`config.${changed}`, 'immutable', 'is written when the app is added: add it again to change it')
  return before
}

const trimmed = (value: unknown): unknown => (typeof value === 'string' ? value.trim() : value)
const masked = (value: unknown): boolean => value === null || value === MASK

const isHeaders = (value: unknown): value is Header[] =>
  Array.isArray(value) && value.every((one) => one !== null && typeof one === 'object' && typeof one.name === 'string')

/** Returns the address as it was shown, with its hidden part masked. */
const shownUrl = ({ url, url_query }: Config): string => (url_query === undefined ? String(url) : `${String(url)}?${MASK}`)

interface Merged {
  /** The complete settings; secrets that stay have KEPT in their place. */
  candidate: Config
  /** Field of a secret that stays → its sealed value. */
  kept: Map<string, string>
}

function mergedHeaders(before: unknown, given: unknown, kept: Map<string, string>): unknown {
  if (!isHeaders(given)) return given
  const there = new Map((isHeaders(before) ? before : []).map(({ name, value }) => [name.toLowerCase(), value]))
  return given.map((one, at) => {
    if (!masked(one.value) && one.value !== undefined) return one
    const old = there.get(one.name.toLowerCase())
    if (old === undefined) throw invalid(`config.headers[${at}].value`, 'required', 'is required: there is no value to keep')
    kept.set(`headers.${one.name.toLowerCase()}`, old)
    return { ...one, value: KEPT }
  })
}

function merge({ fields, config }: Channel, before: Config, given: Config, whole: boolean): Merged {
  const kept = new Map<string, string>()
  const candidate: Config = {}
  const optional = new Set(fields.filter(({ read_only }) => read_only).map(({ name }) => name))
  for (const name of new Set([...Object.keys(propertiesOf(config)), ...optional, ...Object.keys(given)])) {
    const isSecret = fields.some((field) => field.name === name && field.secret)
    const isReadOnly = optional.has(name) && !(name in propertiesOf(config))
    const value = isReadOnly ? undefined : trimmed(given[name])
    if (isReadOnly && name in given) throw invalid(`config.${name}`, 'unknown_field', 'is not a field that is set')
    if (isSecret && isHeaders(before[name] ?? value ?? [])) {
      const headers = value === undefined && !(whole && name in before && !(name in given)) ? before[name] : value
      const same = value === undefined && isHeaders(before[name]) ? before[name].map((one) => ({ ...one, value: MASK })) : headers
      if (same !== undefined && same !== null) candidate[name] = mergedHeaders(before[name], same, kept)
    } else if (isSecret && (value === undefined || masked(value))) {
      const old = before[name]
      if (typeof old === 'string') {
        kept.set(name, old)
        candidate[name] = KEPT
      } else if (value === MASK) throw invalid(`config.${name}`, 'required', 'is required: there is no value to keep')
    } else if (value === null) continue
    else if (value !== undefined) candidate[name] = value
    else if (!whole && before[name] !== undefined) candidate[name] = before[name]
  }
  return { candidate, kept }
}

function checkShape(channel: Channel, candidate: Config, kept: ReadonlyMap<string, string>): void {
  const known = propertiesOf(channel.config)
  const judged = Object.fromEntries(
    Object.entries(candidate).filter(([name]) => name in known || !channel.fields.some((field) => field.name === name))
  )
  const validator = Compile(channel.config)
  if (validator.Check(judged)) return
  const faults = validator
    .Errors(judged)
    .flatMap((error) => faultsOf(error, judged))
    .filter(({ path }) => !kept.has(path ?? ''))
    .map((fault) => ({ ...fault, path: fault.path === undefined || fault.path === '' ? 'config' : `config.${fault.path}` }))
  refuse(faults)
}

const originOf = (value: unknown): string => (typeof value === 'string' && URL.canParse(value) ? new URL(value).origin : '')

/** Whether the settings lead to another origin, or to another customer of the vendor. */
const hasMoved = ({ fields }: Channel, before: Config, after: Config): boolean =>
  fields.some(
    ({ name, origin, secret, host }) =>
      (origin && !secret && originOf(before[name]) !== originOf(after[name])) ||
      (host && before[name] !== undefined && before[name] !== after[name])
  )

/**
 * A secret may only go to the place for which the person who knew it gave it. Returns the settings
 * without the secrets that nobody can enter again. Throws VALIDATION_FAILED for those that people
 * must enter again.
 */
function movedConfig({ fields }: Channel, config: Config, kept: ReadonlyMap<string, string>): Config {
  const dropped = new Set(fields.filter(({ name, read_only }) => read_only && kept.has(name)).map(({ name }) => name))
  const asked = [...kept.keys()].filter((field) => !dropped.has(field))
  refuse(
    asked.map((field) => ({
      path: `config.${field}`,
      rule: 'required',
      message: 'is required again, since the address leads to another origin'
    }))
  )
  return Object.fromEntries(Object.entries(config).filter(([name]) => !dropped.has(name)))
}

function withoutOldSecret(sealed: Config): Config {
  const { secret_previous: _previous, secret_previous_expires_at: _until, ...rest } = sealed
  return rest
}

/** Replaces a secret with a new one; for a while the old one signs beside it. */
function rotate(before: Config, given: Config, sealed: Config, now: number, { seal, open }: Sealing): Config {
  const asked = given.secret_previous_expires_at
  const until = asked ?? before.secret_previous_expires_at
  if (typeof until === 'string' && !(Date.parse(until) <= now + MAX_ROTATION_MS))
    throw invalid('config.secret_previous_expires_at', 'max', 'must be at most 7 days ahead')
  const old = before.secret
  const isNew = typeof old === 'string' && typeof sealed.secret === 'string' && sealed.secret !== old
  if (isNew)
    return {
      ...sealed,
      secret_previous: seal(open(old, 'secret'), 'secret_previous'),
      secret_previous_expires_at: typeof asked === 'string' ? asked : new Date(now + ROTATION_MS).toISOString()
    }
  const goesOn = sealed.secret !== undefined && typeof until === 'string' && Date.parse(until) > now
  if (goesOn) return { ...sealed, secret_previous_expires_at: until }
  return withoutOldSecret(sealed)
}

/**
 * Puts `given` over `before` (null: a new channel). `whole`: settings that are not given are
 * removed, except secrets. Throws VALIDATION_FAILED with the path of each fault. `now` in epoch ms.
 */
export function changedChannelConfig(
  channel: Channel,
  before: Config | null,
  given: Config,
  sealing: Sealing,
  { whole, now }: { whole: boolean; now: number }
): Config {
  const there = before ?? {}
  const hides = 'url' in given && 'url_query' in there && trimmed(given.url) === shownUrl(there)
  const asked = hides ? { ...given, url: there.url } : given
  const { candidate, kept } = merge(channel, there, asked, whole)
  // A new address replaces the hidden part of the old one, too.
  if ('url_query' in there && given.url !== undefined && !hides) {
    kept.delete('url_query')
    delete candidate.url_query
  }
  checkShape(channel, candidate, kept)
  const known = Object.fromEntries(Object.entries(candidate).filter(([name]) => !kept.has(name)))
  const fault = channel.check?.(known, [...kept.keys()])
  if (fault) throw invalid(`config.${fault.path}`, fault.rule, fault.message)
  const normal = { ...candidate, ...(channel.normalise?.(known) ?? {}) }
  const moved = before !== null && hasMoved(channel, before, normal)
  const sealed = mapSecrets(
    channel,
    moved ? movedConfig(channel, normal, kept) : normal,
    (value, field) => kept.get(field) ?? sealing.seal(value, field)
  )
  if (!('secret' in propertiesOf(channel.config))) return sealed
  // An old secret does not sign to another origin.
  return moved ? withoutOldSecret(sealed) : rotate(there, asked, sealed, now, sealing)
}
