/**
 * What an integration may set beyond the shape of its fields: the options and the proof that its
 * source declares, the networks of its senders, and the key of its alerts. No other service is
 * asked here; all faults are reported at once, each with its path.
 * Source: docs/design/api/alerts-and-routing.md#s6-5.
 */
import { SEALED_PREFIX } from '../../../schemas/http/check-config.ts'
import { MASK } from '../../../schemas/http/check-words.ts'
import type { ErrorDetail } from '../../../schemas/http/common.ts'
import { parseNetwork } from '../../http/networks.ts'
import { hasTitle, templateFault } from '../../intake/dedup-template.ts'
import type { Setting, Source } from '../../intake/source.ts'
import { refuse } from '../http/errors.ts'

export type Settings = Readonly<Record<string, unknown>>
export type Declared = Readonly<Record<string, Setting>>

const MAX_TEXT = 2048
const MAX_SECRET = 8192
const MAX_ITEM = 256
/** Only keys in PEM have line breaks; no other setting has control characters. */
const CONTROL = /\p{Cc}/u
/** The end of a sentence that begins with the path. */
const TITLE_DIFFERS = 'has {title}, but the title of this source differs between an alert and its recovery: use {dedup_key} or labels'

/** Returns what is wrong with a value, or null. */
function faultOf(setting: Setting, value: unknown): Omit<ErrorDetail, 'path'> | null {
  switch (setting.type) {
    case 'boolean':
      return typeof value === 'boolean' ? null : { rule: 'type', message: 'must be boolean' }
    case 'choice':
      if (typeof value !== 'string') return { rule: 'type', message: 'must be string' }
      return setting.choices.includes(value) ? null : { rule: 'enum', message: `must be one of ${setting.choices.join(', ')}` }
    case 'texts': {
      if (!Array.isArray(value)) return { rule: 'type', message: 'must be array' }
      if (value.length > setting.most)
        return { rule: 'length', message: `must have at most ${setting.most}`, limit: setting.most, actual: value.length }
      const sound = value.every((item) => typeof item === 'string' && item.trim() !== '' && item.length <= MAX_ITEM && !CONTROL.test(item))
      return sound ? null : { rule: 'type', message: `must have texts of 1 to ${MAX_ITEM} characters in one line` }
    }
    case 'text':
      return textFault(setting, value)
  }
}

function textFault({ secret, pattern }: Extract<Setting, { type: 'text' }>, value: unknown): Omit<ErrorDetail, 'path'> | null {
  if (typeof value !== 'string') return { rule: 'type', message: 'must be string' }
  if (value.trim() === '') return { rule: 'length', message: 'must have at least 1; null takes it away', limit: 1, actual: 0 }
  const most = secret ? MAX_SECRET : MAX_TEXT
  if (value.length > most) return { rule: 'length', message: `must have at most ${most}`, limit: most, actual: value.length }
  if (!secret && (CONTROL.test(value) || value.startsWith(SEALED_PREFIX)))
    return { rule: 'pattern', message: 'must be a text in one line that is not sealed' }
  if (pattern !== undefined && !new RegExp(`^(?:${pattern})$`, 'u').test(value))
    return { rule: 'pattern', message: `must match ${pattern}` }
  return null
}

export interface SettingsChange {
  /** `options` or `verify`. */
  path: string
  declared: Declared
  before: Settings
  changes: Settings
  /** Seals a secret for its field, `<path>.<name>`. */
  seal(plain: string, field: string): string
}

/**
 * Puts `changes` over `before`, each setting by itself. Null removes a setting. An absent setting
 * stays, and so does a secret that comes back masked. New secrets are sealed. Throws
 * VALIDATION_FAILED with every fault; then nothing is changed.
 */
export function changedSettings({ path, declared, before, changes, seal }: SettingsChange): Record<string, unknown> {
  const faults: ErrorDetail[] = []
  const taken: [name: string, setting: Setting, value: unknown][] = []
  for (const [name, value] of Object.entries(changes)) {
    const setting = Object.hasOwn(declared, name) ? declared[name] : undefined
    const at = `${path}.${name}`
    if (!setting) {
      const known = Object.keys(declared)
      const message =
        known.length > 0 ? `is no setting of this source; it has ${known.join(', ')}` : 'is no setting of this source; it has none'
      faults.push({ path: at, rule: 'unknown_field', message })
      continue
    }
    if (value === MASK && isSecret(setting)) {
      if (!Object.hasOwn(before, name)) faults.push({ path: at, rule: 'required', message: 'is required: there is no value to keep' })
      continue
    }
    const fault = value === null ? null : faultOf(setting, value)
    if (fault) faults.push({ path: at, ...fault })
    else taken.push([name, setting, value])
  }
  refuse(faults)
  const settings: Record<string, unknown> = { ...before }
  for (const [name, setting, value] of taken) {
    if (value === null) delete settings[name]
    else settings[name] = isSecret(setting) ? seal(String(value), `${path}.${name}`) : value
  }
  return settings
}

const isSecret = (setting: Setting): boolean => setting.type === 'text' && setting.secret

/**
 * Settings as people may see them. Settings that the source no longer declares are shown, too, but
 * never a secret.
 */
export function shownSettings(declared: Declared, settings: Settings): Record<string, unknown> {
  const isHidden = (name: string, value: unknown): boolean => {
    const setting = Object.hasOwn(declared, name) ? declared[name] : undefined
    return (setting !== undefined && isSecret(setting)) || (typeof value === 'string' && value.startsWith(SEALED_PREFIX))
  }
  return Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, isHidden(name, value) ? MASK : value]))
}

/** What checkIntegration compares with. */
export interface CheckedAgainst {
  source: Pick<Source, 'title_tells_state'>
  /** The template that is stored; null: there is none. It stays valid. */
  before: string | null
}

/**
 * Checks the template and the networks of an integration. Throws VALIDATION_FAILED with every
 * fault.
 */
export function checkIntegration(
  { dedup_template, allowed_cidrs }: { dedup_template?: string | null; allowed_cidrs?: readonly string[] },
  { source, before }: CheckedAgainst
): void {
  const faults: ErrorDetail[] = []
  const isNew = dedup_template != null && dedup_template !== before
  const differs = isNew && source.title_tells_state === true && hasTitle(dedup_template)
  const fault = dedup_template == null ? null : (templateFault(dedup_template) ?? (differs ? TITLE_DIFFERS : null))
  if (fault !== null) faults.push({ path: 'dedup_template', rule: 'pattern', message: fault })
  for (const [index, text] of (allowed_cidrs ?? []).entries()) {
    if (!parseNetwork(text))
      faults.push({ path: `allowed_cidrs[${index}]`, rule: 'pattern', message: 'must be a network such as 192.0.2.0/24' })
  }
  refuse(faults)
}
