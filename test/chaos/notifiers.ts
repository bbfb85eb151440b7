/**
 * Starts further notifiers beside the one of a running product, as a second machine would run them.
 * Runs kill them, or freeze them past their leases and continue them.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../../schemas/files.ts'
import { registryUrl } from '../../services/local/registry.ts'
import type { Product } from '../harness/product.ts'

export interface Notifier {
  pid(): number
  /** Sends SIGKILL and starts another in its place. */
  kill(): Promise<void>
  /** True when it was started with FREEZE_AT and has reached that point. */
  isFrozen(): boolean
  /** True when it was started with FAIL_AT and has reached that point. */
  hasEnded(): boolean
  /** False when the process was gone. */
  resume(): boolean
  stop(): Promise<void>
}

/** The environment of the product's own notifier, reduced to what it needs. */
function environmentOf(product: Product, name: string, more: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const secrets = JSON.parse(readFileSync(join(product.dataDir, 'secrets.json'), 'utf8')) as Record<string, string>
  const inherited = Object.entries(process.env).filter(([key]) => !/^(SERVICE_|NODE_OPTIONS$|TAP$|npm_)/.test(key))
  return {
    ...Object.fromEntries(inherited),
    NODE_ENV: 'production',
    SERVICE_DATA_DIR: product.dataDir,
    SERVICE_INSTANCE: name,
    SERVICE_PUBLIC_URL: product.access.base_url,
    SERVICE_METRICS_PORT: '0',
    SERVICE_LOG_LEVEL: 'error',
    SERVICE_KAFKA_BROKERS: `127.0.0.1:${product.port('kafka')}`,
    SERVICE_SCHEMA_REGISTRY_URL: registryUrl(product.port('registry')),
    SERVICE_POSTGRES_SYSTEM_URL: `postgres://service_system:${secrets.service_system}@127.0.0.1:${product.port('postgres')}/service`,
    SERVICE_SECRETS_KEY: secrets.secrets_key,
    SERVICE_MAILBOX: 'on',
    SERVICE_CHANNEL_ALLOW_CIDRS: '127.0.0.0/8',
    ...more
  }
}

async function begin(product: Product, name: string, more: NodeJS.ProcessEnv): Promise<ChildProcess> {
  const program = join(projectRoot, 'dist/services/process/run.js')
  const child = spawn(process.execPath, [program, 'notifier'], {
    env: environmentOf(product, name, { SERVICE_LOG_LEVEL: 'info', ...more }),
    stdio: ['ignore', 'pipe', 'inherit']
  })
  await new Promise<void>((resolve, reject) => {
    child.stdout?.on('data', (chunk: Buffer) => {
      if (String(chunk).includes('"msg":"ready"')) resolve()
    })
    child.once('exit', (code) => reject(new Error(`${name} ended with ${code} before it was ready`)))
  })
  return child
}

export async function startNotifier(product: Product, name: string, more: NodeJS.ProcessEnv = {}): Promise<Notifier> {
  let child = await begin(product, name, more)
  const signal = (one: NodeJS.Signals): boolean => child.exitCode === null && child.signalCode === null && child.kill(one)
  return {
    pid: () => child.pid ?? 0,
    async kill() {
      const ended = once(child, 'exit')
      if (signal('SIGKILL')) await ended
      child = await begin(product, name, more)
    },
    isFrozen: () => /\) T /.test(readFileSync(`/proc/${child.pid}/stat`, 'utf8')),
    hasEnded: () => child.exitCode !== null || child.signalCode !== null,
    resume: () => signal('SIGCONT'),
    async stop() {
      const ended = once(child, 'exit')
      signal('SIGCONT')
      if (signal('SIGTERM')) await ended
    }
  }
}
