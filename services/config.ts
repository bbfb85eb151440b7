/**
 * The environment, read once: one frozen, validated object. Every fault is named at once, then the process exits with code 2.
 * Each secret may also come from a file named by NAME_FILE. Durations carry their unit in the name.
 */
import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { resolve } from 'node:path'

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
  /** Name of this instance in groups, counters and logs. */
  instance: string
  logLevel: 'fatal' | 'error' | 'warn' | 'info' | 'debug'
  kafkaSessionTimeoutMs: number
  /** Alerts a minute a workspace may send at least, whatever its plan (specification 8.4). */
  ingestFloorPerMinute: number
}

class ConfigError extends Error {}

/** Reads `environment`; throws ConfigError naming every fault at once. */
export function readConfig(environment: NodeJS.ProcessEnv = process.env): Readonly<Config> {
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
  const integer = (name: string, fallback: number, min: number, max: number): number => {
    const raw = environment[name]
    if (raw === undefined || raw === '') return fallback
    const value = Number(raw)
    if (!Number.isInteger(value) || value < min || value > max)
      faults.push(`${name}: expected a whole number from ${min} to ${max}, got "${raw}"`)
    return value
  }
  const url = (name: string, fallback: string | undefined, protocols: string[]): string => {
    const value = text(name, fallback)
    if (value === '') return value
    const parsed = URL.canParse(value) ? new URL(value) : null
    // The value itself stays out of the message: it may hold a password.
    if (!parsed || !protocols.includes(parsed.protocol))
      faults.push(`${name}: expected an address starting with ${protocols.map((p) => `${p}//`).join(' or ')}`)
    return value
  }
  const levels = ['fatal', 'error', 'warn', 'info', 'debug'] as const
  const level = environment.SERVICE_LOG_LEVEL ?? 'info'
  if (!levels.some((known) => known === level)) faults.push(`SERVICE_LOG_LEVEL: expected one of ${levels.join(', ')}, got "${level}"`)
  const kafkaBrokers = text('SERVICE_KAFKA_BROKERS')
    .split(',')
    .map((broker) => broker.trim())
    .filter(Boolean)
  for (const broker of kafkaBrokers)
    if (!/^[^\s:]+:\d{1,5}$/.test(broker)) faults.push(`SERVICE_KAFKA_BROKERS: expected host:port, got "${broker}"`)
  const apiPort = integer('SERVICE_API_PORT', 8080, 0, 65_535)
  const host = environment.SERVICE_HOST ?? '127.0.0.1'
  const postgres = ['postgres:', 'postgresql:']
  const http = ['http:', 'https:']
  const intakePort = integer('SERVICE_INTAKE_PORT', 8081, 0, 65_535)
  const gatewayPort = integer('SERVICE_GATEWAY_PORT', 8082, 0, 65_535)
  const config: Config = {
    dataDir: resolve(environment.SERVICE_DATA_DIR ?? '.data'),
    kafkaBrokers,
    topicPrefix: environment.SERVICE_TOPIC_PREFIX ?? '',
    registryUrl: url('SERVICE_SCHEMA_REGISTRY_URL', undefined, http),
    postgresUrl: url('SERVICE_POSTGRES_URL', '', postgres),
    postgresTenantUrl: url('SERVICE_POSTGRES_TENANT_URL', undefined, postgres),
    postgresSystemUrl: url('SERVICE_POSTGRES_SYSTEM_URL', undefined, postgres),
    host,
    apiPort,
    intakePort,
    gatewayPort,
    metricsPort: integer('SERVICE_METRICS_PORT', 0, 0, 65_535),
    intakeUrl: url('SERVICE_INTAKE_URL', `http://127.0.0.1:${intakePort}`, http),
    gatewayUrl: url('SERVICE_GATEWAY_URL', `http://127.0.0.1:${gatewayPort}`, http),
    publicUrl: url('SERVICE_PUBLIC_URL', `http://127.0.0.1:${apiPort}`, http).replace(/\/$/, ''),
    instance: environment.SERVICE_INSTANCE ?? `${hostname()}-${process.pid}`,
    logLevel: levels.find((known) => known === level) ?? 'info',
    kafkaSessionTimeoutMs: integer('SERVICE_KAFKA_SESSION_TIMEOUT_MS', 8000, 1500, 60_000),
    ingestFloorPerMinute: integer('SERVICE_INGEST_FLOOR_PER_MINUTE', 1000, 1000, 10_000_000)
  }
  if (faults.length > 0) throw new ConfigError(`The configuration has ${faults.length} fault(s):\n  ${faults.join('\n  ')}`)
  return Object.freeze(config)
}

/** readConfig for a process of its own: prints the faults and exits with code 2. */
export function configOrExit(): Readonly<Config> {
  try {
    return readConfig()
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exit(2)
  }
}
