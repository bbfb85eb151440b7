/**
 * The embedded schema registry, Apicurio 3.3.3. Compatibility is FULL_TRANSITIVE unless a subject
 * sets another; the connection pool is small; the management port is chosen per instance, because
 * with the default 9000 two instances would collide.
 * Source: docs/design/registry.md#s2 and #s3.
 */
import { join } from 'node:path'
import { type Child, startChild } from './child.ts'
import type { Jvm } from './java.ts'
import { jvmEnvironment } from './kafka.ts'
import { sharedClasses } from './shared-classes.ts'

export interface RegistryOptions {
  jvm: Jvm
  /** The folder of the unpacked distribution. */
  folder: string
  port: number
  managementPort: number
  /** Where the JVM unpacks its native libraries. */
  scratch: string
  /**
   * Where it stores its data: a user that owns the schema `registry`. Null keeps the data in
   * memory, for runs that also delete their log.
   */
  storage: { host: string; port: number; database: string; user: string; password: string } | null
  logFile: string
}

export const registryUrl = (port: number): string => `http://127.0.0.1:${port}/apis/ccompat/v7`

export function startRegistry({ jvm, folder, port, managementPort, scratch, storage, logFile }: RegistryOptions): Promise<Child> {
  const properties = {
    'java.io.tmpdir': scratch,
    'quarkus.http.host': '127.0.0.1',
    'quarkus.http.port': port,
    'quarkus.management.host': '127.0.0.1',
    'quarkus.management.port': managementPort,
    'quarkus.http.access-log.enabled': false,
    'quarkus.log.category."io.apicurio".level': 'WARN',
    'apicurio.rules.global.compatibility': 'FULL_TRANSITIVE',
    'apicurio.datasource.jdbc.initial-size': 1,
    'apicurio.datasource.jdbc.min-size': 1,
    'apicurio.datasource.jdbc.max-size': 4,
    ...(storage && {
      'apicurio.storage.kind': 'sql',
      'apicurio.storage.sql.kind': 'postgresql',
      'apicurio.datasource.url': `jdbc:postgresql://${storage.host}:${storage.port}/${storage.database}?currentSchema=registry`,
      'apicurio.datasource.username': storage.user
    })
  }
  const flags = ['-Xmx128m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-XX:-UsePerfData', '-Xss512k', ...sharedClasses(folder, jvm)]
  return startChild({
    command: join(jvm.home, 'bin/java'),
    args: [...flags, ...Object.entries(properties).map(([name, value]) => `-D${name}=${value}`), '-jar', join(folder, 'quarkus-run.jar')],
    // The password is passed in the environment, which other users cannot see, unlike the command
    // line.
    env: { ...jvmEnvironment(), ...(storage && { APICURIO_DATASOURCE_PASSWORD: storage.password }) },
    logFile,
    leash: { signal: 'SIGTERM' }
  })
}

/** Resolves when the registry reports that it is ready. Rejects after `ended` aborts. */
export async function registryReady(managementPort: number, ended: AbortSignal): Promise<void> {
  while (!ended.aborted) {
    // Not listening yet.
    const answer = await fetch(`http://127.0.0.1:${managementPort}/health/ready`, { signal: AbortSignal.timeout(2000) }).catch(() => null)
    await answer?.body?.cancel()
    if (answer?.ok) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error('it ended')
}
