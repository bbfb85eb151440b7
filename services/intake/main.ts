/**
 * The role intake: the doors for alerts, pings and check results. It authenticates, budgets, parses
 * and appends, and answers once the log has acknowledged.
 *
 * It listens even when Kafka or Postgres cannot be reached. Then it answers 503, and senders retry.
 * Only the schema registry must answer at the start, because nothing can be encoded before.
 *
 * Source: docs/design/architecture.md#s3 and #s6-doors-and-budget.
 */
import { uuidv4 } from '../../schemas/uuid.ts'
import type { StreamClient } from '../../streams/runtime/stream.ts'
import { createCredentials } from '../credentials/tokens.ts'
import { createAddressGuard } from '../http/address-guard.ts'
import { createSenderAddress } from '../http/sender-address.ts'
import { createApp } from '../http/uws.ts'
import type { Role, RoleContext } from '../process/role.ts'
import { serverTime } from '../store/leader.ts'
import { saveClockNotice } from '../store/platform-notices.ts'
import { createPool, type Pool } from '../store/pool.ts'
import { keepDescriptors } from './descriptors.ts'
import { createBudget } from './doors/budget.ts'
import { keepCeilings } from './doors/ceilings.ts'
import { createCertificates, createGet } from './doors/guarded-get.ts'
import { createDoorMetrics } from './doors/metrics.ts'
import { createNativeReads } from './doors/native-reads.ts'
import { createReception } from './doors/reception.ts'
import { openDoors } from './doors/routes.ts'
import { createVerifier } from './doors/verifier.ts'
import { createFormerKeys } from './former-keys.ts'
import { keepIgnored } from './ignored.ts'
import { createGapKeeper } from './pings/gap.ts'
import { createPingMetrics } from './pings/metrics.ts'
import { createPingReception } from './pings/reception.ts'
import { openPingDoors } from './pings/routes.ts'
import { createResultMetrics, createResultReception, openResultDoor } from './results/reception.ts'
import { createDoorTime, type DoorTime } from './time/door-time.ts'
import { createWatched } from './watched.ts'

/** Size of the pool. Two connections are held for LISTEN. */
const CONNECTIONS = 6
const READING = 2
const CLOSE_MS = 8000

function keepTime({ config, log, metrics }: RoleContext, client: StreamClient, pool: Pool): DoorTime {
  const ask = (): Promise<number> => serverTime(pool)
  const time = createDoorTime({ instance: config.instance, ask, tell: (cause) => saveClockNotice(pool, cause), log, metrics })
  client.onAppendTime(time.appended)
  return time
}

export async function start(context: RoleContext): Promise<Role> {
  const { config, log, metrics, stream, codec: connectCodec } = context
  const app = createApp()
  const [client, codec] = await Promise.all([stream(), connectCodec()])
  const onIdleError = (error: Error): void => log.warn({ err: error }, 'a connection to Postgres broke')
  const pool = createPool(config.postgresTenantUrl, { application_name: 'intake', max: CONNECTIONS, onIdleError })
  // A separate pool, so that senders who read their alerts never block the lookup of a token.
  const reading = createPool(config.postgresTenantUrl, { application_name: 'intake reads', max: READING, onIdleError })
  const time = keepTime(context, client, reading)
  const credentials = createCredentials({ pool, log, secretsKey: config.secretsKey })
  const budget = createBudget(config.ingestFloorPerMinute)
  const counters = createDoorMetrics(metrics, {
    inFlight: () => reception.inFlight(),
    bytesHeld: () => reception.bytesHeld(),
    windows: () => budget.size()
  })
  const get = createGet({ guard: createAddressGuard({ open: [], closed: [], own: [] }) })
  const verifier = createVerifier({ get, certificate: createCertificates(get), pool, log })
  const senderAddress = createSenderAddress(config.trustedProxies)
  const formerKeys = createFormerKeys({ pool, log })
  const ignored = keepIgnored({ pool, log })
  const reception = createReception({
    credentials,
    budget,
    verifier,
    senderAddress,
    stream: client.log,
    now: time.now,
    codec,
    formerKeys,
    counts: ignored.counts,
    log,
    metrics: counters
  })
  const boot = uuidv4()
  const watched = createWatched({ pool, log })
  const pingCounters = createPingMetrics(metrics, {
    inFlight: () => pings.inFlight(),
    open: () => gap.isOpen(),
    sizes: watched.sizes
  })
  const gap = createGapKeeper({
    log: client.log,
    codec,
    instance: config.instance,
    boot,
    now: time.now,
    logger: log,
    onClosed: pingCounters.closed,
    onWritten: pingCounters.gapWritten
  })
  const pings = createPingReception({
    watched,
    append: client.log.append,
    gap,
    now: time.now,
    codec,
    instance: config.instance,
    senderAddress,
    log,
    metrics: pingCounters,
    doorMetrics: counters
  })
  const shared = { credentials, watched, append: client.log.append, time, codec, log }
  const results = createResultReception({ ...shared, metrics: createResultMetrics(metrics), doorMetrics: counters })
  const reads = createNativeReads({ credentials, verifier, pool: reading, senderAddress, watched, pings, log, metrics: counters })
  const ceilings = await keepCeilings({
    budget,
    stream: client,
    codec,
    log,
    instance: config.instance,
    boot,
    onFailure: counters.usageLost
  })

  openPingDoors(app, pings)
  openResultDoor(app, results)
  openDoors(app, reception, reads)
  const port = await app.listen(config.host, config.intakePort)
  log.info({ port }, 'the doors are open')
  const release = keepDescriptors({ app, host: config.host, port, log, onShed: counters.shed })

  async function close(): Promise<void> {
    release()
    time.close()
    app.stopListening()
    await Promise.all([reception.close(CLOSE_MS), pings.close(CLOSE_MS), results.close(CLOSE_MS), reads.close(CLOSE_MS)])
    app.close()
    await Promise.all([ceilings.close(), gap.close(), ignored.close()])
    formerKeys.close()
    watched.close()
    credentials.close()
    await Promise.all([pool.end(), reading.end()])
  }
  let closed: Promise<void> | undefined

  return {
    port,
    ready: () => ({ log: client.log.healthy(), store: credentials.listening() && watched.listening() }),
    close() {
      closed ??= close()
      return closed
    }
  }
}
