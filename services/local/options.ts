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
    says: `Port of \`${listener}\`; 0 leaves the choice to the run.`
  }) as const

export const localVariables = {
  dataDir: {
    ...configVariables.dataDir,
    readers,
    says: 'Folder of everything that the run keeps: engines, secrets, logs and `access.json`.'
  },
  host: { ...configVariables.host, readers },
  apiPort: port('api'),
  intakePort: port('intake'),
  gatewayPort: port('gateway'),
  topicPrefix: { ...configVariables.topicPrefix, readers },
  publicUrl: { ...configVariables.publicUrl, ...unset, says: 'Public base address, if one stands before the service.' },
  kafkaBrokers: { ...configVariables.kafkaBrokers, ...unset, says: 'Brokers to use instead of one of its own.' },
  registryUrl: { ...configVariables.registryUrl, ...unset, says: 'Registry to use instead of one of its own.' },
  postgresUrl: { ...configVariables.postgresUrl, ...unset, says: 'Owner of a database to use instead of one of its own.' },
  postgresTenantUrl: {
    ...configVariables.postgresTenantUrl,
    ...unset,
    says: 'May be given with the owner; otherwise it is made from the owner’s address and a password of the data folder.'
  },
  postgresSystemUrl: { ...configVariables.postgresSystemUrl, ...unset, says: 'As `SERVICE_POSTGRES_TENANT_URL`.' },
  // The roles check its form.
  secretsKey: {
    name: configVariables.secretsKey.name,
    kind: 'text',
    ...unset,
    says: 'Seals secrets of workspaces, instead of the key in the data folder.'
  },
  kafkaJavaOptions: {
    name: 'SERVICE_KAFKA_JAVA_OPTIONS',
    kind: 'list',
    separator: /\s+/,
    ...unset,
    says: 'Options of the JVM of its broker beside ours, with blanks between them, for example `-Xmx1g`.'
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
