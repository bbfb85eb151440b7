/**
 * Tests with more connections than file descriptors: the role runs as its own process with 256
 * descriptors on the real engines. Also tests the rule for when it accepts connections.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import t, { type Test } from 'tap'
import { createCodec } from '../../../schemas/codec.ts'
import { projectRoot } from '../../../schemas/files.ts'
import { descriptorLimit, keepDescriptors } from '../../../services/intake/descriptors.ts'
import { createLog } from '../../../services/process/log.ts'
import { createMetrics } from '../../../services/process/metrics.ts'
import { createPool } from '../../../services/store/pool.ts'
import { connectStream } from '../../../streams/runtime/connect.ts'
import { connectRegistry } from '../../../streams/runtime/registry.ts'
import type { InRecord } from '../../../streams/runtime/stream.ts'
import { testConfig, testTopics } from '../../harness/engines.ts'
import { freePort } from '../../harness/free-ports.ts'
import { makeWorkspace } from '../../harness/product.ts'
import { until } from '../../harness/until.ts'

// Silent connections are cut off after about ten seconds. A busy machine must not fail the test.
t.setTimeout(180_000)

t.test('the descriptor limit of the process is read', async (t) => {
  const table = (soft: string): string =>
    `Limit                     Soft Limit           Hard Limit           Units\nMax open files            ${soft}                 4096                 files\n`
  t.equal(
    descriptorLimit(() => table('1024')),
    1024
  )
  t.equal(
    descriptorLimit(() => table('unlimited')),
    null
  )
  const absent = (): string => {
    throw new Error('ENOENT')
  }
  t.equal(descriptorLimit(absent), null)
})

t.test('intake stops listening close to the descriptor limit and resumes once there is room', async (t) => {
  const did: string[] = []
  let used = 10
  let refuses = true
  const app = {
    listen: async (): Promise<number> => {
      did.push(refuses ? 'could not listen' : 'listened')
      if (refuses) throw new Error('taken')
      return 1
    },
    stopListening: () => void did.push('stopped')
  }
  const said: string[] = []
  const say = (_: object, message: string): void => void said.push(message)
  const log = { warn: say, info: say, error: say }
  const release = keepDescriptors({
    app,
    host: '127.0.0.1',
    port: 1,
    log,
    limit: 100,
    open: () => used,
    quietMs: 300,
    onShed: () => did.push('shed')
  })
  t.teardown(release)
  used = 81
  await until('it to stop', () => did.length === 2)
  t.same(did, ['stopped', 'shed'])
  used = 60
  await new Promise((resolve) => setTimeout(resolve, 500))
  t.equal(did.length, 2, 'not yet')
  used = 59
  await until('it to try', () => did.includes('could not listen'))
  refuses = false
  await until('it to listen', () => did.includes('listened'))
  used = 81
  await until('it to stop again', () => did.filter((one) => one === 'stopped').length === 2)
  used = 10
  await until('the end of it', () => said.some((message) => message.startsWith('there are')))
  t.equal(said.filter((message) => message.startsWith('more connections')).length, 1, 'one sentence for all of it')
  release()
  const after = did.length
  used = 100
  await new Promise((resolve) => setTimeout(resolve, 500))
  t.equal(did.length, after)
})

interface Line {
  msg: string
  level: number
  [field: string]: unknown
}

/** Starts the role as a process with few file descriptors. */
function launch(
  t: Test,
  descriptors: number,
  environment: Record<string, string>
): { child: ChildProcess; lines: Line[]; exited: Promise<unknown> } {
  const command = [`--nofile=${descriptors}`, process.execPath, '--import=tsx', 'services/process/run.ts', 'intake']
  const child = spawn('prlimit', command, { cwd: projectRoot, env: { ...process.env, ...environment }, stdio: ['ignore', 'pipe', 'pipe'] })
  const lines: Line[] = []
  if (child.stdout)
    createInterface({ input: child.stdout }).on('line', (line) => line.startsWith('{') && lines.push(JSON.parse(line) as Line))
  child.stderr?.on('data', (chunk: Buffer) => t.comment(chunk.toString()))
  const exited = new Promise((resolve) => child.once('exit', (code, signal) => resolve(code ?? signal)))
  t.teardown(async () => {
    child.kill('SIGKILL')
    await exited
  })
  return { child, lines, exited }
}

t.test('a process with 256 descriptors outlives more senders than that and loses no alert', async (t) => {
  const config = await testConfig(t)
  await testTopics(t, config, ['alerts.inbound.v1', 'alerts.raw.v1', 'ingest.usage.v1', 'tenant.budgets.v1', 'heartbeat.pings.v1'])
  const system = createPool(config.postgresSystemUrl, { application_name: 'test', max: 1 })
  t.teardown(() => system.end())
  const workspace = await makeWorkspace(system, `w-${randomBytes(4).toString('hex')}`, 'generic')
  const quiet = createLog('test', 'fatal')
  const stream = await connectStream({
    brokers: config.kafkaBrokers,
    clientId: 'test',
    topicPrefix: config.topicPrefix,
    log: quiet,
    metrics: createMetrics()
  })
  t.teardown(() => stream.close())
  const records: InRecord[] = []
  const follower = await stream.follow({
    topics: ['alerts.inbound.v1'],
    from: 'beginning',
    onRecords: (given) => void records.push(...given)
  })
  t.ok(await follower.caughtUp)

  const { child, lines, exited } = launch(t, 256, {
    SERVICE_KAFKA_BROKERS: config.kafkaBrokers.join(','),
    SERVICE_TOPIC_PREFIX: config.topicPrefix,
    SERVICE_SCHEMA_REGISTRY_URL: config.registryUrl,
    SERVICE_POSTGRES_TENANT_URL: config.postgresTenantUrl,
    SERVICE_INTAKE_PORT: String(await freePort()),
    SERVICE_LOG_LEVEL: 'info'
  })
  let over = false
  void exited.then(() => {
    over = true
  })
  const started = await until(
    'the doors',
    () => lines.find(({ msg }) => msg === 'the doors are open') ?? (over ? { port: 0 } : undefined),
    60_000
  )
  const port = Number(started.port)
  t.ok(port > 0, 'it runs')

  let sent = 0
  const accepted = new Set<string>()
  /** Sends one alert until it is accepted. Resolves with whether the first try was accepted. */
  const post = async (): Promise<boolean> => {
    const dedup_key = `k-${sent++}`
    const body = JSON.stringify({ title: 'x', severity: 'info', dedup_key })
    for (let attempt = 0; ; attempt++) {
      if (over) throw new Error('the process has ended')
      const answer = await fetch(`http://127.0.0.1:${port}/api/v1/webhooks/incoming/${workspace.door}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', connection: 'close' },
        body,
        signal: AbortSignal.timeout(15_000)
      }).then(
        ({ status }) => status,
        () => 0
      )
      if (answer === 200) {
        accepted.add(dedup_key)
        return attempt === 0
      }
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
  const sockets: Socket[] = []
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
  })
  let connected = 0
  let dropped = 0
  const dial = (beginning: string): void => {
    const socket = connect(port, '127.0.0.1', () => {
      connected += 1
      socket.write(beginning)
    })
    socket.resume() // Without reading, the socket never ends.
    socket.on('error', () => undefined)
    socket.once('close', () => {
      dropped += 1
    })
    sockets.push(socket)
  }
  const path = `/api/v1/webhooks/incoming/${workspace.door}`
  const beginnings = ['', `POST ${path} HTTP/1.1\r\nHos`, `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{"title"`]
  t.equal(await post(), true)

  for (let nth = 0; nth < 90; nth++) dial(beginnings[nth % 3] ?? '')
  await until('ninety who never finish', () => connected === 90)
  const beside = await Promise.all(Array.from({ length: 30 }, post))
  t.ok(beside.every(Boolean), 'they are in nobody’s way')

  const good = Promise.all(Array.from({ length: 20 }, post))
  for (let nth = 0; nth < 600; nth++) dial(beginnings[nth % 3] ?? '')
  await until('it sheds', () => lines.some(({ msg }) => msg.startsWith('more connections than descriptors')), 30_000)
  await good
  await until('those who say nothing are cut off', () => dropped === sockets.length, 60_000)
  const later = await Promise.all(Array.from({ length: 30 }, post))
  t.equal(later.length, 30)
  await until('it says that it is over', () => lines.some(({ msg }) => msg.startsWith('there are descriptors')), 60_000)
  t.equal(await post(), true, 'as before')
  t.equal(over, false, 'it never died')
  t.equal(lines.filter(({ msg }) => msg.startsWith('more connections than descriptors')).length, 1, 'one line for all of it')
  t.same(
    lines.filter(({ level, err }) => level >= 50 && !/EMFILE/.test(JSON.stringify(err))),
    [],
    'and no other trouble'
  )

  const registry = await connectRegistry(config.registryUrl)
  const codec = createCodec({ ids: await registry.idsOfAll(), schemaById: registry.schemaById })
  await until('all that was accepted on the log', () => {
    const stored = new Set(records.map(({ value }) => (value ? codec.decode('InboundAlert', value).source_dedup_key : '')))
    return [...accepted].every((key) => stored.has(key))
  })
  t.equal(accepted.size, sent)
  child.kill('SIGTERM')
  t.equal(await exited, 0, 'it ends as it should')
})
