/**
 * The service side of the prober protocol, played for benchmarks, and a prober in a process of its
 * own. The service assigns monitors and receives results, which are counted and read for their
 * times but not kept.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { projectRoot } from '../../schemas/files.ts'
import type { Assignment, ConfigAnswer, HelloAnswer, HelloBody, ResultsBody } from '../../schemas/http/prober.ts'
import { until } from '../harness/until.ts'
import { end } from './peers/peer.ts'
import { treeCpuSeconds } from './processes.ts'

const TOKEN = `prober_${'be'.repeat(32)}`
const BATCH = 500

export interface Counted {
  /** Results by outcome. */
  outcomes: Map<string, number>
  /** How late each result began after its slot, ms. */
  lateness: number[]
  /** When each check began, epoch ms. */
  starts: number[]
}

export interface ProberService {
  url: string
  kinds: string[]
  /** Replaces the assigned monitors. */
  assign(monitors: Assignment[]): void
  counted: Counted
  /** Begins to count anew. */
  reset(): void
  close(): void
}

async function read<T>(request: IncomingMessage): Promise<T> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return JSON.parse(Buffer.concat(chunks).toString('utf8')) as T
}

const none = (): Counted => ({ outcomes: new Map(), lateness: [], starts: [] })

export async function proberService(): Promise<ProberService> {
  let version = 1
  let monitors: Assignment[] = []
  const waiters = new Set<() => void>()
  const send = (response: ServerResponse, status: number, body?: object): void =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(body && JSON.stringify(body))

  async function hello(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { instance_id, kinds, leaving, clock_at } = await read<HelloBody>(request)
    service.kinds = kinds
    const now = Date.now()
    const answer: HelloAnswer = {
      region: 'bench',
      label: 'Bench',
      country: null,
      server_time: new Date(now).toISOString(),
      skew_ms: Date.parse(clock_at ?? '') - now,
      live: leaving ? [] : [{ instance_id, kinds }],
      assignment_version: version,
      config: { result_batch: BATCH, result_flush_ms: 1000, min_version: '0.0.0', block_cidrs: [] },
      drain: false
    }
    send(response, 200, answer)
  }

  async function config(response: ServerResponse, since: number): Promise<void> {
    if (since === version)
      await new Promise<void>((resolve) => {
        waiters.add(resolve)
        response.once('close', resolve)
      })
    if (response.destroyed) return
    const answer: ConfigAnswer = { version, full: true, monitors, removed: [], once: [] }
    send(response, 200, answer)
  }

  async function results(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { results: given } = await read<ResultsBody>(request)
    const { outcomes, lateness, starts } = service.counted
    for (const { outcome, started_at, scheduled_at, attempts } of given) {
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
      if (attempts.length === 0) continue
      const start = Date.parse(started_at)
      starts.push(start)
      lateness.push(start - Date.parse(scheduled_at))
    }
    send(response, 202, { accepted: given.length })
  }

  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://bench')
    const path = url.pathname.split('/').at(-1)
    const done =
      path === 'hello'
        ? hello(request, response)
        : path === 'config'
          ? config(response, Number(url.searchParams.get('since') ?? 0))
          : results(request, response)
    done.catch((error: Error) => response.destroy(error))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const service: ProberService = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    kinds: [],
    assign(given) {
      monitors = given
      version++
      for (const wake of waiters) wake()
      waiters.clear()
    },
    counted: none(),
    reset() {
      service.counted = none()
    },
    close() {
      server.closeAllConnections()
      server.close()
    }
  }
  return service
}

export interface ProberProcess {
  pid: number
  /** CPU seconds of the prober and of the processes it started. */
  cpu(): number
  /** Resident memory of the process, MiB. */
  rss(): number
  stop(): Promise<void>
}

export interface ProberProcessOptions {
  concurrency: number
  resolvers?: string
  /** Folder where a CPU profile is written when the process ends. */
  profile?: string | undefined
}

/** Starts the role `prober` as it is shipped. Resolves once it has said hello. */
export async function proberProcess(service: ProberService, options: ProberProcessOptions): Promise<ProberProcess> {
  const { concurrency, resolvers = '', profile } = options
  const entry = join(projectRoot, 'dist/services/process/run.js')
  const args = [...(profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`]), entry, 'prober']
  let said = ''
  const child: ChildProcess = spawn(process.execPath, args, {
    env: {
      PATH: process.env.PATH,
      NODE_ENV: 'production',
      SERVICE_PROBER_URL: service.url,
      SERVICE_PROBER_TOKEN: TOKEN,
      SERVICE_PROBER_INSTANCE: 'bench-1',
      SERVICE_PROBER_CONCURRENCY: String(concurrency),
      SERVICE_METRICS_PORT: '0',
      PROBER_ALLOW_CIDRS: '127.0.0.0/8',
      PROBER_DNS_RESOLVERS: resolvers
    },
    stdio: ['ignore', 'pipe', 'pipe']
  })
  const note = (part: Buffer): void => {
    said = `${said}${part}`.slice(-4000)
  }
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', note)
  const pid = child.pid ?? 0
  await until(
    'the prober to say hello',
    () => {
      if (child.exitCode !== null) throw new Error(`the prober ended: ${said}`)
      return service.kinds.length > 0
    },
    30_000
  )
  return {
    pid,
    cpu: () => treeCpuSeconds(pid),
    rss: () => Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024,
    stop: () => end(child)
  }
}
