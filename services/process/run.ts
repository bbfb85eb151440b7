/**
 * Runs the roles named on the command line in this process: `node services/process/run.js intake`,
 * `… relay clock`. Prints one line `{"msg":"ready", …}` when all are up. SIGTERM and SIGINT close
 * them in reverse order, then the process ends with code 0.
 */
import type { Codec } from '../../schemas/codec.ts'
import { connectStream } from '../../streams/runtime/connect.ts'
import { connectCodec } from '../../streams/runtime/registry-codec.ts'
import type { StreamClient } from '../../streams/runtime/stream.ts'
import { ConfigError, configOrExit, exitOverConfig, type Need } from './config.ts'
import { createLog } from './log.ts'
import { createMetrics, serveMetrics } from './metrics.ts'
import type { Role, RoleContext, StartRole } from './role.ts'

const roles: Record<string, () => Promise<{ start: StartRole }>> = {
  intake: () => import('../intake/main.ts'),
  processors: () => import('../processors/main.ts'),
  relay: () => import('../relay/main.ts'),
  api: () => import('../api/main.ts'),
  gateway: () => import('../gateway/main.ts'),
  clock: () => import('../clock/main.ts'),
  analytics: () => import('../analytics/main.ts'),
  notifier: () => import('../notifier/main.ts'),
  prober: () => import('../prober/main.ts')
}

/** The needs of each role. A role gets no credentials but its own. */
const needs: Record<string, readonly Need[]> = {
  intake: ['kafka', 'registry', 'tenant'],
  processors: ['kafka', 'registry', 'system'],
  relay: ['kafka', 'registry', 'system'],
  api: ['registry', 'tenant'],
  gateway: ['kafka', 'tenant'],
  clock: ['kafka', 'registry', 'system'],
  analytics: ['kafka', 'registry'],
  notifier: ['kafka', 'registry', 'system'],
  prober: []
}

const names = process.argv.slice(2)
const unknown = names.filter((name) => !(name in roles))
if (names.length === 0 || unknown.length > 0) {
  process.stderr.write(
    `usage: run <role> [<role> ...] with roles of ${Object.keys(roles).join(', ')}${unknown.length ? `; unknown: ${unknown.join(', ')}` : ''}\n`
  )
  process.exit(2)
}
const config = configOrExit(
  names.flatMap((name) => needs[name] ?? []),
  names
)
const log = createLog(names.join('+'), config.logLevel)
const metrics = createMetrics()
const running: Role[] = []
let stream: Promise<StreamClient> | undefined
let codec: Promise<Codec> | undefined
let closing = false

async function close(code: number): Promise<void> {
  if (closing) return
  closing = true
  // A close that hangs must not keep the process alive, because a supervisor waits for its end.
  setTimeout(() => process.exit(code || 1), 15_000).unref()
  for (const role of running.reverse())
    await role.close().catch((error: unknown) => log.error({ err: error }, 'role did not close cleanly'))
  await stream?.then((client) => client.close()).catch((error: unknown) => log.error({ err: error }, 'stream did not close cleanly'))
  log.info('stopped')
  process.exit(code)
}

const context: RoleContext = {
  config,
  log,
  metrics,
  stream: () => {
    stream ??= connectStream({
      brokers: config.kafkaBrokers,
      clientId: `service-${names.join('-')}`,
      topicPrefix: config.topicPrefix,
      log,
      metrics
    })
    return stream
  },
  codec: () => {
    codec ??= connectCodec(config.registryUrl)
    return codec
  },
  fatal: (reason, error) => {
    log.fatal({ err: error }, reason)
    void close(1)
  }
}

process.on('SIGTERM', () => void close(0))
process.on('SIGINT', () => void close(0))
process.on('uncaughtException', (error) => context.fatal('uncaught exception', error))
process.on('unhandledRejection', (error) => context.fatal('unhandled rejection', error))
// The supervisor passes a pipe as stdin. When the pipe ends, the supervisor is gone and nobody else
// would stop this process.
if (process.env.SERVICE_SUPERVISED === '1') {
  process.stdin
    .on('end', () => void close(0))
    .on('error', () => void close(0))
    .resume()
}

try {
  const internal = await serveMetrics(metrics, {
    host: config.metricsHost,
    port: config.metricsPort,
    ready: () => Object.assign({ started: running.length === names.length }, ...running.map((role) => role.ready())),
    serves: (domain) => running.some((role) => role.serves?.(domain) ?? false)
  })
  for (const name of names) {
    const load = roles[name]
    if (load) running.push(await (await load()).start(context))
  }
  log.info({ roles: names, ports: running.map((role) => role.port).filter(Boolean), metrics_port: internal.port }, 'ready')
} catch (error) {
  // Some roles read settings of their own, which are reported like those above.
  if (error instanceof ConfigError) exitOverConfig(error)
  context.fatal('start failed', error)
}
