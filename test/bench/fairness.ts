/**
 * FAIRNESS: time from the intended moment of posting an alert to its frame on a dashboard's socket,
 * for a workspace alone and for the same workspace while another sends 10,000 alerts a minute
 * through the same doors. The pairs run in ABBA order, and the result is the median of the ratios
 * of p99. Each run also prints how long its alerts spent in each stage, and how busy the machine
 * was.
 *
 * With `--rules`, the other workspace instead opens as many incidents as the first does, each
 * evaluated against the worst rules that may be saved (FAIRNESS_RULES).
 */
import { parseArgs } from 'node:util'
import { makeWorkspace, type Product, startProduct, type TestWorkspace } from '../harness/product.ts'
import { NO_STORM } from './deliver-latency.ts'
import { type Board, incidents, openLoop, openSockets } from './e2e.ts'
import { figure, median, percentile, printMachine } from './figures.ts'
import { endPosts, post } from './posts.ts'
import { machineTimes } from './processes.ts'
import { putSet } from './rules.ts'
import { stagesOf, TITLE_END } from './way.ts'
import { everyStep, hostileText } from './worst-rules.ts'

/** Prefix of the titles of the quiet workspace's alerts. */
const QUIET = 'quiet'
const QUIET_RATE = 10
const FLOOD_RATE = 10_000 / 60
/**
 * Number of distinct keys in the flood; they fire again and again, as real senders repeat alerts.
 */
const FLOOD_KEYS = 1000
const TARGET = 1.5

const alert = (title: string, key: string, summary = ''): string =>
  JSON.stringify({ title, severity: 'critical', dedup_key: key, ...(summary && { description: summary }) })

interface Flood {
  workspace: TestWorkspace
  rate: number
  body(name: string, index: number): string
}

const repeating = (workspace: TestWorkspace): Flood => ({
  workspace,
  rate: FLOOD_RATE,
  body: (name, index) => alert(`flood ${name} ${index}`, `flood ${name} ${index % FLOOD_KEYS}`)
})

function opening(workspace: TestWorkspace): Flood {
  const text = hostileText()
  return { workspace, rate: QUIET_RATE, body: (name, index) => alert(`worst ${name} ${index}`, `worst ${name} ${index}`, text) }
}

interface Stand {
  product: Product
  quiet: TestWorkspace
}

/** p99 of the quiet workspace, ms. Throws when one of its alerts is refused or gets no frame. */
async function measure({ product, quiet }: Stand, flood: Flood | null, name: string, ms: number): Promise<number> {
  const board: Board = { first: new Map(), last: new Map(), frames: 0 }
  const sockets = await openSockets(product, quiet, board)
  const door = product.port('intake')
  const sent: { title: string; intended: number }[] = []
  const answers: Promise<number>[] = []
  const flooded: Promise<number>[] = []
  const since = Date.now()
  const before = machineTimes()
  await Promise.all([
    openLoop(QUIET_RATE, ms, (index, intended) => {
      const title = `${QUIET} ${name} ${index}${TITLE_END}`
      sent.push({ title, intended })
      answers.push(post(door, quiet.door, alert(title, `${name} ${index}`)))
    }),
    flood &&
      openLoop(flood.rate, ms, (index) => {
        flooded.push(post(door, flood.workspace.door, flood.body(name, index)))
      })
  ])
  const after = machineTimes()
  const busy = 1 - (after.idle - before.idle) / (after.total - before.total)
  const refused = (await Promise.all(answers)).filter((status) => status !== 200).length
  const taken = (await Promise.all(flooded)).filter((status) => status === 200).length
  await new Promise((resolve) => setTimeout(resolve, 2000))
  for (const socket of sockets) socket.close()
  const ids = await incidents(product, quiet)
  const passed = sent.flatMap(({ title, intended }) => {
    const incident_id = ids.get(title) ?? ''
    const arrived = board.last.get(incident_id)
    return arrived === undefined ? [] : [{ title, intended, incident_id, arrived }]
  })
  const times = passed.map(({ intended, arrived }) => arrived - intended)
  const [p50, p99] = [percentile(times, 0.5), percentile(times, 0.99)]
  const beside = flood ? `beside ${taken} of ${flooded.length} alerts accepted` : 'alone'
  console.log(`  ${name}, ${beside}: ${times.length} frames, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`)
  console.log(`    ${await stagesOf(product, `${QUIET} ${name} `, since, passed)}; the machine was ${(100 * busy).toFixed(0)} % busy`)
  if (refused > 0 || times.length < sent.length) throw new Error(`${refused} refused, ${sent.length - times.length} without a frame`)
  return p99
}

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      pairs: { type: 'string', default: '5' },
      secs: { type: 'string', default: '15' },
      rules: { type: 'boolean', default: false }
    }
  })
  const [pairs, ms] = [Number(values.pairs), Number(values.secs) * 1000]
  printMachine(
    `open loop from the intended moment, ${QUIET_RATE} alerts/s of one workspace, alone and beside another ${values.rules ? 'that opens as many through the worst rules' : `at ${(FLOOD_RATE * 60).toFixed(0)} a minute over ${FLOOD_KEYS} keys`}; ${pairs} pairs of ${values.secs} s, order ABBA, after a warm-up of each; p99 of the last socket to have the frame`
  )
  const product = await startProduct()
  try {
    const pool = product.pool()
    const quiet = await makeWorkspace(pool, 'bench-quiet', 'generic')
    const other = await makeWorkspace(pool, 'bench-flood', 'generic')
    await pool.query("UPDATE tenants SET plan = 'enterprise', storm_threshold = $2 WHERE tenant_id = ANY ($1::uuid[])", [
      [quiet.tenant_id, other.tenant_id],
      NO_STORM
    ])
    if (values.rules) await putSet(pool, [other.tenant_id], 2, everyStep())
    const flood = values.rules ? opening(other) : repeating(other)
    await pool.end()
    const stand: Stand = { product, quiet }
    for (const beside of [null, flood]) await measure(stand, beside, beside ? 'warm-up beside' : 'warm-up alone', 5000)
    const pairsMeasured: { alone: number; beside: number }[] = []
    for (let nth = 0; nth < pairs; nth++) {
      const one = (beside: Flood | null) => measure(stand, beside, `${nth} ${beside ? 'beside' : 'alone'}`, ms)
      const first = await one(nth % 2 === 0 ? null : flood)
      const second = await one(nth % 2 === 0 ? flood : null)
      pairsMeasured.push(nth % 2 === 0 ? { alone: first, beside: second } : { alone: second, beside: first })
    }
    figure({
      id: values.rules ? 'FAIRNESS_RULES' : 'FAIRNESS',
      value: median(pairsMeasured.map(({ alone, beside }) => beside / alone)),
      unit: 'p99-beside/p99-alone',
      target: { op: '<=', value: TARGET }
    })
  } finally {
    endPosts()
    await product.stop()
  }
}
