/**
 * The embedded broker: `kafka.Kafka` from the jars that fetch.ts resolved. One node is both broker
 * and controller (KRaft), plaintext on loopback, with a small heap. Only the migrate step creates
 * topics. Settings: docs/design/streaming.md#s0-2.
 */
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { type Child, startChild } from './child.ts'
import type { Jvm } from './java.ts'
import { sharedClasses } from './shared-classes.ts'

export interface KafkaOptions {
  jvm: Jvm
  /** Folder of the jars. */
  jars: string
  /** The folder of the log, formatted at the first start. */
  folder: string
  port: number
  controllerPort: number
  /** Where the JVM unpacks its native libraries. */
  scratch: string
  /** Added after the built-in options, which they override. For load runs. */
  javaOptions: readonly string[]
  logFile: string
}

const run = promisify(execFile)

const SEGMENT_BYTES = 64 * 1_048_576
/** One entry of 8 bytes (offsets) or 12 (times) per INDEX_INTERVAL_BYTES of a segment. */
const INDEX_INTERVAL_BYTES = 4096
/**
 * The size of the larger index of a full segment, rounded up to a power of two. The broker
 * allocates a whole index at its first entry while a request thread waits: half a second with the
 * default of 10 MiB.
 */
const INDEX_BYTES = 2 ** Math.ceil(Math.log2((SEGMENT_BYTES / INDEX_INTERVAL_BYTES) * 12))

/**
 * The memory that the cleaner of compacted topics holds all the time: room for the 600,000 keys
 * that a full segment may have. The default of 128 MiB fills two thirds of the heap, so that under
 * load a full collection stops the broker for 0.1 s every few seconds.
 */
const CLEANER_BYTES = 16 * 1_048_576

const properties = ({ port, controllerPort }: KafkaOptions, folder: string): string =>
  Object.entries({
    'process.roles': 'broker,controller',
    'node.id': 1,
    'controller.quorum.voters': `1@127.0.0.1:${controllerPort}`,
    listeners: `PLAINTEXT://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controllerPort}`,
    'advertised.listeners': `PLAINTEXT://127.0.0.1:${port}`,
    'controller.listener.names': 'CONTROLLER',
    'listener.security.protocol.map': 'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT',
    'log.dirs': folder,
    'auto.create.topics.enable': false,
    'log.segment.bytes': SEGMENT_BYTES,
    'log.index.size.max.bytes': INDEX_BYTES,
    'log.cleaner.dedupe.buffer.size': CLEANER_BYTES,
    'num.network.threads': 2,
    'num.io.threads': 4,
    'num.recovery.threads.per.data.dir': 2,
    'background.threads': 2,
    // After a broker was killed, it can register again only when its previous session has expired:
    // 9 s by default.
    'broker.session.timeout.ms': 3000,
    'broker.heartbeat.interval.ms': 1000,
    // 500 by default: each time a record and a flush of the metadata log that nobody needs here.
    'metadata.max.idle.interval.ms': 10_000,
    'offsets.topic.num.partitions': 8,
    'offsets.topic.replication.factor': 1,
    'transaction.state.log.num.partitions': 4,
    'transaction.state.log.replication.factor': 1,
    'transaction.state.log.min.isr': 1,
    'share.coordinator.state.topic.num.partitions': 1,
    'share.coordinator.state.topic.replication.factor': 1,
    'share.coordinator.state.topic.min.isr': 1,
    'group.initial.rebalance.delay.ms': 0,
    'group.min.session.timeout.ms': 1500 // Tests use short sessions.
  })
    .map(([name, value]) => `${name}=${value}\n`)
    .join('')

const logging = [
  '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn',
  '-Dorg.slf4j.simpleLogger.showDateTime=true',
  "-Dorg.slf4j.simpleLogger.dateTimeFormat=yyyy-MM-dd'T'HH:mm:ss.SSSXXX"
]

/**
 * Formats a log with a new cluster id. The id is stored with the data, so a log that alone was
 * wiped comes back as another cluster, and processors refuse to continue from their old positions.
 * The log is made under another name and renamed, so a log that exists is complete.
 */
async function format(options: KafkaOptions): Promise<void> {
  const { jvm, jars, folder } = options
  const half = `${folder}.half`
  rmSync(half, { recursive: true, force: true })
  mkdirSync(half, { recursive: true, mode: 0o700 }) // It contains what senders wrote.
  const config = `${half}.properties`
  writeFileSync(config, properties(options, half))
  // The id is given as name=value: one id in 64 begins with a hyphen, and would be taken for an
  // option.
  const clusterId = randomBytes(16).toString('base64url')
  try {
    await run(join(jvm.home, 'bin/java'), [
      '-Xmx128m',
      '-XX:+UseSerialGC',
      '-XX:TieredStopAtLevel=1',
      ...logging,
      '-cp',
      join(jars, '*'),
      'kafka.tools.StorageTool',
      'format',
      `--cluster-id=${clusterId}`,
      '--config',
      config
    ])
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string }
    throw new Error(`formatting the log failed: ${stderr?.trim() || message}`)
  }
  rmSync(config)
  renameSync(half, folder)
}

export async function startKafka(options: KafkaOptions): Promise<Child> {
  const { jvm, jars, folder, scratch, javaOptions, logFile } = options
  if (!existsSync(join(folder, 'meta.properties'))) await format(options)
  const config = join(dirname(folder), 'kafka.properties')
  writeFileSync(config, properties(options, folder))
  return startChild({
    command: join(jvm.home, 'bin/java'),
    args: [
      '-Xms64m',
      '-Xmx256m',
      '-XX:+UseSerialGC',
      // Most objects live for one request. Half of the heap is reserved for them, which halves the
      // number of collections.
      '-XX:NewRatio=1',
      // The optimising compiler takes as much CPU at the start as everything else together, and
      // pays off only after minutes of load.
      '-XX:TieredStopAtLevel=1',
      '-XX:-UsePerfData',
      '-Xss512k',
      ...sharedClasses(jars, jvm),
      ...logging,
      `-Djava.io.tmpdir=${scratch}`,
      ...javaOptions,
      '-cp',
      join(jars, '*'),
      'kafka.Kafka',
      config
    ],
    env: jvmEnvironment(),
    logFile,
    leash: { signal: 'SIGTERM' }
  })
}

/**
 * By default glibc gives threads arenas of their own, which costs a JVM of sixty threads memory
 * that it never uses.
 */
export const jvmEnvironment = (): NodeJS.ProcessEnv => ({ ...process.env, MALLOC_ARENA_MAX: '2' })
