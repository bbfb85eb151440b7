/**
 * READ: what a read of the API costs, as CPU of the api and of Postgres together, beside the
 * cheapest read with a token (the sources of alerts, which the api reads from its own code). The
 * product runs as `npm start` runs it. Each workspace has open incidents, monitors, a schedule and
 * a policy; the clients ask for each thing one request after another, and take a different
 * workspace and row each time.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { makeWorkspace, type Product, startProduct, until } from '../harness/product.ts'
import { figure, median, percentile, printMachine } from './figures.ts'
import { cpuSeconds, treeCpuSeconds } from './processes.ts'

/** Each has a bucket of 200 requests a second (schemas/plans.ts, enterprise). */
const WORKSPACES = 6
const INCIDENTS = 50
const MONITORS = 30
const CLIENTS = 4
/** Multiples of the cheapest read. */
const TARGETS = { incident: 13, incidents: 26, monitor: 8, monitors: 30, policy: 26, schedule: 16, workspace: 3 }

interface Filled {
  token: string
  incidents: string[]
  monitors: string[]
  schedules: string[]
  policies: string[]
}

async function fill(product: Product, name: string): Promise<Filled> {
  const pool = product.pool()
  const workspace = await makeWorkspace(pool, name, 'generic').finally(() => pool.end())
  const token = workspace.apiToken
  const make = async (path: string, body: object): Promise<string> => {
    const { status, body: made } = await product.api('POST', path, body, token)
    if (status !== 201) throw new Error(`POST ${path} answered ${status}: ${JSON.stringify(made)}`)
    return (made as { id: string }).id
  }
  for (let nth = 0; nth < INCIDENTS; nth++) {
    const answer = await fetch(`${product.access.base_url}/api/v1/webhooks/incoming/${workspace.door}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ title: `Disk full on db-${nth}`, severity: 'critical', dedup_key: `db-${nth}` })
    })
    if (!answer.ok) throw new Error(`an alert was answered ${answer.status}`)
  }
  for (let nth = 0; nth < MONITORS; nth++)
    await make('/api/v1/monitors', {
      name: `Shop ${nth}`,
      type: 'http',
      target: `https://shop-${nth}.example.com/`,
      interval_seconds: 86_400
    })
  const idsAt = async (path: string, field = 'id'): Promise<string[]> => {
    const { status, body } = await product.api('GET', path, undefined, token)
    if (status !== 200) throw new Error(`GET ${path} answered ${status}: ${JSON.stringify(body)}`)
    return (body as { items: Record<string, string>[] }).items.map((item) => item[field] ?? '')
  }
  const incidents = await until('all incidents', async () => {
    const found = await idsAt(`/api/v1/incidents?per_page=${INCIDENTS}`)
    return found.length === INCIDENTS ? found : null
  })
  const [person = ''] = await idsAt('/api/v1/workspace/members', 'user_id')
  const layer = { name: 'Day', participants: [person], rotation: 'daily', handoff_time: '09:00', starts_on: '2026-01-01' }
  const schedule = await make('/api/v1/on-call/schedules', { name: 'Primary', time_zone: 'Europe/Berlin', layers: [layer] })
  const targets = [{ type: 'schedule', id: schedule }]
  const steps = [{ targets }, { targets: [{ type: 'user', id: person }], delay_seconds: 300 }]
  const policy = await make('/api/v1/on-call/escalation-policies', { name: 'Day and night', steps })
  const monitors = await idsAt(`/api/v1/monitors?per_page=${MONITORS}`)
  return { token, incidents, monitors, schedules: [schedule], policies: [policy] }
}

interface Cost {
  /** Microseconds of CPU a request. */
  api: number
  postgres: number
  p50Ms: number
}

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: { rounds: { type: 'string', default: '5' }, requests: { type: 'string', default: '400' } }
  })
  const [rounds, requests] = [Number(values.rounds), Number(values.requests)]
  printMachine(
    `${WORKSPACES} workspaces with ${INCIDENTS} open incidents and ${MONITORS} monitors; ${CLIENTS} clients; ${rounds} rounds of ${requests} requests each, order turned round each time; medians`
  )
  const product = await startProduct({})
  try {
    const filled: Filled[] = []
    for (let nth = 0; nth < WORKSPACES; nth++) filled.push(await fill(product, `reads-${nth}`))
    const at = <T>(list: readonly T[], nth: number): T => list[nth % list.length] as T
    const reads: Record<string, (workspace: Filled, nth: number) => string> = {
      floor: () => '/api/v1/integrations/sources?per_page=1',
      workspace: () => '/api/v1/workspace',
      incident: ({ incidents }, nth) => `/api/v1/incidents/${at(incidents, nth)}`,
      incidents: () => '/api/v1/incidents?status=ongoing&per_page=50',
      monitor: ({ monitors }, nth) => `/api/v1/monitors/${at(monitors, nth)}`,
      monitors: () => '/api/v1/monitors?per_page=50',
      policy: ({ policies }, nth) => `/api/v1/on-call/escalation-policies/${at(policies, nth)}`,
      schedule: ({ schedules }, nth) => `/api/v1/on-call/schedules/${at(schedules, nth)}`
    }
    const measure = async (pathOf: (workspace: Filled, nth: number) => string): Promise<Cost> => {
      const { api = 0, postgres = 0 } = product.pids()
      const before = { api: cpuSeconds(api), postgres: treeCpuSeconds(postgres) }
      const took: number[] = []
      let next = 0
      const ask = async (): Promise<void> => {
        for (let nth = next++; nth < requests; nth = next++) {
          const workspace = at(filled, nth)
          const from = performance.now()
          const path = pathOf(workspace, Math.floor(nth / WORKSPACES))
          const answer = await fetch(product.access.base_url + path, { headers: { authorization: `Bearer ${workspace.token}` } })
          const text = await answer.text()
          if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}: ${text.slice(0, 200)}`)
          took.push(performance.now() - from)
        }
      }
      await Promise.all(Array.from({ length: CLIENTS }, ask))
      return {
        api: ((cpuSeconds(api) - before.api) * 1e6) / requests,
        postgres: ((treeCpuSeconds(postgres) - before.postgres) * 1e6) / requests,
        p50Ms: percentile(took, 0.5)
      }
    }
    const costs = new Map<string, Cost[]>(Object.keys(reads).map((name) => [name, []]))
    for (let round = -1; round < rounds; round++) {
      const order = Object.entries(reads)
      for (const [name, pathOf] of round % 2 === 0 ? order : order.reverse()) {
        const cost = await measure(pathOf)
        if (round >= 0) costs.get(name)?.push(cost)
        await sleep(500)
      }
    }
    const middle = (name: string, of: (cost: Cost) => number): number => median((costs.get(name) ?? []).map(of))
    const whole = (cost: Cost): number => cost.api + cost.postgres
    for (const name of Object.keys(reads))
      console.log(
        `  ${name.padEnd(10)} api ${middle(name, ({ api }) => api).toFixed(0)} us + Postgres ${middle(name, ({ postgres }) => postgres).toFixed(0)} us a request, p50 ${middle(name, ({ p50Ms }) => p50Ms).toFixed(1)} ms`
      )
    const floor = { name: 'floor', value: middle('floor', whole) }
    for (const [name, most] of Object.entries(TARGETS))
      figure({
        id: `READ_${name.toUpperCase()}`,
        value: middle(name, whole),
        unit: 'us',
        peer: floor,
        target: { op: '<=', value: most }
      })
  } finally {
    await product.stop()
  }
}
