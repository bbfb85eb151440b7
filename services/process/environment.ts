/**
 * Reads settings from tables. Each variable of the environment is declared once, with its kind,
 * default, bounds and a sentence. From that come its value, the type of the value, its fault
 * messages, and its line in docs/configuration.md (services/operator/configuration-page.ts).
 */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'

export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

export const everyRole = ['api', 'intake', 'gateway', 'processors', 'relay', 'clock', 'notifier', 'analytics', 'prober'] as const
/** Who reads a variable: a role, or a command of package.json. */
export type Reader = (typeof everyRole)[number] | 'start' | 'migrate' | 'provision' | 'budget'

/** The rule that a value, or each entry of a list, must follow. */
interface Rule {
  test(text: string): boolean
  /** Appears in the fault message and on the page. */
  expected: string
  /** Whether the message repeats the value: not for secrets and long lists. */
  repeats: boolean
}

interface Declared {
  name: string
  readers: readonly Reader[]
  /** What the variable does: a sentence or two for docs/configuration.md. */
  says: string
  unit?: string
}

/**
 * A text value, which may also be in the file that NAME_FILE names. In `fallback`, `<NAME>` stands
 * for the value of a variable that is declared earlier, or for a fact of the process. Without a
 * fallback the variable is required; with a `need`, only processes with that need require it.
 */
interface Written extends Declared {
  fallback?: string
  need?: string
  rule?: Rule
}

/** Entries are separated by commas, unless `separator` says otherwise. */
interface Listed extends Written {
  separator?: RegExp
}

export type Variable =
  | (Written & { kind: 'text' | 'folder' })
  | (Written & { kind: 'url'; protocols: readonly string[]; withoutLastSlash?: true })
  | (Listed & { kind: 'urls'; protocols: readonly string[] })
  | (Listed & { kind: 'list'; lowerCase?: true })
  | (Listed & { kind: 'brokers' })
  | (Declared & { kind: 'integer'; fallback: number; min: number; max: number })
  | (Declared & { kind: 'choice'; fallback: string; of: readonly string[] })

/** Variables by the name of their value in the code. */
export type Variables = Readonly<Record<string, Variable>>

export type ValueOf<V> = V extends { kind: 'integer' }
  ? number
  : V extends { kind: 'choice'; of: readonly (infer Choice)[] }
    ? Choice
    : V extends { kind: 'list' | 'urls' | 'brokers' }
      ? string[]
      : string

export type Values<T extends Variables> = { -readonly [K in keyof T]: ValueOf<T[K]> }

export const POSTGRES = ['postgres:', 'postgresql:'] as const
export const HTTP = ['http:', 'https:'] as const
/** Joins the beginnings of addresses, for a message or for the page. */
export const beginnings = (protocols: readonly string[]): string => protocols.map((protocol) => `${protocol}//`).join(' or ')

interface Settings<T extends Variables> {
  values: Values<T>
  /** Notes another fault, found outside the tables. */
  fault(message: string): void
  /** Throws ConfigError, which names all faults, if there are any. */
  finish(): void
}

export interface Reading {
  /** The needs of this process. */
  needs?: readonly string[]
  /** Facts of the process that defaults may name. */
  facts?: Readonly<Record<string, string>>
}

/** Reads the variables of `variables`, in their order. It does not throw; `finish` does. */
export function readVariables<T extends Variables>(
  environment: NodeJS.ProcessEnv,
  variables: T,
  { needs = [], facts = {} }: Reading = {}
): Settings<T> {
  const faults: string[] = []
  const read = new Map<string, string>(Object.entries(facts))
  const fallbackOf = ({ fallback, need }: Written): string | undefined => {
    if (fallback === undefined) return need === undefined || needs.includes(need) ? undefined : ''
    return fallback.replace(/<([^>]+)>/g, (_, name: string) => read.get(name) ?? '')
  }
  const text = (variable: Written): string => {
    const { name } = variable
    const file = environment[`${name}_FILE`]
    if (file) {
      try {
        // An empty file is no setting, as an empty variable is none.
        const content = readFileSync(file, 'utf8').trim()
        if (content !== '') return content
      } catch (error) {
        faults.push(`${name}_FILE: cannot read ${file}: ${(error as Error).message}`)
        return ''
      }
    }
    const value = environment[name]
    if (value !== undefined && value !== '') return value
    const fallback = fallbackOf(variable)
    if (fallback === undefined) faults.push(`${name}: required`)
    return fallback ?? ''
  }
  const entries = (variable: Listed): string[] =>
    text(variable)
      .split(variable.separator ?? ',')
      .map((entry) => entry.trim())
      .filter(Boolean)
  const checkUrl = (name: string, value: string, protocols: readonly string[]): void => {
    const parsed = URL.canParse(value) ? new URL(value) : null
    // The value is left out of the message, because it may hold a password.
    if (!parsed || !protocols.includes(parsed.protocol)) faults.push(`${name}: expected an address starting with ${beginnings(protocols)}`)
  }
  const readOne = (variable: Variable): string | number | string[] => {
    const { name } = variable
    switch (variable.kind) {
      case 'text':
        return text(variable)
      case 'folder':
        return resolve(text(variable))
      case 'url': {
        const value = text(variable)
        if (value !== '') checkUrl(name, value, variable.protocols)
        return variable.withoutLastSlash ? value.replace(/\/$/, '') : value
      }
      case 'urls': {
        const values = entries(variable)
        for (const value of values) checkUrl(name, value, variable.protocols)
        return values
      }
      case 'list':
        return entries(variable).map((entry) => (variable.lowerCase ? entry.toLowerCase() : entry))
      case 'brokers': {
        const brokers = entries(variable)
        for (const broker of brokers) if (!/^[^\s:]+:\d{1,5}$/.test(broker)) faults.push(`${name}: expected host:port, got "${broker}"`)
        return brokers
      }
      case 'integer': {
        const { fallback, min, max } = variable
        const raw = environment[name]
        if (raw === undefined || raw === '') return fallback
        const value = Number(raw)
        if (!Number.isInteger(value) || value < min || value > max)
          faults.push(`${name}: expected a whole number from ${min} to ${max}, got "${raw}"`)
        return value
      }
      case 'choice': {
        const value = environment[name] ?? variable.fallback
        if (!variable.of.includes(value)) faults.push(`${name}: expected one of ${variable.of.join(', ')}, got "${value}"`)
        return value
      }
    }
  }
  const check = ({ name }: Declared, { test, expected, repeats }: Rule, value: readonly string[]): void => {
    const wrong = value.filter((entry) => entry !== '' && !test(entry))
    if (repeats) faults.push(...wrong.map((entry) => `${name}: expected ${expected}, got "${entry}"`))
    else if (wrong.length > 0) faults.push(`${name}: expected ${expected}`)
  }
  const values = Object.entries(variables).map(([key, variable]) => {
    const value = readOne(variable)
    read.set(variable.name, String(value))
    return [key, value] as const
  })
  for (const [key, value] of values) {
    const variable = variables[key]
    if (variable && 'rule' in variable && variable.rule) check(variable, variable.rule, [value].flat().map(String))
  }
  return {
    // Safe: each value has the type that belongs to its kind.
    values: Object.fromEntries(values) as Values<T>,
    fault: (message) => void faults.push(message),
    finish() {
      if (faults.length > 0) throw new ConfigError(`The configuration has ${faults.length} fault(s):\n  ${faults.join('\n  ')}`)
    }
  }
}
