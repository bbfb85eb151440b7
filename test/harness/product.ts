/**
 * Starts the whole product as `npm start` runs it, on its own data folder. It is for the chaos
 * runs, the real senders and the benchmarks. It runs what `npm run build` compiled, as a user's
 * product does.
 */

import { type ChildProcess, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { projectRoot } from '../../schemas/files.ts'
import { wholeWorkspace } from '../../schemas/http/visibility.ts'
import type { PlanId } from '../../schemas/plans.ts'
import { uuidv7 } from '../../schemas/uuid.ts'
import { hashPassword, mintApiToken, mintIntegrationToken } from '../../services/credentials/credentials.ts'
import { ENGINES_FILE } from '../../services/process/config.ts'
import { insertIntegration, unset } from '../../services/store/integrations.ts'
import { createPool, type Pool, tenantTransaction } from '../../services/store/pool.ts'
import { createWorkspace } from '../../services/store/tenants.ts'
import { pauseAfter } from './until.ts'

export interface Access {
  base_url: string
  email: string
  password: string
  api_token: string
}

export interface Answer {
  status: number
  headers: Headers
  body: Record<string, unknown>
}

export interface Product {
  dataDir: string
  access: Access
  /** Current pid of each process, by name. */
  pids(): Record<string, number>
  /** Port of a component: postgres, kafka, registry, api, intake, gateway. */
  port(name: string): number
  /** Everything that the supervisor has printed. */
  output(): string
  /** Stops reading what the supervisor prints. */
  closeOutput(): void
  /** Sends a request with the first workspace's token, or with `token`. */
  api(method: string, path: string, body?: unknown, token?: string): Promise<Answer>
  /** Connects as service_system, which sees every workspace. The caller ends the pool. */
  pool(): Pool
  /** Sends SIGTERM to the supervisor. Resolves with its exit code when it has ended. */
  stop(): Promise<number | null>
  /** Deletes the data folder that `keepData` kept after the stop. */
  forget(): void
  /** Sends SIGKILL to the supervisor only. */
  kill(): Promise<void>
}

/**
 * Deadline for a start that should take seconds. A slow machine must not fail a test; a hang must.
 */
const START_MS = 240_000
/** Deadline for one request: a request without an answer is a hang, too. */
const ANSWER_MS = 60_000

/**
 * Calls `ask` until it returns something other than null. Throws and names `what` when the deadline
 * passes. Between two calls it waits `every` ms, or longer if the calls take long.
 */
export async function until<T>(what: string, ask: () => Promise<T | null> | T | null, ms = 120_000, every = 50): Promise<T> {
  const limit = Date.now() + ms
  for (;;) {
    const asked = performance.now()
    const found = await ask()
    if (found !== null) return found
    if (Date.now() > limit) throw new Error(`waited ${ms / 1000} s for ${what}`)
    const pause = pauseAfter(performance.now() - asked, every)
    await new Promise((resolve) => setTimeout(resolve, pause))
  }
}

const readJson = <T>(file: string): T => JSON.parse(readFileSync(file, 'utf8')) as T

export async function startProduct(
  options: {
    dataDir?: string
    environment?: NodeJS.ProcessEnv
    keepData?: boolean
    /** Node options for the supervisor, which passes them on to every role. */
    nodeArgs?: readonly string[]
    /** Root folder of a built checkout. */
    root?: string
  } = {}
): Promise<Product> {
  const { root = projectRoot } = options
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'service-product-test-'))
  const entry = join(root, 'dist/services/local/main.js')
  if (!existsSync(entry)) throw new Error(`${entry} is not there: npm run build`)
  const portsFile = join(dataDir, 'ports.json')
  // A first start prefers port 8080. Two products of two runs that start at once would compete for
  // it, so the port is random.
  mkdirSync(dataDir, { recursive: true, mode: 0o711 })
  if (!existsSync(portsFile)) writeFileSync(portsFile, JSON.stringify({ api: randomInt(20_000, 32_000) }))
  const accessFile = join(dataDir, 'access.json')
  const before = existsSync(accessFile) ? statSync(accessFile).mtimeMs : 0
  // NODE_OPTIONS is removed: a test runner's options would be loaded into every process of the
  // product.
  const child: ChildProcess = spawn('env', ['-u', 'NODE_OPTIONS', process.execPath, ...(options.nodeArgs ?? []), entry], {
    cwd: root,
    env: { ...withoutAddresses(process.env), SERVICE_DATA_DIR: dataDir, ...options.environment },
    stdio: ['ignore', 'pipe', 'pipe']
  })
  let output = ''
  child.stdout?.on('data', (chunk: Buffer) => {
    output += chunk
  })
  child.stderr?.on('data', (chunk: Buffer) => {
    output += chunk
  })
  const exited = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)))
  let over = false
  // 'close' comes after the last output, which says why it ended.
  child.once('close', () => {
    over = true
  })
  try {
    await until(
      'the service to start',
      async () => {
        if (over) throw new Error(`the service did not start:\n${output}`)
        if (!existsSync(accessFile) || statSync(accessFile).mtimeMs <= before) return null
        // This line means that the intake and the gateway are up, too, not only the api.
        if (!output.includes('The service runs at')) return null
        const healthy = await fetch(`${readJson<Access>(accessFile).base_url}/health`, { signal: AbortSignal.timeout(ANSWER_MS) }).then(
          (answer) => answer.ok,
          () => false
        )
        return healthy ? true : null
      },
      START_MS
    )
  } catch (error) {
    child.kill('SIGTERM')
    await exited
    if (!options.dataDir) rmSync(dataDir, { recursive: true, force: true })
    throw error
  }
  return {
    ...attach(dataDir),
    output: () => output,
    closeOutput() {
      child.stdout?.destroy()
      child.stderr?.destroy()
    },
    async stop() {
      child.kill('SIGTERM')
      const code = await exited
      if (!options.dataDir && !options.keepData) rmSync(dataDir, { recursive: true, force: true })
      return code
    },
    forget: () => rmSync(dataDir, { recursive: true, force: true }),
    async kill() {
      child.kill('SIGKILL')
      await exited
    }
  }
}

export const accessOf = (dataDir: string): Access => readJson(join(dataDir, 'access.json'))

/**
 * Connects to a product that already runs, by its data folder. `access` may be that of another
 * workspace than its first.
 */
export function attach(
  dataDir: string,
  access = accessOf(dataDir)
): Pick<Product, 'dataDir' | 'access' | 'pids' | 'port' | 'api' | 'pool'> {
  return {
    dataDir,
    access,
    pids: () => readJson(join(dataDir, 'pids.json')),
    port: (name) => readJson<Record<string, number>>(join(dataDir, 'ports.json'))[name] ?? 0,
    async api(method, path, body, token = access.api_token) {
      const answer = await fetch(access.base_url + path, {
        method,
        headers: { authorization: `Bearer ${token}`, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
        signal: AbortSignal.timeout(ANSWER_MS),
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      })
      const text = await answer.text()
      return { status: answer.status, headers: answer.headers, body: text === '' ? {} : JSON.parse(text) }
    },
    pool() {
      const addresses = parseEnv(readFileSync(join(dataDir, ENGINES_FILE), 'utf8'))
      return createPool(addresses.SERVICE_POSTGRES_SYSTEM_URL ?? '', { application_name: 'test', max: 4 })
    }
  }
}

/** Removes the engine addresses of the test run, which the product must not use as its own. */
function withoutAddresses(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith('SERVICE_') && name !== 'TAP'))
}

export interface TestWorkspace {
  tenant_id: string
  apiToken: string
  /** Token of an inbound integration of the requested source type. */
  door: string
  integration_id: string
}

/**
 * Creates a workspace with an API token and an inbound integration directly in the store, for runs
 * that need many workspaces.
 */
export async function makeWorkspace(
  pool: Pool,
  name: string,
  sourceType: 'alertmanager' | 'generic',
  plan: PlanId = 'enterprise'
): Promise<TestWorkspace> {
  const token = mintApiToken()
  const { tenant_id } = await createWorkspace(pool, {
    workspace_name: name,
    slug: name,
    plan,
    email: `${name}@example.test`,
    user_name: name,
    password_hash: await hashPassword(token.value),
    token: { name: 'test', sha256: token.sha256, prefix: token.prefix, scopes: ['read', 'write', 'incidents:act', 'admin'] }
  })
  const door = mintIntegrationToken()
  const integration = await tenantTransaction(pool, wholeWorkspace(tenant_id), (tx) =>
    insertIntegration(tx, tenant_id, {
      name,
      source_type: sourceType,
      ...unset,
      integration_id: uuidv7(),
      sha256: door.sha256,
      prefix: door.prefix
    })
  )
  return { tenant_id, apiToken: token.value, door: door.value, integration_id: integration.integration_id }
}
