/**
 * The files of compose/ as data, and what the code says about names, ports, paths and metrics; read
 * from the code itself, so that neither is a list kept by hand.
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
 * As compose joins two files: maps by key, volumes by where they are mounted, all else is replaced.
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

/** `over` on top of `base`; a service of it may extend one of `base`. */
export function joinStacks(base: Stack, over: Stack): Stack {
  const services = Object.fromEntries(
    Object.entries(over.services).map(([name, service]) => {
      const { extends: from, ...own } = service as Service & { extends?: { service: string } }
      return [name, from ? joined(base.services[from.service], own) : own]
    })
  )
  return joined(base, { ...over, services }) as Stack
}

/**
 * As Compose fills in what a file leaves to the environment: `${NAME:-default}` and `${NAME:?why}`.
 */
export const filled = (text: string, values: Record<string, string>): string =>
  text.replace(/\$\{([A-Z_]+)(?::-([^}]*))?[^}]*\}/g, (_, name: string, fallback?: string) => values[name] || (fallback ?? ''))

/** Every .ts file of the product. */
const sources: readonly string[] = ['schemas', 'streams', 'services'].flatMap((folder) =>
  readdirSync(join(projectRoot, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => source(join(folder, name)))
)

/**
 * Names of settings that the code reads by services/process/config.ts and those of a prober,
 * NAME_FILE included where it does.
 */
export function settings(): Set<string> {
  const asked = new Set<string>()
  const environment = new Proxy<NodeJS.ProcessEnv>({}, { get: (_, name) => void asked.add(String(name)) })
  readConfig(environment, [])
  try {
    readProberSettings(environment, 'instance')
  } catch (error) {
    // Its faults do not matter: it has asked by then.
    if (!(error instanceof ConfigError)) throw error
  }
  return asked
}

/** Names of the settings of a local run. */
export const localSettings = (): Set<string> => new Set(Object.values(localVariables).map(({ name }) => name))

/** Names of all variables that the code asks its environment for. */
export function knownVariables(): Set<string> {
  const asked = settings()
  for (const text of sources) for (const [, name = ''] of text.matchAll(/process\.env\.([A-Z][A-Z0-9_]*)/g)) asked.add(name)
  return asked
}

/** What each role of services/process/run.ts must be told. */
export function roleNeeds(): Map<string, Need[]> {
  const text = source('services/process/run.ts')
  const block = (name: string): string => new RegExp(`const ${name}\\b.*= \\{([\\s\\S]*?)\\n\\}`).exec(text)?.[1] ?? ''
  const names = [...block('roles').matchAll(/^ {2}([a-z]+): /gm)].map(([, name = '']) => name)
  const needs = new Map(
    [...block('needs').matchAll(/^ {2}([a-z]+): \[(.*)\]/gm)].map(([, name = '', list = '']) => [name, list.match(/[a-z]+/g) ?? []])
  )
  return new Map(names.map((name) => [name, (needs.get(name) ?? []) as Need[]]))
}

/** The variable behind a need: the one that readConfig misses. */
export function variableOf(need: Need): string {
  try {
    readConfig({}, [need])
  } catch (error) {
    if (error instanceof ConfigError) return /^ {2}([A-Z_]+): required/m.exec(error.message)?.[1] ?? ''
    throw error
  }
  return ''
}

/** Connections to Postgres that an instance of a role opens at most. */
export function connectionsOf(role: string): number {
  const text = source(`services/${role}/main.ts`)
  const figure = (word: string): number => Number(/^\d+$/.test(word) ? word : new RegExp(`const ${word} = (\\d+)`).exec(text)?.[1])
  return [...text.matchAll(/createPool\([\s\S]*?\bmax: (\w+)/g)].reduce((sum, [, word = '']) => sum + figure(word), 0)
}

/** Metrics by name, with their kind; those of the process itself among them. */
export function exportedMetrics(): Map<string, string> {
  const found = new Map<string, string>()
  for (const text of sources)
    for (const [, kind = '', name = ''] of text.matchAll(/\b(counter|gauge|histogram)\(\s*'(service_[a-z0-9_]+)'/g)) found.set(name, kind)
  for (const { name } of createMetrics().registry.getMetricsAsArray()) found.set(name, 'of the process')
  return found
}

/** Paths that the internal listener of a process answers. */
export const internalPaths = (): string[] =>
  [...source('services/process/metrics.ts').matchAll(/path === '([^']+)'/g)].map(([, path = '']) => path)

/**
 * The one of them that says whether a host name is ours: another that answers 200 would have
 * certificates made for everybody.
 */
export const domainPath = (): string =>
  /path === '([^']+)'\) \{\s*response\.writeHead\(options\.serves/.exec(source('services/process/metrics.ts'))?.[1] ?? ''

export interface Front {
  /** Patterns by name of the matcher. */
  paths: Record<string, string[]>
  /** Service and port by name of the matcher; '' is what no matcher took. */
  upstreams: Record<string, { service: string; port: number }>
  /** Ports of plain listeners. */
  listeners: number[]
  /** Whom it asks before it has a certificate made. */
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

/** Who of the proxy's matchers takes a path; '' for none. */
export function takerOf({ paths }: Front, path: string): string {
  const fits = (pattern: string): boolean => (pattern.endsWith('*') ? path.startsWith(pattern.slice(0, -1)) : path === pattern)
  return Object.entries(paths).find(([, patterns]) => patterns.some(fits))?.[0] ?? ''
}
