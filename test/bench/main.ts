/**
 * npm run bench -- NAME [options]: runs one benchmark. It prints the machine and its method first
 * and its figures last. It exits with 0 when it measured, whether or not a target was met.
 */
import { printFigures } from './figures.ts'

const benches: Record<string, () => Promise<{ run(args: string[]): Promise<void> }>> = {
  door: () => import('./door.ts'),
  producer: () => import('./producer.ts'),
  stream: () => import('./stream.ts'),
  e2e: () => import('./e2e.ts'),
  fairness: () => import('./fairness.ts'),
  outbox: () => import('./outbox.ts'),
  idle: () => import('./idle.ts'),
  sink: () => import('./sink.ts'),
  olap: () => import('./olap.ts'),
  parsers: () => import('./parsers.ts'),
  budget: () => import('./budget.ts'),
  ping: () => import('./ping.ts'),
  proxy: () => import('./proxy.ts'),
  hostile: () => import('./hostile.ts'),
  web: () => import('./web.ts'),
  routing: () => import('./routing.ts'),
  oncall: () => import('./oncall.ts'),
  escalate: () => import('./escalate.ts'),
  deliver: () => import('./deliver.ts'),
  prober: () => import('./prober.ts'),
  reads: () => import('./reads.ts')
}

const [name, ...args] = process.argv.slice(2)
const load = name === undefined ? undefined : benches[name]
if (!load) {
  process.stderr.write(`usage: npm run bench -- NAME, with a NAME of ${Object.keys(benches).join(', ')}\n`)
  process.exit(2)
}
await (await load()).run(args)
printFigures()
process.exit(0)
