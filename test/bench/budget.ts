/**
 * B4: what it costs to refuse a request, and how much a flood of one workspace slows its
 * neighbours.
 *
 * - CPU of intake per 429 answer: closed-loop load on a workspace far over its budget, compared
 *   with a bare nginx that answers 202 to the same requests, in ABBA order.
 * - The p99 of 50 workspaces that together send 500 alerts a second (open loop), first alone and
 *   then while one more workspace sends a hundred times its budget, in ABBA order.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { program } from '../harness/debian.ts'
import { makeWorkspace } from '../harness/product.ts'
import { closedLoad, writeScript } from './closed-load.ts'
import { figure, median, percentile, printMachine } from './figures.ts'
import { openLoad, requestBytes } from './open-load.ts'
import { nginx } from './peers/nginx.ts'
import { cpuSeconds } from './processes.ts'
import { stand } from './stand.ts'

const CONNECTIONS = 64
const NEIGHBOURS = 50
const NEIGHBOUR_RATE = 500
/** A hundred times 1,000 alerts a minute. */
const FLOOD_RATE = Math.round((100 * 1000) / 60)
const REFUSAL_TARGET = 2
const SHIFT_TARGET = 1.1

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { pairs: { type: 'string', default: '7' }, secs: { type: 'string', default: '6' } } })
  const pairs = Number(values.pairs)
  const secs = Number(values.secs)
  await program('wrk', 'wrk')
  printMachine(
    `refusals: wrk closed loop, ${CONNECTIONS} connections, CPU per answer, ${pairs} pairs of ${secs} s beside nginx; neighbours: ${NEIGHBOURS} workspaces, ${NEIGHBOUR_RATE} alerts/s together, open loop, with and without a flood of ${FLOOD_RATE}/s, ${pairs} pairs of ${secs} s; order ABBA; medians of per-pair ratios`
  )
  const folder = mkdtempSync(join(tmpdir(), 'service-budget-test-'))
  const bench = await stand(['alerts.inbound.v1', 'alerts.raw.v1', 'ingest.usage.v1', 'tenant.budgets.v1'])
  const floor = await nginx(folder)
  console.log(`peer: ${floor.name}: ${floor.version}`)
  try {
    const role = await bench.role(['intake'])
    const port = role.ports[0] ?? 0
    // The flooding workspace has the smallest plan. The neighbours stay far below their budgets.
    const flooding = await makeWorkspace(bench.pool, 'flood', 'generic', 'free')
    const doors: string[] = []
    for (let index = 0; index < NEIGHBOURS; index++) doors.push((await makeWorkspace(bench.pool, `neighbour-${index}`, 'generic')).door)
    const body = JSON.stringify({ title: 'Disk full on db-7', severity: 'critical', dedup_key: 'db-7/disk' })
    const json = { 'Content-Type': 'application/json' }
    const incoming = (door: string): string => `/api/v1/webhooks/incoming/${door}`
    const file = join(folder, 'flood.lua')
    writeScript({ file, path: incoming(flooding.door), headers: json, bodies: [body] })

    const refusal = async (): Promise<number> => {
      const before = cpuSeconds(role.pid)
      const { requests, refused } = await closedLoad(file, port, CONNECTIONS, secs)
      if (refused < requests * 0.95) throw new Error(`only ${refused} of ${requests} were refused`)
      return ((cpuSeconds(role.pid) - before) * 1e6) / requests
    }
    const bare = async (): Promise<number> => {
      const before = floor.cpu()
      const { requests } = await closedLoad(file, floor.port, CONNECTIONS, secs)
      return ((floor.cpu() - before) * 1e6) / requests
    }
    await refusal()
    await bare()
    const costs: { ours: number; theirs: number }[] = []
    for (let pair = 0; pair < pairs; pair++) {
      const [first, second] = pair % 2 ? [await bare(), await refusal()] : [await refusal(), await bare()]
      const [ours = 0, theirs = 0] = pair % 2 ? [second, first] : [first, second]
      costs.push({ ours, theirs })
      console.log(`  pair ${pair + 1}: a refusal ${ours.toFixed(1)} us, nginx ${theirs.toFixed(1)} us`)
    }

    const own = requestBytes('POST', incoming(flooding.door), json, body)
    const theirs = doors.map((door) => requestBytes('POST', incoming(door), json, body))
    const neighbours = async (): Promise<number> => {
      const { latencies, statuses, unanswered } = await openLoad({
        port,
        rate: NEIGHBOUR_RATE,
        seconds: secs,
        connections: NEIGHBOURS,
        request: (index) => theirs[index % NEIGHBOURS] as Buffer
      })
      if (unanswered > 0 || [...statuses.keys()].some((status) => status !== 200))
        throw new Error(`neighbours were not all accepted: ${JSON.stringify([...statuses])}, ${unanswered} unanswered`)
      return percentile(latencies, 0.99)
    }
    const flooded = async (): Promise<number> => {
      const [p99, flood] = await Promise.all([
        neighbours(),
        openLoad({ port, rate: FLOOD_RATE, seconds: secs, connections: 8, request: () => own })
      ])
      if ((flood.statuses.get(429) ?? 0) < FLOOD_RATE * secs * 0.8) throw new Error('the flood was not refused')
      return p99
    }
    await flooded()
    const shifts: { alone: number; beside: number }[] = []
    for (let pair = 0; pair < pairs; pair++) {
      const [first, second] = pair % 2 ? [await flooded(), await neighbours()] : [await neighbours(), await flooded()]
      const [alone = 0, beside = 0] = pair % 2 ? [second, first] : [first, second]
      shifts.push({ alone, beside })
      console.log(`  pair ${pair + 1}: neighbours' p99 ${alone.toFixed(1)} ms alone, ${beside.toFixed(1)} ms beside the flood`)
    }

    const cost = median(costs.map(({ ours }) => ours))
    const ratio = median(costs.map(({ ours, theirs: peer }) => ours / peer))
    figure({
      id: 'B4_REFUSAL',
      value: cost,
      unit: 'us',
      peer: { name: floor.name, value: cost / ratio },
      target: { op: '<=', value: REFUSAL_TARGET }
    })
    const p99 = median(shifts.map(({ beside }) => beside))
    const shift = median(shifts.map(({ alone, beside }) => beside / alone))
    figure({
      id: 'B4_NEIGHBOURS',
      value: p99,
      unit: 'ms',
      peer: { name: 'without-flood', value: p99 / shift },
      target: { op: '<=', value: SHIFT_TARGET }
    })
  } finally {
    await floor.stop()
    await bench.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}
