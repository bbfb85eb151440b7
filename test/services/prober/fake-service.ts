/**
 * A fake of the service for probers, in this process. It speaks the protocol, keeps what it is
 * sent, and becomes unavailable when told to.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'
import { mapSecrets } from '../../../schemas/http/check-config.ts'
import type { Assignment, Capture, HelloBody, OnDemandCheck, Result, ResultsBody, TrialBody } from '../../../schemas/http/prober.ts'
import { sealTo } from '../../../services/credentials/sealing.ts'

export const TOKEN = `prober_${'5a'.repeat(32)}`

export interface FakeService {
  url: string
  /** How it answers: normally, with 503, or by cutting the connection. */
  mode: 'up' | '503' | 'cut'
  /** Milliseconds that its clock is ahead of this machine's. */
  aheadMs: number
  /** Answers a poll at once, with or without changes. */
  isEager: boolean
  resultBatch: number
  blockCidrs: string[]
  hellos: HelloBody[]
  /** The batches that it accepted, and the results in the order of arrival. */
  batches: ResultsBody[]
  results: Result[]
  /** Captured answers of failed checks. */
  captures: Capture[]
  /** The status with which it refuses batches with captures; 0: it accepts them. */
  refusesCaptures: number
  /** What trials came to. */
  trials: TrialBody[]
  /** Requests with results that it did not accept. */
  refused: number
  /** The token that it accepts, and how often it was sent another one. */
  token: string
  unauthorized: number
  polls: number
  /** Answers 422 to a batch with such a result. */
  isMisshapen: (result: Result) => boolean
  assign(...monitors: Assignment[]): void
  remove(...ids: string[]): void
  once(check: OnDemandCheck): void
  of(monitorId: string): Result[]
}

export async function fakeService(t: Test): Promise<FakeService> {
  const monitors = new Map<string, { assignment: Assignment; version: number; removed: boolean }>()
  const live = new Map<string, HelloBody>()
  let onceList: OnDemandCheck[] = []
  let version = 1
  const waiters = new Set<() => void>()
  const wake = (): void => {
    for (const waiter of waiters) waiter()
  }
  const read = async <T>(request: IncomingMessage): Promise<T> => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    return JSON.parse(Buffer.concat(chunks).toString('utf8')) as T
  }
  const send = (response: ServerResponse, status: number, body?: unknown): void =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(body === undefined ? undefined : JSON.stringify(body))

  function hello(response: ServerResponse, body: HelloBody): void {
    fake.hellos.push(body)
    if (body.leaving) live.delete(body.instance_id)
    else live.set(body.instance_id, body)
    const now = Date.now() + fake.aheadMs
    send(response, 200, {
      region: 'eu-test',
      label: 'Test',
      country: 'DE',
      server_time: new Date(now).toISOString(),
      skew_ms: Date.parse(body.clock_at ?? '') - now,
      live: [...live.values()].map(({ instance_id, kinds }) => ({ instance_id, kinds })),
      assignment_version: version,
      config: { result_batch: fake.resultBatch, result_flush_ms: 20, min_version: '0.0.0', block_cidrs: fake.blockCidrs },
      drain: false
    })
  }

  async function config(request: IncomingMessage, response: ServerResponse, query: URLSearchParams): Promise<void> {
    fake.polls++
    const since = query.has('since') ? Number(query.get('since')) : undefined
    const sibling = live.get(query.get('instance_id') ?? '')
    if (!sibling) return send(response, 409, {})
    const given = new Set<string>()
    const ready = (): boolean =>
      fake.isEager || since === undefined || since < version || onceList.some(({ check_id }) => !given.has(check_id))
    if (!ready()) {
      await new Promise<void>((resolve) => {
        waiters.add(resolve)
        request.once('close', resolve)
        response.once('close', resolve)
        t.teardown(resolve)
      })
    }
    if (response.destroyed) return
    const key = Buffer.from(sibling.public_key, 'base64')
    const changed = [...monitors.values()].filter((one) => since === undefined || one.version > since)
    send(response, 200, {
      version,
      full: since === undefined,
      monitors: changed
        .filter((one) => !one.removed)
        .map(({ assignment }) => ({ ...assignment, config: mapSecrets(assignment.config, (value) => sealTo(key, value)) })),
      removed: since === undefined ? [] : changed.filter((one) => one.removed).map(({ assignment }) => assignment.monitor_id),
      once: onceList
    })
    onceList = []
  }

  async function results(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await read<ResultsBody>(request)
    if (body.results.length > fake.resultBatch) return send(response, 413, {})
    if (body.results.some(fake.isMisshapen)) {
      fake.refused++
      return send(response, 422, {})
    }
    if (body.captures) {
      if (fake.refusesCaptures > 0) return send(response, fake.refusesCaptures, {})
      fake.captures.push(...body.captures)
      return send(response, 202, { accepted: body.captures.length })
    }
    fake.batches.push(body)
    fake.results.push(...body.results)
    send(response, 202, { accepted: body.results.length })
  }

  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://fake')
    if (fake.mode === 'cut') return void request.socket.destroy()
    if (request.headers.authorization !== `Bearer ${fake.token}`) {
      fake.unauthorized++
      return send(response, 401, {})
    }
    if (fake.mode === '503') {
      if (url.pathname.endsWith('/results')) fake.refused++
      request.resume()
      return send(response, 503, {})
    }
    if (url.pathname === '/api/v1/prober/hello') return hello(response, await read<HelloBody>(request))
    if (url.pathname === '/api/v1/prober/config') return config(request, response, url.searchParams)
    if (url.pathname === '/api/v1/prober/results') return results(request, response)
    if (url.pathname === '/api/v1/prober/trials') {
      fake.trials.push(await read<TrialBody>(request))
      return send(response, 200, { accepted: true })
    }
    send(response, 404, {})
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const fake: FakeService = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    mode: 'up',
    aheadMs: 0,
    isEager: false,
    resultBatch: 500,
    blockCidrs: [],
    hellos: [],
    batches: [],
    results: [],
    captures: [],
    refusesCaptures: 0,
    trials: [],
    refused: 0,
    token: TOKEN,
    unauthorized: 0,
    polls: 0,
    isMisshapen: () => false,
    assign(...list) {
      version++
      for (const assignment of list) monitors.set(assignment.monitor_id, { assignment, version, removed: false })
      wake()
    },
    remove(...ids) {
      version++
      for (const id of ids) {
        const held = monitors.get(id)
        if (held) monitors.set(id, { ...held, version, removed: true })
      }
      wake()
    },
    once(check) {
      onceList.push(check)
      wake()
    },
    of: (monitorId) => fake.results.filter(({ monitor_id }) => monitor_id === monitorId)
  }
  return fake
}
