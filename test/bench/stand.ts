/**
 * Engines for one benchmark, in a folder that is removed afterwards, and single roles that run on
 * them.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { projectRoot } from '../../schemas/files.ts'
import type { TopicName } from '../../schemas/topics.ts'
import { startEngines } from '../../services/local/engines.ts'
import { migrateDatabase } from '../../services/operator/migrate.ts'
import { createPool, type Pool } from '../../services/store/pool.ts'
import { createTopics } from '../../streams/runtime/create-topics.ts'
import { connectRegistry } from '../../streams/runtime/registry.ts'
import { urlsOf } from '../harness/engines.ts'

export interface Stand {
  brokers: string[]
  brokerPid: number
  postgresPid: number
  registryUrl: string
  dataDir: string
  /** URL that logs in as service_system. */
  systemUrl: string
  /** URL that logs in as the owner, who may create tables. */
  ownerUrl: string
  pool: Pool
  /** Starts `node dist/services/process/run.js <roles>`. Resolves once it reports ready. */
  role(roles: string[], environment?: NodeJS.ProcessEnv): Promise<{ pid: number; ports: number[] }>
  stop(): Promise<void>
}

export const quiet = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined }

export async function stand(topics: readonly TopicName[]): Promise<Stand> {
  const dataDir = mkdtempSync(join(tmpdir(), 'service-bench-test-'))
  const pids = new Map<string, number | null>()
  const engines = await startEngines({
    dataDir,
    lock: { note: (name, pid) => void pids.set(name, pid) },
    kafkaBrokers: null,
    registryUrl: null,
    postgresUrl: null,
    database: 'service_bench_test',
    throwaway: true,
    tell: (line) => console.log(line)
  })
  const children: ChildProcess[] = []
  async function stop(): Promise<void> {
    for (const child of children) {
      const ended = new Promise((resolve) => child.once('exit', resolve))
      if (child.exitCode !== null || child.signalCode !== null) continue
      child.kill('SIGTERM')
      await ended
    }
    await engines.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
  try {
    const [{ ownerUrl }, { brokers }, { url: registryUrl }] = await Promise.all([engines.postgres, engines.kafka, engines.registry])
    const urls = urlsOf(ownerUrl, 'service_bench_test')
    await migrateDatabase(urls)
    await createTopics({ brokers, clientId: 'bench', topicPrefix: '', log: quiet }, topics)
    await (await connectRegistry(registryUrl)).registerAll()
    const pool = createPool(urls.systemUrl, { application_name: 'bench', max: 2 })
    return {
      brokers,
      brokerPid: pids.get('kafka') ?? 0,
      postgresPid: pids.get('postgres') ?? 0,
      registryUrl,
      dataDir,
      systemUrl: urls.systemUrl,
      ownerUrl: urls.ownerUrl,
      pool,
      async role(roles, environment = {}) {
        const child = spawn(process.execPath, [join(projectRoot, 'dist/services/process/run.js'), ...roles], {
          cwd: projectRoot,
          env: {
            PATH: process.env.PATH,
            SERVICE_DATA_DIR: dataDir,
            SERVICE_KAFKA_BROKERS: brokers.join(','),
            SERVICE_SCHEMA_REGISTRY_URL: registryUrl,
            SERVICE_POSTGRES_TENANT_URL: urls.tenantUrl,
            SERVICE_POSTGRES_SYSTEM_URL: urls.systemUrl,
            SERVICE_API_PORT: '0',
            SERVICE_INTAKE_PORT: '0',
            SERVICE_GATEWAY_PORT: '0',
            ...environment
          },
          stdio: ['ignore', 'pipe', 'inherit']
        })
        children.push(child)
        let text = ''
        const ports = await new Promise<number[]>((resolve, reject) => {
          child.once('exit', (code) => reject(new Error(`${roles.join('+')} ended with code ${code}:\n${text}`)))
          child.stdout?.on('data', (chunk: Buffer) => {
            text += chunk
            const ready = text.split('\n').find((line) => line.includes('"msg":"ready"'))
            if (ready) resolve((JSON.parse(ready) as { ports: number[] }).ports)
            if (text.length > 100_000) text = text.slice(-10_000)
          })
        })
        return { pid: child.pid ?? 0, ports }
      },
      async stop() {
        await pool.end()
        await stop()
      }
    }
  } catch (error) {
    await stop()
    throw error
  }
}
