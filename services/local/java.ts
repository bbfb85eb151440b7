/**
 * Chooses the Java that runs the local broker and registry, and the Maven that fetches them. Java
 * is the newest JVM among JAVA_HOME, PATH and /usr/lib/jvm, of version 21 or later, which the
 * registry needs. A machine may have an old JVM on PATH and a newer one elsewhere.
 * Source: docs/design/registry.md#s0.
 */
import { accessSync, constants, existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'

export interface Jvm {
  home: string
  /** From its release file, for example 25.0.3. */
  version: string
}

const NEEDED = 21
const OWN_ENGINES = 'or let SERVICE_KAFKA_BROKERS and SERVICE_SCHEMA_REGISTRY_URL name a broker and a registry of your own'

const INSTALL_JAVA =
  'Debian: apt-get install openjdk-21-jre-headless; Fedora: dnf install java-latest-openjdk-headless; macOS: brew install openjdk@21; or https://adoptium.net'
const INSTALL_MAVEN = 'Debian: apt-get install maven; Fedora: dnf install maven; macOS: brew install maven'

/**
 * Something is not installed on the machine. The message is one sentence for the person at the
 * console.
 */
export class Missing extends Error {
  override readonly name = 'Missing'
}

function executable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false // Absent or not executable, so not a candidate.
  }
}

const onPath = (environment: NodeJS.ProcessEnv, name: string): string[] =>
  (environment.PATH ?? '')
    .split(delimiter)
    .filter(Boolean)
    .map((folder) => join(folder, name))
    .filter(executable)

/**
 * Reads the version of the JVM in `home`. Null when there is no JVM that runs. It reads the release
 * file, so that it need not start a JVM.
 */
function inspect(home: string): Jvm | null {
  if (!executable(join(home, 'bin/java')) || !existsSync(join(home, 'release'))) return null
  const version = /^JAVA_VERSION="([^"]+)"/m.exec(readFileSync(join(home, 'release'), 'utf8'))?.[1]
  return version ? { home, version } : null
}

const numbers = (version: string): number[] =>
  version
    .split(/[^0-9]+/)
    .filter(Boolean)
    .map(Number)

/** Negative when `a` is older than `b`. 1.8.0 is older than 11. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [numbers(a), numbers(b)]
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    const difference = (left[i] ?? 0) - (right[i] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}

/**
 * Returns the newest JVM of the machine; between equal ones JAVA_HOME comes first, then PATH.
 * Throws Missing when none is of version 21 or later.
 */
export function findJava(environment: NodeJS.ProcessEnv = process.env, folder = '/usr/lib/jvm'): Jvm {
  const homes = [
    ...(environment.JAVA_HOME ? [environment.JAVA_HOME] : []),
    ...onPath(environment, 'java').map((java) => dirname(dirname(realpathSync(java)))),
    ...(existsSync(folder)
      ? readdirSync(folder)
          .sort()
          .map((name) => join(folder, name))
      : [])
  ]
  const found = homes.map(inspect).filter((jvm) => jvm !== null)
  const newest = found.reduce<Jvm | null>(
    (best, jvm) => (best === null || compareVersions(jvm.version, best.version) > 0 ? jvm : best),
    null
  )
  if (newest === null || (numbers(newest.version)[0] ?? 0) < NEEDED) {
    const state = newest
      ? `the newest found is ${newest.version} in ${newest.home}`
      : `none was found in JAVA_HOME, on PATH or in ${folder}`
    throw new Missing(
      `Java ${NEEDED} or newer is needed and ${state}: install one (${INSTALL_JAVA}) and set JAVA_HOME to it, ${OWN_ENGINES}.`
    )
  }
  return newest
}

/** Returns Maven's command. Throws Missing when there is none. */
export function findMaven(environment: NodeJS.ProcessEnv = process.env): string {
  const homes = [environment.MAVEN_HOME, environment.M2_HOME].flatMap((home) => (home ? [join(home, 'bin/mvn')] : []))
  const maven = [...homes.filter(executable), ...onPath(environment, 'mvn')][0]
  if (maven === undefined)
    throw new Missing(`Maven is needed once, to fetch the local broker and registry: install it (${INSTALL_MAVEN}), ${OWN_ENGINES}.`)
  return maven
}
