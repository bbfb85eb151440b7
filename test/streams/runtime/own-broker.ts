/** A broker that belongs to one test, which can stop, kill, freeze and wipe it. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Child } from '../../../services/local/child.ts'
import { fetchKafka } from '../../../services/local/fetch.ts'
import { findJava } from '../../../services/local/java.ts'
import { startKafka } from '../../../services/local/kafka.ts'
import { probeBroker } from '../../../streams/runtime/probe.ts'
import type { Teardown } from '../../harness/engines.ts'
import { freePorts } from '../../harness/free-ports.ts'

export interface OwnBroker {
  brokers: string[]
  port: number
  /** Sends SIGKILL, which is like a power cut. */
  kill(): Promise<void>
  freeze(): void
  thaw(): void
  /** Starts it again on the same ports and data; resolves when it can be used. */
  start(): Promise<void>
  /** Deletes its data. It must not be running. */
  wipe(): void
}

export async function ownBroker(t: Teardown): Promise<OwnBroker> {
  const jvm = findJava()
  const jars = await fetchKafka(jvm, AbortSignal.timeout(120_000))
  const folder = mkdtempSync(join(tmpdir(), 'service-test-broker-'))
  const data = join(folder, 'kafka')
  const [port = 0, controllerPort = 0] = await freePorts(2)
  const brokers = [`127.0.0.1:${port}`]
  let child: Child | null = null
  const kill = async (): Promise<void> => {
    child?.signal('SIGCONT')
    await child?.stop('SIGKILL', 1000)
    child = null
  }
  const start = async (): Promise<void> => {
    child = await startKafka({
      jvm,
      jars,
      folder: data,
      scratch: folder,
      port,
      controllerPort,
      javaOptions: [],
      logFile: join(folder, 'kafka.log')
    })
    await probeBroker(brokers, 60_000)
  }
  t.teardown(async () => {
    await kill()
    rmSync(folder, { recursive: true, force: true })
  })
  await start()
  return {
    brokers,
    port,
    kill,
    start,
    freeze: () => child?.signal('SIGSTOP'),
    thaw: () => child?.signal('SIGCONT'),
    wipe: () => rmSync(data, { recursive: true, force: true })
  }
}
