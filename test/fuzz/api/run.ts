/**
 * The run itself: it sends one request at a time and judges each answer, then tests sockets. At the
 * end it checks memory, and that nothing of the other workspace has changed.
 */
import { type Fault, judge, judgeTwins, mayCall } from './checks.ts'
import { createDoors, judgeDoor } from './doors.ts'
import type { Answer, Sent } from './http.ts'
import { known } from './known.ts'
import type { Memory, RoleProcess } from './processes.ts'
import { type Asked, createMaker, told } from './requests.ts'
import { shrink } from './shrink.ts'
import { fuzzSockets, type SocketRun } from './sockets.ts'
import type { FuzzStand } from './stand.ts'
import { addContent, addTenantWithContent, addVictim, deliver, harvest, mend, type Tenant } from './world.ts'

export interface RunOptions {
  seed: number
  /** Number of the first request. */
  from: number
  /** Whether to send another request after `n` of them. */
  more(n: number): boolean
  sockets: number
  /** One request in this many goes to a door. */
  doorEvery: number
  /** Limit of the api's CPU time for a request, in ms; more is a fault. null: not checked. */
  mostCpuMs: number | null
  /**
   * By how much a process may grow from the end of its warm-up to the end of the run, measured
   * after a garbage collection.
   */
  mostGrowthMiB: number
  tell(line: string): void
}

export interface Failure {
  fault: Fault
  /** The whole request, without credentials. */
  asked: string
}

export interface MemoryRun {
  name: string
  warm: Memory
  end: Memory
}

export interface Report {
  requests: number
  /** Operation, caller or kind → class of status → count. */
  byOperation: Counts
  byActor: Counts
  byKind: Counts
  doors: Counts
  statuses: Map<number, number>
  twins: number
  foreign: number
  slowest: { cpuMs: number; asked: string }
  faults: Map<Fault['what'], number>
  failures: Failure[]
  known: Map<string, number>
  memory: MemoryRun[]
  sockets: SocketRun
  seconds: number
}

export type Counts = Map<string, Map<string, number>>

/**
 * Number of workspaces in use at once. Limits are per workspace, and a single one would reach them
 * all the time.
 */
const TENANTS = 6
/**
 * After this many requests a workspace is replaced by a new one, so that lists stay as long as real
 * ones.
 */
const RENEW = 4000
/** After this many requests the process is warm: caches and compiled code exist by then. */
const WARM = 1500
const MAX_FAILURES = 40
const HELLO_MS = 5000
const MIB = 1024 * 1024
/** How often a slow request is sent again, because other programs may have slowed it down. */
const AGAIN = 3

const count = (counts: Counts, name: string, status: string): void => {
  const row = counts.get(name) ?? new Map<string, number>()
  row.set(status, (row.get(status) ?? 0) + 1)
  counts.set(name, row)
}

const classOf = (status: number): string => (status === 429 ? '429' : status === 0 ? 'none' : `${Math.floor(status / 100)}xx`)

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return null
  }
}

/** What the service logged about a request, if anything. */
function logged({ complaints }: RoleProcess, answer: Answer): string {
  const id = String(answer.headers['x-request-id'] ?? 'none')
  const line = complaints().find((one) => one.includes(id))
  const error = Reflect.get(Object(parsed(line ?? '')), 'err') as { message?: string; stack?: string } | undefined
  return error ? `\n    logged: ${error.message} ${(error.stack ?? '').split('\n').slice(1, 4).join(' | ')}` : ''
}

export async function fuzzApi(stand: FuzzStand, options: RunOptions): Promise<Report> {
  const { api, rest, client, pool, operations } = stand
  const { seed, from, mostCpuMs, tell } = options
  const maker = createMaker(operations, seed)
  const doors = createDoors(seed)
  const report: Report = {
    requests: 0,
    byOperation: new Map(),
    byActor: new Map(),
    byKind: new Map(),
    doors: new Map(),
    statuses: new Map(),
    twins: 0,
    foreign: 0,
    slowest: { cpuMs: 0, asked: '' },
    faults: new Map(),
    failures: [],
    known: new Map(),
    memory: [],
    sockets: { sockets: 0, frames: 0, codes: new Map(), faults: [] },
    seconds: 0
  }
  const began = performance.now()

  function fail(fault: Fault, asked: string): void {
    const before = report.faults.get(fault.what) ?? 0
    report.faults.set(fault.what, before + 1)
    // The same fault over and over adds nothing, so only some of them are kept.
    const alike = report.failures.filter(
      (one) => one.fault.what === fault.what && one.asked.split(' ', 1)[0] === asked.split(' ', 1)[0]
    ).length
    if (alike >= 2 || report.failures.length >= MAX_FAILURES) return
    report.failures.push({ fault, asked })
    tell(`FAULT ${fault.what}: ${fault.why}\n    ${asked}`)
  }

  await stand.hello()
  let helloAt = performance.now()
  const victim = await addVictim(stand, stand.prober)
  const before = await victim.dump()
  let names = 0
  const renewed = async (): Promise<Tenant> => {
    const tenant = await addTenantWithContent(stand, `fuzz-${seed}-${names++}`, stand.prober)
    await deliver(stand, tenant)
    return tenant
  }
  const tenants: Tenant[] = []
  for (let i = 0; i < TENANTS; i++) tenants.push(await renewed())
  const processes = [api, rest]
  const holds = (): Promise<Memory[]> => Promise.all(processes.map((one) => one.memory()))
  let warm: Memory[] | null = null

  /** Sends a request. Returns the answer and the api's CPU time for it in ms. */
  async function timed(sent: Sent): Promise<{ answer: Answer; cpuMs: number }> {
    const start = api.cpuMs()
    const answer = await client.send(sent)
    const end = api.cpuMs()
    return { answer, cpuMs: start === null || end === null ? 0 : end - start }
  }

  /** Like `timed`, but sends a slow request again; the smallest of its times counts. */
  async function measured(sent: Sent): Promise<{ answer: Answer; cpuMs: number }> {
    const first = await timed(sent)
    let { cpuMs } = first
    for (let i = 0; i < AGAIN && mostCpuMs !== null && cpuMs > mostCpuMs; i++) cpuMs = Math.min(cpuMs, (await timed(sent)).cpuMs)
    return { answer: first.answer, cpuMs }
  }

  /** Shrinks a request with a JSON body that gets a 5xx answer. */
  async function smallest(asked: Asked, { status }: Answer): Promise<Asked> {
    const value = parsed(asked.sent.body?.toString() ?? '')
    if (value === null || typeof value !== 'object') return asked
    const withBody = (one: unknown): Asked => ({ ...asked, sent: { ...asked.sent, body: Buffer.from(JSON.stringify(one)) } })
    return withBody(await shrink(value, async (one) => (await client.send(withBody(one).sent)).status === status))
  }

  async function judged(asked: Asked, answer: Answer, faults: readonly Fault[]): Promise<void> {
    for (const fault of faults) {
      const entry = known.find((one) => one.is(asked, fault))
      if (entry) {
        report.known.set(entry.name, (report.known.get(entry.name) ?? 0) + 1)
        continue
      }
      const isNew = !report.failures.some((one) => one.fault.what === fault.what && one.asked.startsWith(`${asked.operation.id} `))
      const shown = fault.what === '5xx' && isNew ? await smallest(asked, answer) : asked
      fail(fault, `${told(shown)}${logged(api, answer)}\n    again: npm run fuzz -- api --seed ${seed} --from ${asked.n} --requests 1`)
    }
  }

  async function ask(n: number, index: number): Promise<void> {
    const tenant = tenants[index]
    if (!tenant) return
    const asked = maker.make(n, tenant, victim.tenant)
    const { operation, actor, kind, params } = asked
    const { answer, cpuMs } = await measured(asked.sent)
    const status = classOf(answer.status)
    count(report.byOperation, operation.id, status)
    count(report.byActor, actor.name, status)
    count(report.byKind, kind, status)
    report.statuses.set(answer.status, (report.statuses.get(answer.status) ?? 0) + 1)
    const faults = judge(asked, answer, victim)
    if (cpuMs > report.slowest.cpuMs)
      report.slowest = { cpuMs, asked: `${operation.id} by ${actor.name}, ${kind}, ${asked.sent.body?.length ?? 0} bytes (request ${n})` }
    if (mostCpuMs !== null && cpuMs > mostCpuMs) faults.push({ what: 'processor time', why: `${cpuMs} ms` })
    if (asked.foreign) {
      report.foreign++
      const twin = await client.send(maker.twin(asked).sent)
      report.twins++
      faults.push(...judgeTwins(answer, twin))
    }
    await judged(asked, answer, faults)
    if (answer.status >= 200 && answer.status < 300) {
      const isObject = operation.path.endsWith('}')
      harvest(
        tenant,
        isObject ? operation.path.slice(0, operation.path.lastIndexOf('/{')) : operation.path,
        isObject ? params.slice(0, -1) : params,
        parsed(answer.body)
      )
    }
    const isGone =
      operation.method === 'DELETE' ? answer.status === 204 : answer.status === 404 && kind === 'valid' && mayCall(actor, operation)
    if (isGone) await forget(tenant, operation.path, params)
    if (answer.status === 401 && actor.role !== null && operation.security.length > 0 && mayCall(actor, operation))
      await mend(pool, tenant, actor)
  }

  /** An object that no longer exists is removed from the pool, and another takes its place. */
  async function forget(tenant: Tenant, path: string, params: readonly string[]): Promise<void> {
    if (params.length === 0 || !path.endsWith('}')) return
    const collection = path.slice(0, path.lastIndexOf('/{'))
    const kept = (tenant.pools.get(collection) ?? []).filter((one) => one.at(-1) !== params.at(-1))
    tenant.pools.set(collection, kept)
    if (kept.length === 0) await addContent(stand, tenant, collection, `more ${names++}`)
  }

  async function knock(n: number, tenant: Tenant): Promise<void> {
    const sent = doors.make(n, tenant)
    if (!sent) return
    const answer = await client.send(sent)
    count(report.doors, sent.method, classOf(answer.status))
    for (const fault of judgeDoor(answer, sent, victim)) {
      const path = sent.path.replace(/svc_[\w-]+/g, 'svc_…').replace(/(ping\/)[\w-]{30,}/, '$1…')
      fail(
        fault,
        `door ${sent.method} ${path}\n    ${JSON.stringify(sent.body?.toString('latin1').slice(0, 2000) ?? '')}${logged(rest, answer)}`
      )
    }
  }

  for (let n = from; options.more(n - from); n++) {
    // Every operation is sent for every workspace, whatever the number of either.
    const index = (n + Math.floor(n / operations.length)) % TENANTS
    await ask(n, index)
    report.requests++
    const tenant = tenants[index]
    if (tenant && n % options.doorEvery === 0) await knock(n, tenant)
    if (report.requests % RENEW === 0) tenants[(report.requests / RENEW) % TENANTS] = await renewed()
    if (report.requests === WARM) warm = await holds()
    if (performance.now() - helloAt > HELLO_MS) {
      await stand.hello()
      helloAt = performance.now()
    }
    const over = processes.find((one) => one.ended() !== null)
    if (over) {
      fail({ what: 'process', why: `${over.ended()}\n${over.complaints().slice(-5).join('\n')}` }, `request ${n}`)
      report.seconds = (performance.now() - began) / 1000
      return report
    }
  }

  report.sockets = await fuzzSockets({ port: stand.port, seed, sockets: options.sockets, tenants, victim })
  for (const { frames, ...fault } of report.sockets.faults) fail(fault, `socket, frames ${JSON.stringify(frames)}`)

  const after = await victim.dump()
  for (const [table, rows] of before)
    if (after.get(table) !== rows) fail({ what: 'changed', why: `${table} of the other workspace` }, changes(rows, after.get(table) ?? ''))
  const end = await holds()
  for (const [index, one] of processes.entries()) {
    const [first, last] = [warm?.[index], end[index]]
    if (!first || !last) continue
    report.memory.push({ name: one.name, warm: first, end: last })
    const grown = (last.heapUsed + last.external - first.heapUsed - first.external) / MIB
    if (grown > options.mostGrowthMiB)
      fail({ what: 'memory', why: `${one.name} holds ${grown.toFixed(1)} MiB more after ${report.requests} requests` }, one.name)
  }
  report.seconds = (performance.now() - began) / 1000
  return report
}

/** The rows that differ, shortened. */
function changes(before: string, after: string): string {
  const rows = (text: string): Set<string> => new Set((JSON.parse(text || '[]') as unknown[]).map((row) => JSON.stringify(row)))
  const [old, now] = [rows(before), rows(after)]
  const lost = [...old].filter((row) => !now.has(row))
  const come = [...now].filter((row) => !old.has(row))
  return `rows gone: ${lost.slice(0, 2).join(' ').slice(0, 1500)}\n    rows come: ${come.slice(0, 2).join(' ').slice(0, 1500)}`
}
