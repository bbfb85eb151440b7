/**
 * Reads the supervisor's settings from the environment: its data folder, ports, and the engines
 * that already exist elsewhere. All errors are reported at once.
 */
import { configVariables } from '../process/config.ts'
import { readVariables, type Variables } from '../process/environment.ts'

export const listeners = ['api', 'intake', 'gateway'] as const
export type Listener = (typeof listeners)[number]

const readers = ['start'] as const
/** When nothing is set, the run decides. */
const unset = { fallback: '', readers } as const
const port = (listener: Listener) =>
  ({
    ...configVariables[`${listener}Port`],
    fallback: 0,
    readers,
    says: `Port of \`${listener}\`. With 0 the local run chooses a port.`
  }) as const

export const localVariables = {
  dataDir: {
    ...configVariables.dataDir,
    readers,
    says: 'Folder of everything that the local run keeps: engines, secrets, logs and `access.json`.'
  },
  host: { ...configVariables.host, readers },
  apiPort: port('api'),
  intakePort: port('intake'),
  gatewayPort: port('gateway'),
  topicPrefix: { ...configVariables.topicPrefix, readers },
  publicUrl: { ...configVariables.publicUrl, ...unset, says: 'Public base address of the service, when a proxy stands in front of it.' },
  kafkaBrokers: {
    ...configVariables.kafkaBrokers,
    ...unset,
    says: 'Existing Kafka brokers. The local run uses them and starts no broker.'
  },
  registryUrl: {
    ...configVariables.registryUrl,
    ...unset,
    says: 'Address of an existing schema registry. The local run uses it and starts none.'
  },
  postgresUrl: {
    ...configVariables.postgresUrl,
    ...unset,
    says: 'Address of an existing database for its owner. The local run uses it and starts no Postgres.'
  },
  postgresTenantUrl: {
    ...configVariables.postgresTenantUrl,
    ...unset,
    says: 'Optional with `SERVICE_POSTGRES_URL`. When empty, it is made from the owner’s address and a password in the data folder.'
  },
  postgresSystemUrl: {
    ...configVariables.postgresSystemUrl,
    ...unset,
    says: 'Optional like `SERVICE_POSTGRES_TENANT_URL`, and made in the same way.'
  },
  // The roles check its form.
  secretsKey: {
    name: configVariables.secretsKey.name,
    kind: 'text',
    ...unset,
    says: 'Key that encrypts the secrets of workspaces. It replaces the key in the data folder.'
  },
  kafkaJavaOptions: {
    name: 'SERVICE_KAFKA_JAVA_OPTIONS',
    kind: 'list',
    separator: /\s+/,
    ...unset,
    says: 'More options for the JVM of the broker of the local run, with spaces between them, for example `-Xmx1g`.'
  }
} as const satisfies Variables

export interface LocalOptions {
  dataDir: string
  /** The address that the roles listen on. */
  host: string
  /** The configured ports, each with its variable. The run chooses those that are missing. */
  ports: Partial<Record<Listener, { port: number; variable: string }>>
  topicPrefix: string
  /** The public base address, if a proxy stands in front of the service. */
  publicUrl: string | null
  /** Existing engines: an engine that has an address here is not started. */
  kafkaBrokers: string[] | null
  registryUrl: string | null
  /**
   * The owner's address. The other two may be set with it; otherwise they are derived from it with
   * passwords of the data folder.
   */
  postgresUrl: string | null
  postgresTenantUrl: string | null
  postgresSystemUrl: string | null
  /** More options for the broker's JVM. */
  kafkaJavaOptions: string[]
  /** The key that seals secrets of workspaces. Null: the key of the data folder. */
  secretsKey: string | null
}

/** Throws ConfigError. */
export function readLocalOptions(environment: NodeJS.ProcessEnv = process.env): LocalOptions {
  const { values, finish } = readVariables(environment, localVariables)
  finish()
  const ports: LocalOptions['ports'] = {}
  for (const name of listeners) {
    const port = values[`${name}Port`]
    if (port > 0) ports[name] = { port, variable: localVariables[`${name}Port`].name }
  }
  return {
    dataDir: values.dataDir,
    host: values.host,
    ports,
    topicPrefix: values.topicPrefix,
    publicUrl: values.publicUrl || null,
    kafkaBrokers: values.kafkaBrokers.length > 0 ? values.kafkaBrokers : null,
    registryUrl: values.registryUrl || null,
    postgresUrl: values.postgresUrl || null,
    postgresTenantUrl: values.postgresTenantUrl || null,
    postgresSystemUrl: values.postgresSystemUrl || null,
    kafkaJavaOptions: values.kafkaJavaOptions,
    secretsKey: values.secretsKey || null
  }
}
