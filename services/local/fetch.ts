/**
 * Fetches broker and registry as files. Maven resolves them once from services/local/pom.xml into
 * the project's `.engines/`, and each file is compared with the pins of archives.json.
 */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { projectRoot } from '../../schemas/files.ts'
import { CACHE, checkHash, fetchOnce } from './fetch-once.ts'
import { findMaven, type Jvm } from './java.ts'

const run = promisify(execFile)
const POM = join(projectRoot, 'services/local/pom.xml')

/** A file of a Maven repository, and its expected hash. */
export interface Archive {
  name: string
  version: string
  sha256: string
}

const PINS = join(projectRoot, 'services/local/archives.json')
const pins = JSON.parse(readFileSync(PINS, 'utf8')) as { kafka: readonly Archive[]; registry: Archive }

/**
 * Returns the folder of the broker's jars. Its name depends on the pom and the pins: when either
 * changes, another folder is used. Throws when a jar differs from its pin.
 */
export const fetchKafka = (jvm: Jvm, signal: AbortSignal, cache = CACHE, jars: readonly Archive[] = pins.kafka): Promise<string> => {
  const hash = createHash('sha256').update(readFileSync(POM)).update(JSON.stringify(jars)).digest('hex').slice(0, 12)
  return fetchOnce(cache, `kafka-${hash}`, async (folder) => {
    await maven(jvm, signal, ['dependency:copy-dependencies@kafka', `-DoutputDirectory=${folder}`])
    const wanted = new Map(jars.map((jar) => [`${jar.name}-${jar.version}.jar`, jar.sha256]))
    for (const file of readdirSync(folder)) {
      const sha256 = wanted.get(file)
      if (sha256 === undefined) throw new Error(`${file} is none of the jars that services/local/archives.json pins`)
      await checkHash(join(folder, file), sha256)
      wanted.delete(file)
    }
    const [missing] = wanted.keys()
    if (missing !== undefined) throw new Error(`${missing} is pinned by services/local/archives.json, and Maven did not give it`)
  })
}

/**
 * Returns the folder of the registry's distribution. Throws when the archive differs from its pin.
 */
export const fetchRegistry = (jvm: Jvm, signal: AbortSignal, cache = CACHE): Promise<string> => {
  const { name, version, sha256 } = pins.registry
  return fetchOnce(cache, `apicurio-${version}`, async (folder) => {
    await maven(jvm, signal, ['dependency:copy@registry', `-DoutputDirectory=${folder}`])
    const archive = join(folder, `${name}-${version}-all.tar.gz`)
    await checkHash(archive, sha256)
    await run('tar', ['-xzf', archive, '-C', folder])
    rmSync(archive)
  })
}

const ATTEMPTS = 3
const PAUSE_MS = 1000

/**
 * A repository that sends nothing for a minute is given up; by default Maven waits half an hour.
 * The first option is for Maven 3.8 and older, the others for newer versions.
 */
const patience = ['-Dmaven.wagon.rto=60000', '-Daether.connector.requestTimeout=60000', '-Daether.connector.connectTimeout=20000']

/** Files that a repository did not deliver are requested again. Maven keeps those that it has. */
async function maven(jvm: Jvm, signal: AbortSignal, args: string[]): Promise<void> {
  const program = findMaven()
  for (let attempt = 1; ; attempt++) {
    try {
      // -U: without it Maven remembers that a file was unavailable, and does not ask again that
      // day.
      await run(program, ['-B', '-q', ...(attempt > 1 ? ['-U'] : []), ...patience, '-f', POM, ...args], {
        env: { ...process.env, JAVA_HOME: jvm.home },
        maxBuffer: 16 * 1_048_576,
        signal
      })
      return
    } catch (error) {
      const { stdout, stderr, message } = error as Error & { stdout?: string; stderr?: string }
      const reason = `${stdout ?? ''}\n${stderr ?? ''}`.split('\n').find((line) => line.includes('[ERROR]'))
      if (attempt === ATTEMPTS || signal.aborted) throw new Error(`Maven could not fetch the local engines: ${reason ?? message}`)
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
  }
}
