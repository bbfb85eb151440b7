/**
 * What the supervisor is told by the environment: its data folder, ports, and the engines that are somebody else's. Every fault is named at once.
 */
import { resolve } from 'node:path'
import { environmentReader, HTTP, POSTGRES } from '../process/config.ts'

export const listeners = ['api', 'intake', 'gateway'] as const
export type Listener = (typeof listeners)[number]

export interface LocalOptions {
  dataDir: string
  /** Address that the roles listen on. */
  host: string
  /** Configured ports with their variables; absent ones are chosen. */
  ports: Partial<Record<Listener, { port: number; variable: string }>>
  topicPrefix: string
  /** Public base address, if one stands before the service. */
  publicUrl: string | null
  /** Engines of one's own: an address here means that none is started. */
  kafkaBrokers: string[] | null
  registryUrl: string | null
  /** Owner's address. The other two may be given with it, else they are derived from it with passwords of the data folder. */
  postgresUrl: string | null
  postgresTenantUrl: string | null
  postgresSystemUrl: string | null
  /** Options of the broker's JVM beside ours, for example -Xmx1g: SERVICE_KAFKA_JAVA_OPTIONS, separated by spaces. */
  kafkaJavaOptions: string[]
  /** Key that seals secrets of workspaces, where it is not to be the data folder's. */
  secretsKey: string | null
}

/** Throws ConfigError. */
export function readLocalOptions(environment: NodeJS.ProcessEnv = process.env): LocalOptions {
  const { text, integer, url, brokers, finish } = environmentReader(environment)
  const optional = (name: string, protocols: string[]): string | null => url(name, '', protocols) || null
  const ports: LocalOptions['ports'] = {}
  for (const name of listeners) {
    const variable = `SERVICE_${name.toUpperCase()}_PORT`
    const port = integer(variable, 0, 0, 65_535)
    if (port > 0) ports[name] = { port, variable }
  }
  const kafkaBrokers = brokers('SERVICE_KAFKA_BROKERS', '')
  const options: LocalOptions = {
    dataDir: resolve(text('SERVICE_DATA_DIR', '.data')),
    host: text('SERVICE_HOST', '127.0.0.1'),
    ports,
    topicPrefix: text('SERVICE_TOPIC_PREFIX', ''),
    publicUrl: optional('SERVICE_PUBLIC_URL', HTTP)?.replace(/\/$/, '') ?? null,
    kafkaBrokers: kafkaBrokers.length > 0 ? kafkaBrokers : null,
    registryUrl: optional('SERVICE_SCHEMA_REGISTRY_URL', HTTP),
    postgresUrl: optional('SERVICE_POSTGRES_URL', POSTGRES),
    postgresTenantUrl: optional('SERVICE_POSTGRES_TENANT_URL', POSTGRES),
    postgresSystemUrl: optional('SERVICE_POSTGRES_SYSTEM_URL', POSTGRES),
    secretsKey: text('SERVICE_SECRETS_KEY', '') || null,
    kafkaJavaOptions: text('SERVICE_KAFKA_JAVA_OPTIONS', '').split(/\s+/).filter(Boolean)
  }
  finish()
  return options
}
