/**
 * Reads the files of compose/ as data, and the code's own names, ports, paths and metrics. Both
 * come from the sources, so no list is kept by hand.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { projectRoot } from '../../schemas/files.ts'
import { localVariables } from '../../services/local/options.ts'
import { readProberSettings } from '../../services/prober/settings.ts'
import { ConfigError, type Need, readConfig } from '../../services/process/config.ts'
import { createMetrics } from '../../services/process/metrics.ts'

export interface Service {
  image?: string
  command?: string[]
  entrypoint?: string[]
  environment?: Record<string, string | number>
  secrets?: string[]
  networks?: string[]
  volumes?: string[]
  depends_on?: Record<string, object>
  deploy?: { replicas?: number }
  read_only?: boolean
  user?: string
  cap_drop?: string[]
  security_opt?: string[]
  sysctls?: Record<string, string>
  restart?: string
  mem_limit?: string
  cpus?: number
  stop_grace_period?: string
  logging?: object
  healthcheck?: { test?: string[]; disable?: boolean }
}

export interface Stack {
  services: Record<string, Service>
  networks: Record<string, object>
  volumes: Record<string, object>
  secrets: Record<string, { file: string }>
}

export const composeFile = (name: string): string => readFileSync(join(projectRoot, 'compose', name), 'utf8')
const source = (file: string): string => readFileSync(join(projectRoot, file), 'utf8')
const isMap = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Merges two files as Compose does: maps by key, volumes by mount point; everything else is
 * replaced.
 */
function joined(base: unknown, over: unknown, key = ''): unknown {
  if (isMap(base) && isMap(over)) {
    const names = [...new Set([...Object.keys(base), ...Object.keys(over)])]
    return Object.fromEntries(
      names.map((name) => [name, name in over ? (name in base ? joined(base[name], over[name], name) : over[name]) : base[name]])
    )
  }
  if (key === 'volumes' && Array.isArray(base) && Array.isArray(over)) {
    const target = (volume: unknown): string => String(volume).split(':')[1] ?? ''
    return [...base.filter((volume) => !over.some((other) => target(other) === target(volume))), ...over]
  }
  return over
}

export const parseStack = (text: string): Stack =>
  ({ networks: {}, volumes: {}, secrets: {}, ...parse(text, { merge: true, maxAliasCount: -1 }) }) as Stack

/** Merges `over` into `base`. A service of `over` may extend one of `base`. */
export function joinStacks(base: Stack, over: Stack): Stack {
  const services = Object.fromEntries(
    Object.entries(over.services).map(([name, service]) => {
      const { extends: from, ...own } = service as Service & { extends?: { service: string } }
      return [name, from ? joined(base.services[from.service], own) : own]
    })
  )
  return joined(base, { ...over, services }) as Stack
}

/** Fills in environment variables as Compose does: `${NAME:-default}` and `${NAME:?why}`. */
export const filled = (text: string, values: Record<string, string>): string =>
  text.replace(/\$\{([A-Z_]+)(?::-([^}]*))?[^}]*\}/g, (_, name: string, fallback?: string) => values[name] || (fallback ?? ''))

/** Text of every .ts file of the product. */
const sources: readonly string[] = ['schemas', 'streams', 'services'].flatMap((folder) =>
  readdirSync(join(projectRoot, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => source(join(folder, name)))
)

/**
 * Names of the settings that the code reads through services/process/config.ts and the prober's
 * settings, including NAME_FILE where it is read.
 */
export function settings(): Set<string> {
  const asked = new Set<string>()
  const environment = new Proxy<NodeJS.ProcessEnv>({}, { get: (_, name) => void asked.add(String(name)) })
  readConfig(environment, [])
  try {
    readProberSettings(environment, 'instance')
  } catch (error) {
    // A configuration error does not matter: all names have been read by then.
    if (!(error instanceof ConfigError)) throw error
  }
  return asked
}

/** Names of the settings of a local run. */
export const localSettings = (): Set<string> => new Set(Object.values(localVariables).map(({ name }) => name))

/** Names of all environment variables that the code reads. */
export function knownVariables(): Set<string> {
  const asked = settings()
  for (const text of sources) for (const [, name = ''] of text.matchAll(/process\.env\.([A-Z][A-Z0-9_]*)/g)) asked.add(name)
  return asked
}

/** Settings that each role of services/process/run.ts requires. */
export function roleNeeds(): Map<string, Need[]> {
  const text = source('services/process/run.ts')
  const block = (name: string): string => new RegExp(`const ${name}\\b.*= \\{([\\s\\S]*?)\\n\\}`).exec(text)?.[1] ?? ''
  const names = [...block('roles').matchAll(/^ {2}([a-z]+): /gm)].map(([, name = '']) => name)
  const needs = new Map(
    [...block('needs').matchAll(/^ {2}([a-z]+): \[(.*)\]/gm)].map(([, name = '', list = '']) => [name, list.match(/[a-z]+/g) ?? []])
  )
  return new Map(names.map((name) => [name, (needs.get(name) ?? []) as Need[]]))
}

/** The variable behind a need: the one that readConfig reports as missing. */
export function variableOf(need: Need): string {
  try {
    readConfig({}, [need])
  } catch (error) {
    if (error instanceof ConfigError) return /^ {2}([A-Z_]+): required/m.exec(error.message)?.[1] ?? ''
    throw error
  }
  return ''
}

/** The most connections to Postgres that an instance of a role opens. */
export function connectionsOf(role: string): number {
  const text = source(`services/${role}/main.ts`)
  const figure = (word: string): number => Number(/^\d+$/.test(word) ? word : new RegExp(`const ${word} = (\\d+)`).exec(text)?.[1])
  return [...text.matchAll(/createPool\([\s\S]*?\bmax: (\w+)/g)].reduce((sum, [, word = '']) => sum + figure(word), 0)
}

/** Metrics by name, with their kind, including those of the process itself. */
export function exportedMetrics(): Map<string, string> {
  const found = new Map<string, string>()
  for (const text of sources)
    for (const [, kind = '', name = ''] of text.matchAll(/\b(counter|gauge|histogram)\(\s*'(service_[a-z0-9_]+)'/g)) found.set(name, kind)
  for (const { name } of createMetrics().registry.getMetricsAsArray()) found.set(name, 'of the process')
  return found
}

/** Paths that a process answers on its internal listener. */
export const internalPaths = (): string[] =>
  [...source('services/process/metrics.ts').matchAll(/path === '([^']+)'/g)].map(([, path = '']) => path)

/**
 * The internal path that tells whether the service serves a host name. Any other path that answers
 * 200 would let Caddy get certificates for every name.
 */
export const domainPath = (): string =>
  /path === '([^']+)'\) \{\s*response\.writeHead\(options\.serves/.exec(source('services/process/metrics.ts'))?.[1] ?? ''

export interface Front {
  /** Path patterns by the matcher's name. */
  paths: Record<string, string[]>
  /** Service and port by the matcher's name; '' is for paths that no matcher takes. */
  upstreams: Record<string, { service: string; port: number }>
  /** Ports of listeners without TLS. */
  listeners: number[]
  /** The URL that Caddy asks before it gets a certificate. */
  ask: string
}

export function parseCaddyfile(text: string): Front {
  const lines = text.replace(/^\s*#.*$/gm, '')
  const paths = Object.fromEntries(
    [...lines.matchAll(/@(\w+) path (.+)/g)].map(([, name = '', list = '']) => [name, list.trim().split(/\s+/)])
  )
  const handles = [...lines.matchAll(/handle (?:@(\w+) )?\{[\s\S]*?dynamic a (\S+) (\d+)/g)]
  const upstreams = Object.fromEntries(handles.map(([, name = '', service = '', port]) => [name, { service, port: Number(port) }]))
  const listeners = [...lines.matchAll(/^http:\/\/:(\d+) \{/gm)].map(([, port]) => Number(port))
  return { paths, upstreams, listeners, ask: /^\s*ask (\S+)$/m.exec(lines)?.[1] ?? '' }
}

/** Name of the proxy's matcher that takes a path; '' for none. */
export function takerOf({ paths }: Front, path: string): string {
  const fits = (pattern: string): boolean => (pattern.endsWith('*') ? path.startsWith(pattern.slice(0, -1)) : path === pattern)
  return Object.entries(paths).find(([, patterns]) => patterns.some(fits))?.[0] ?? ''
}
