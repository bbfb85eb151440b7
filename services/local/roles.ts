/**
 * The processes of a local run: which roles share a process, and the environment of each. A process
 * gets only the addresses and credentials of its own roles.
 */
import { constants, setPriority } from 'node:os'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { configVariables } from '../process/config.ts'
import { type Reader, readVariables, type Variable } from '../process/environment.ts'
import { type Child, startChild } from './child.ts'
import { type Kept, keep } from './keep.ts'
import type { Lock } from './lock.ts'
import type { LocalRegion } from './regions.ts'

/** The processes by name, with their roles. `api` never shares a process with a consumer. */
export const processes = {
  api: ['api'],
  intake: ['intake'],
  gateway: ['gateway'],
  processors: ['processors'],
  background: ['relay', 'clock', 'notifier'],
  analytics: ['analytics'],
  'prober-eu-central': ['prober'],
  'prober-us-east': ['prober'],
  'prober-ap-south': ['prober']
} as const satisfies Record<string, readonly string[]> & Record<`prober-${LocalRegion}`, readonly ['prober']>
export type ProcessName = keyof typeof processes
export const processNames = Object.keys(processes) as ProcessName[]

export interface RoleAddresses {
  kafkaBrokers: string[]
  registryUrl: string
  tenantUrl: string
  systemUrl: string
  publicUrl: string
  host: string
  dataDir: string
  apiPort: number
  intakePort: number
  gatewayPort: number
  metricsPorts: Record<ProcessName, number>
  /** The key that seals secrets of workspaces. */
  secretsKey: string
  analyticsUrl: string
  /** The token of the prober of each region. */
  proberTokens: Record<LocalRegion, string>
  /**
   * The listeners of this run as host:port. No check may reach them, whatever networks are open.
   */
  ownListeners: string[]
}

const READY_MS = 60_000
const STOP_MS = 17_000 // A role stops waiting after 15 s by itself.

const tenantSide: readonly ProcessName[] = ['api', 'intake', 'gateway']
const systemSide: readonly ProcessName[] = ['processors', 'background']
/**
 * The networks that the operator opens, for all probers of the run and for the api, which checks
 * the addresses that people enter. They may also be in a file, as every text value.
 */
const OPEN_NETWORKS = 'PROBER_ALLOW_CIDRS'
/** Addresses of the proxy in front of intake and gateway, which is the api. */
const OWN_PROXY = ['127.0.0.1', '::1']
const ours = /^(SERVICE_(POSTGRES|PROBER|SECRETS|ANALYTICS)_|npm_)/

/** The variables that no role of a process reads. Each may also be given as NAME_FILE. */
function unreadBy(name: ProcessName): ReadonlySet<string> {
  const roles: readonly Reader[] = processes[name]
  const unread = Object.values<Variable>(configVariables).filter(({ readers }) => !roles.some((role) => readers.includes(role)))
  return new Set(unread.flatMap((variable) => [variable.name, `${variable.name}_FILE`]))
}

/** If the file that names them cannot be read, the api does not start and says so. */
const trustedProxiesOf = (base: NodeJS.ProcessEnv): readonly string[] =>
  readVariables(base, { trusted: configVariables.trustedProxies }).values.trusted

/**
 * Returns the environment of one process: that of the supervisor without what only others read, and
 * what this process needs.
 */
export function environmentOf(name: ProcessName, addresses: RoleAddresses, base: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  const unread = unreadBy(name)
  const inherited = Object.entries(base).filter(([key]) => !ours.test(key) && !unread.has(key))
  const common = {
    NODE_ENV: 'production',
    ...Object.fromEntries(inherited),
    SERVICE_SUPERVISED: '1',
    SERVICE_DATA_DIR: addresses.dataDir,
    SERVICE_HOST: addresses.host,
    SERVICE_PUBLIC_URL: addresses.publicUrl,
    SERVICE_METRICS_PORT: String(addresses.metricsPorts[name])
  }
  if (name.startsWith('prober-')) {
    const region = name.slice('prober-'.length) as LocalRegion
    return {
      ...common,
      SERVICE_INSTANCE: `local-${region}`,
      SERVICE_PROBER_URL: `http://127.0.0.1:${addresses.apiPort}`,
      SERVICE_PROBER_TOKEN: addresses.proberTokens[region],
      SERVICE_PROBER_BLOCK: addresses.ownListeners.join(',')
    }
  }
  return {
    ...common,
    SERVICE_API_PORT: String(addresses.apiPort),
    SERVICE_INTAKE_PORT: String(addresses.intakePort),
    SERVICE_GATEWAY_PORT: String(addresses.gatewayPort),
    SERVICE_SCHEMA_REGISTRY_URL: addresses.registryUrl,
    SERVICE_KAFKA_BROKERS: name === 'api' ? '' : addresses.kafkaBrokers.join(','),
    ...(tenantSide.includes(name) && { SERVICE_POSTGRES_TENANT_URL: addresses.tenantUrl }),
    ...(systemSide.includes(name) && { SERVICE_POSTGRES_SYSTEM_URL: addresses.systemUrl }),
    ...((name === 'api' || name === 'analytics') && { SERVICE_ANALYTICS_URL: addresses.analyticsUrl }),
    ...((name === 'api' || name === 'intake' || name === 'background') && { SERVICE_SECRETS_KEY: addresses.secretsKey }),
    ...((name === 'api' || name === 'background') && { SERVICE_MAILBOX: 'on' }),
    ...((name === 'intake' || name === 'gateway') && {
      SERVICE_TRUSTED_PROXIES: [...OWN_PROXY, ...trustedProxiesOf(base)].join(','),
      SERVICE_TRUSTED_PROXIES_FILE: ''
    }),
    ...(name === 'api' && {
      SERVICE_PROBER_ALLOW_CIDRS: base[OPEN_NETWORKS] ?? '',
      SERVICE_PROBER_ALLOW_CIDRS_FILE: base[`${OPEN_NETWORKS}_FILE`] ?? ''
    })
  }
}

/** The same file type as this file: TypeScript under tsx, JavaScript in dist. */
const runFile = fileURLToPath(new URL(`../process/run${extname(import.meta.url)}`, import.meta.url))

interface LogLine {
  level?: number
  msg?: string
  err?: { message?: string }
}

function parse(line: string): LogLine {
  try {
    return JSON.parse(line) as LogLine
  } catch {
    return {} // Not a line of the structured log.
  }
}

const ERROR = 50
const REPEAT_MS = 10_000

/**
 * The folds make many short-lived objects. A larger nursery copies fewer of them (`npm run bench --
 * stream`).
 */
const flags: Partial<Record<ProcessName, readonly string[]>> = { processors: ['--max-semi-space-size=64'] }

/**
 * Processes whose work can wait while a page is on its way. On a shared machine the others run
 * first.
 */
const patient: readonly ProcessName[] = ['analytics']
const LOWER = constants.priority.PRIORITY_BELOW_NORMAL

/**
 * Starts a process and keeps it running. Errors in its log go to `tell`, one line each, and
 * repeated ones at most every 10 s.
 */
export function keepRole(name: ProcessName, addresses: RoleAddresses, lock: Pick<Lock, 'note'>, tell: (line: string) => void): Kept {
  const logFile = join(addresses.dataDir, 'logs', `${name}.log`)
  const told = new Map<string, number>()
  const readiness = new WeakMap<Child, Promise<void>>()
  const onLine = (line: string, becameReady: () => void): void => {
    const { level = 0, msg = '', err } = parse(line)
    if (msg === 'ready') becameReady()
    if (level < ERROR) return
    const text = `${name}: ${msg}${err?.message ? `: ${err.message.split('\n')[0]}` : ''}`
    const now = Date.now()
    if (now - (told.get(text) ?? 0) < REPEAT_MS) return
    if (told.size > 100) told.clear()
    told.set(text, now)
    tell(text)
  }
  return keep({
    name,
    logFile,
    async start() {
      let becameReady = (): void => undefined
      const ready = new Promise<void>((resolve) => {
        becameReady = resolve
      })
      const child = await startChild({
        command: process.execPath,
        args: [...process.execArgv, ...(flags[name] ?? []), runFile, ...processes[name]],
        env: environmentOf(name, addresses),
        logFile,
        leash: 'stdin',
        onLine: (line) => onLine(line, becameReady)
      })
      readiness.set(child, ready)
      if (patient.includes(name)) setPriority(child.pid, LOWER)
      return child
    },
    ready: (child, ended) =>
      Promise.race([
        readiness.get(child),
        new Promise<never>((_, reject) => {
          ended.addEventListener('abort', () => reject(new Error('it ended')), { once: true })
        })
      ]),
    stopSignal: 'SIGTERM',
    stopMs: STOP_MS,
    readyMs: READY_MS,
    lastWords: () => '',
    onPid: (pid) => lock.note(name, pid),
    tell
  })
}

/**
 * Waits at most `ms` until the process reports that all of its parts work, and returns whether it
 * did.
 */
export async function healthy(metricsPort: number, ms: number): Promise<boolean> {
  const deadline = Date.now() + ms
  for (;;) {
    // Asked again below.
    const answer = await fetch(`http://127.0.0.1:${metricsPort}/health/ready`, { signal: AbortSignal.timeout(2000) }).catch(() => null)
    await answer?.body?.cancel()
    if (answer?.ok) return true
    if (Date.now() > deadline) return false
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
