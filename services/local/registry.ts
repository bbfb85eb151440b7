/**
 * The embedded schema registry, Apicurio 3.3.3: compatibility FULL_TRANSITIVE unless a subject says
 * otherwise, a small connection pool, a management port of its own (9000 by default, where two
 * instances would collide).
 * Source: docs/design/registry.md#s2 and #s3.
 */
import { join } from 'node:path'
import { type Child, startChild } from './child.ts'
import type { Jvm } from './java.ts'
import { jvmEnvironment, sharedClasses } from './kafka.ts'

export interface RegistryOptions {
  jvm: Jvm
  /** Folder of the unpacked distribution. */
  folder: string
  port: number
  managementPort: number
  /** Where the JVM unpacks its native libraries. */
  scratch: string
  /**
   * Where it keeps its data: an owner of the schema `registry`. Null keeps it in memory, for runs
   * whose log is thrown away too.
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
    // The password is in the environment, where other users do not see it, unlike the command line.
    env: { ...jvmEnvironment(), ...(storage && { APICURIO_DATASOURCE_PASSWORD: storage.password }) },
    logFile,
    leash: { signal: 'SIGTERM' }
  })
}

/** Resolves once it answers as ready; gives up at the abort. */
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
