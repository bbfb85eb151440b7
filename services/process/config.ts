/**
 * The environment, read once: one frozen, validated object. Every fault is named at once, then the process exits with code 2.
 * Each secret may also come from a file named by NAME_FILE. Durations carry their unit in the name.
 */
import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join, resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { parseNetwork } from '../http/networks.ts'

export interface Config {
  /** Folder of embedded engines, secrets and access.json. */
  dataDir: string
  kafkaBrokers: string[]
  /** Put before every topic and group name; empty in production. Tests share one broker by it. */
  topicPrefix: string
  registryUrl: string
  /** Owner of the schema: the migrate step alone uses it. */
  postgresUrl: string
  /** Role service_tenant: row-level security applies. Used by api, intake and gateway. */
  postgresTenantUrl: string
  /** Role service_system. Used by processors, relay, clock and notifier. */
  postgresSystemUrl: string
  host: string
  apiPort: number
  intakePort: number
  gatewayPort: number
  /** Internal listener of this process for /metrics and /health; 0 takes a free port. */
  metricsPort: number
  /** Where api finds the two other doors in a local run; a cluster's proxy routes by path instead. */
  intakeUrl: string
  gatewayUrl: string
  /** Public address that links and sender instructions are made of. */
  publicUrl: string
  /** Further host names that lead here: the proxy in front has certificates made for them on demand. Lower case. */
  domains: string[]
  /** Seals secrets of workspaces at rest (services/credentials/sealing.ts): 64 hex characters; empty where a role needs none. */
  secretsKey: string
  /** A ClickHouse server, or the replicas of a cluster; none: the engine in the process of analytics, its data in dataDir/clickhouse. */
  clickhouseUrls: string[]
  /** Name of the cluster of replicas, as its servers' configuration has it; empty: one server. */
  clickhouseCluster: string
  /** Where analytics answers questions: `unix:/path` or an http address, which needs the secret. */
  analyticsUrl: string
  /** Bearer between api and analytics over TCP; empty over a socket file. */
  analyticsSecret: string
  /** Networks that the operator opens to the probers: the api lets monitors name addresses in them. Who connects is judged by each prober. */
  proberAllowCidrs: string[]
  /** Networks whose hosts are proxies of ours: what they say in X-Forwarded-For is the sender's address to api, intake and gateway. */
  trustedProxies: string[]
  /** Name of this instance in groups, counters and logs. */
  instance: string
  logLevel: 'fatal' | 'error' | 'warn' | 'info' | 'debug'
  kafkaSessionTimeoutMs: number
  /** Alerts a minute a workspace may send at least, whatever its plan (specification 8.4). */
  ingestFloorPerMinute: number
}

/** What a process must be told to do its work; what it does not need may be missing, so that it is handed no more than that. */
export type Need = 'kafka' | 'registry' | 'tenant' | 'system' | 'owner'

export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

/** Reads variables and collects what is wrong with them. */
export interface EnvironmentReader {
  /** Value of NAME, or the content of the file that NAME_FILE names. Without a fallback it is required. */
  text(name: string, fallback?: string): string
  /** What stands between commas; empty when it is not set. */
  list(name: string): string[]
  integer(name: string, fallback: number, min: number, max: number): number
  url(name: string, fallback: string | undefined, protocols: string[]): string
  /** Addresses between commas; none when it is not set. */
  urls(name: string, protocols: string[]): string[]
  brokers(name: string, fallback?: string): string[]
  /** Notes what else is wrong. */
  fault(message: string): void
  oneOf<T extends string>(name: string, known: readonly T[], fallback: T): T
  /** Throws ConfigError naming every fault at once. */
  finish(): void
}

/** A name of DNS with a dot in it, others than ASCII as xn--…: no address, port, path or wildcard. At most 253 characters, 63 a label (RFC 1035, 2.3.4). */
const isDomain = (text: string): boolean =>
  text.length <= 253 && /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])$/.test(text)

export const POSTGRES = ['postgres:', 'postgresql:']
export const HTTP = ['http:', 'https:']

export function environmentReader(environment: NodeJS.ProcessEnv): EnvironmentReader {
  const faults: string[] = []
  const text = (name: string, fallback?: string): string => {
    const file = environment[`${name}_FILE`]
    if (file) {
      try {
        return readFileSync(file, 'utf8').trim()
      } catch (error) {
        faults.push(`${name}_FILE: cannot read ${file}: ${(error as Error).message}`)
        return ''
      }
    }
    const value = environment[name] ?? fallback
    if (value === undefined || value === '') {
      if (fallback === undefined) faults.push(`${name}: required`)
      return fallback ?? ''
    }
    return value
  }
  const entries = (value: string): string[] =>
    value
      .split(',')
      .map((entry) => entry.trim())
      .filter(Boolean)
  const list = (name: string): string[] => entries(text(name, ''))
  const checkUrl = (name: string, value: string, protocols: string[]): void => {
    const parsed = URL.canParse(value) ? new URL(value) : null
    // The value itself stays out of the message: it may hold a password.
    if (!parsed || !protocols.includes(parsed.protocol))
      faults.push(`${name}: expected an address starting with ${protocols.map((p) => `${p}//`).join(' or ')}`)
  }
  return {
    text,
    list,
    integer(name, fallback, min, max) {
      const raw = environment[name]
      if (raw === undefined || raw === '') return fallback
      const value = Number(raw)
      if (!Number.isInteger(value) || value < min || value > max)
        faults.push(`${name}: expected a whole number from ${min} to ${max}, got "${raw}"`)
      return value
    },
    url(name, fallback, protocols) {
      const value = text(name, fallback)
      if (value !== '') checkUrl(name, value, protocols)
      return value
    },
    urls(name, protocols) {
      const values = list(name)
      for (const value of values) checkUrl(name, value, protocols)
      return values
    },
    brokers(name, fallback) {
      const brokers = entries(text(name, fallback))
      for (const broker of brokers) if (!/^[^\s:]+:\d{1,5}$/.test(broker)) faults.push(`${name}: expected host:port, got "${broker}"`)
      return brokers
    },
    oneOf(name, known, fallback) {
      const value = environment[name] ?? fallback
      const found = known.find((candidate) => candidate === value)
      if (found === undefined) faults.push(`${name}: expected one of ${known.join(', ')}, got "${value}"`)
      return found ?? fallback
    },
    fault(message) {
      faults.push(message)
    },
    finish() {
      if (faults.length > 0) throw new ConfigError(`The configuration has ${faults.length} fault(s):\n  ${faults.join('\n  ')}`)
    }
  }
}

/** Reads `environment`; throws ConfigError naming every fault at once. Addresses that are not in `needs` may be missing and are then empty. */
export function readConfig(
  environment: NodeJS.ProcessEnv = process.env,
  needs: readonly Need[] = ['kafka', 'registry', 'tenant', 'system']
): Readonly<Config> {
  const { text, list, integer, url, urls, brokers, oneOf, fault, finish } = environmentReader(environment)
  const fallback = (need: Need): string | undefined => (needs.includes(need) ? undefined : '')
  const apiPort = integer('SERVICE_API_PORT', 8080, 0, 65_535)
  const intakePort = integer('SERVICE_INTAKE_PORT', 8081, 0, 65_535)
  const gatewayPort = integer('SERVICE_GATEWAY_PORT', 8082, 0, 65_535)
  const dataDir = resolve(text('SERVICE_DATA_DIR', '.data'))
  const config: Config = {
    dataDir,
    kafkaBrokers: brokers('SERVICE_KAFKA_BROKERS', fallback('kafka')),
    topicPrefix: text('SERVICE_TOPIC_PREFIX', ''),
    registryUrl: url('SERVICE_SCHEMA_REGISTRY_URL', fallback('registry'), HTTP),
    postgresUrl: url('SERVICE_POSTGRES_URL', fallback('owner'), POSTGRES),
    postgresTenantUrl: url('SERVICE_POSTGRES_TENANT_URL', fallback('tenant'), POSTGRES),
    postgresSystemUrl: url('SERVICE_POSTGRES_SYSTEM_URL', fallback('system'), POSTGRES),
    host: text('SERVICE_HOST', '127.0.0.1'),
    apiPort,
    intakePort,
    gatewayPort,
    metricsPort: integer('SERVICE_METRICS_PORT', 0, 0, 65_535),
    intakeUrl: url('SERVICE_INTAKE_URL', `http://127.0.0.1:${intakePort}`, HTTP),
    gatewayUrl: url('SERVICE_GATEWAY_URL', `http://127.0.0.1:${gatewayPort}`, HTTP),
    publicUrl: url('SERVICE_PUBLIC_URL', `http://127.0.0.1:${apiPort}`, HTTP).replace(/\/$/, ''),
    domains: list('SERVICE_DOMAINS').map((domain) => domain.toLowerCase()),
    secretsKey: text('SERVICE_SECRETS_KEY', ''),
    clickhouseUrls: urls('SERVICE_CLICKHOUSE_URL', HTTP),
    clickhouseCluster: text('SERVICE_CLICKHOUSE_CLUSTER', ''),
    analyticsUrl: url('SERVICE_ANALYTICS_URL', `unix:${dataDir}/analytics.sock`, [...HTTP, 'unix:']),
    analyticsSecret: text('SERVICE_ANALYTICS_SECRET', ''),
    proberAllowCidrs: list('SERVICE_PROBER_ALLOW_CIDRS'),
    trustedProxies: list('SERVICE_TRUSTED_PROXIES'),
    instance: text('SERVICE_INSTANCE', `${hostname()}-${process.pid}`),
    logLevel: oneOf('SERVICE_LOG_LEVEL', ['fatal', 'error', 'warn', 'info', 'debug'], 'info'),
    kafkaSessionTimeoutMs: integer('SERVICE_KAFKA_SESSION_TIMEOUT_MS', 8000, 1500, 60_000),
    ingestFloorPerMinute: integer('SERVICE_INGEST_FLOOR_PER_MINUTE', 1000, 1000, 10_000_000)
  }
  // Neither is repeated: the one is a secret, the other may be long.
  if (config.secretsKey !== '' && !/^[0-9a-f]{64}$/i.test(config.secretsKey)) fault('SERVICE_SECRETS_KEY: expected 64 hex characters')
  for (const domain of config.domains)
    if (!isDomain(domain)) fault(`SERVICE_DOMAINS: expected host names such as status.example.com, got "${domain}"`)
  if (!config.proberAllowCidrs.every((network) => parseNetwork(network)))
    fault('SERVICE_PROBER_ALLOW_CIDRS: expected networks such as 10.0.0.0/8')
  if (!config.trustedProxies.every((network) => parseNetwork(network)))
    fault('SERVICE_TRUSTED_PROXIES: expected networks such as 172.30.0.0/24')
  // It stands in statements, where no parameter can.
  if (!/^[A-Za-z0-9_-]*$/.test(config.clickhouseCluster))
    fault('SERVICE_CLICKHOUSE_CLUSTER: expected letters, digits, underscores and hyphens')
  if (config.clickhouseCluster !== '' && config.clickhouseUrls.length === 0)
    fault('SERVICE_CLICKHOUSE_CLUSTER: expected SERVICE_CLICKHOUSE_URL beside it')
  if (config.clickhouseCluster === '' && config.clickhouseUrls.length > 1)
    fault('SERVICE_CLICKHOUSE_URL: expected one address, or SERVICE_CLICKHOUSE_CLUSTER beside several')
  if (!config.analyticsUrl.startsWith('unix:') && config.analyticsSecret.length < 16)
    fault('SERVICE_ANALYTICS_SECRET: expected at least 16 characters, since SERVICE_ANALYTICS_URL is no socket file')
  finish()
  return Object.freeze(config)
}

/** readConfig for a process of its own: prints the faults and exits with code 2. */
export function configOrExit(needs?: readonly Need[]): Readonly<Config> {
  try {
    return readConfig(process.env, needs)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exit(2)
  }
}

/** Addresses of a running local stack, which it writes for this and other tools; the environment comes first. */
export const ENGINES_FILE = 'engines.env'

/** The environment of a tool that a person runs beside the service: what is not in it comes from the file of the local stack, where there is one. */
export function localEnvironment(): NodeJS.ProcessEnv {
  const folder = process.env.SERVICE_DATA_DIR ?? '.data'
  try {
    return { ...parseEnv(readFileSync(join(folder, ENGINES_FILE), 'utf8')), ...process.env }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return process.env
    throw error
  }
}
