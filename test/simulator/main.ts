/**
 * `npm run simulate -- [--seeds N] [--events N] [--seed S] [--planted]`: runs histories made from
 * seeds, and prints how many differed. If there is a difference, it exits with 1 and prints the
 * smallest history that causes it. `--seed S` runs one seed. `--planted` searches for planted bugs.
 */
import { parseArgs } from 'node:util'
import { realCode } from './code.ts'
import { lineOf } from './operations.ts'
import { seekAll } from './planted.ts'
import { plants } from './plants.ts'
import { runSeed, shrink } from './run.ts'

const tell = (line: string): void => void process.stdout.write(`${line}\n`)
const USAGE = 'usage: npm run simulate -- [--seeds N] [--events N] [--seed S] [--planted]'

function whole(text: string, name: string): number {
  if (/^[0-9]{1,9}$/.test(text)) return Number(text)
  process.stderr.write(`--${name} is ${text}, expected a whole number\n${USAGE}\n`)
  process.exit(2)
}

function simulate(from: number, seeds: number, events: number): number {
  const counts = new Map<string, number>()
  const begun = performance.now()
  let all = 0
  let differences = 0
  for (let seed = from; seed < from + seeds; seed++) {
    const ran = runSeed(realCode, seed, events)
    all += ran.events
    for (const [what, count] of Object.entries(ran.counts)) counts.set(what, (counts.get(what) ?? 0) + count)
    if (!ran.finding) continue
    differences += 1
    tell(`seed ${seed}: ${ran.finding.rule}: ${ran.finding.what}`)
    const { operations, finding } = shrink(realCode, ran)
    tell(`least history, ${operations.length} of ${ran.operations.length} operations: ${finding.rule}: ${finding.what}`)
    for (const operation of operations) tell(`  ${lineOf(operation)}`)
    tell(`again: npm run simulate -- --seed ${seed} --events ${events}`)
    break
  }
  for (const [what, count] of [...counts].sort(([, one], [, other]) => other - one)) tell(`${String(count).padStart(12)}  ${what}`)
  const seconds = (performance.now() - begun) / 1000
  tell(`${Math.round(all / seconds)} events/s, ${((process.cpuUsage().user / 1e6 / all) * 1e6).toFixed(1)} us of CPU each`)
  tell(`simulated ${all} events over ${seeds} seeds: ${differences} differences`)
  return differences === 0 ? 0 : 1
}

async function findPlanted(seeds: number, events: number): Promise<number> {
  let missed = 0
  for await (const [{ name, point }, found] of seekAll(seeds, events)) {
    const of = point === undefined ? '' : ` (point ${point})`
    if (found) tell(`found    ${name}${of}: ${found.rule}, seed ${found.seed}, after ${found.events} events: ${found.what.split('\n')[0]}`)
    else tell(`MISSED   ${name}${of}: ${seeds} seeds of ${events} events found nothing`)
    if (!found) missed += 1
  }
  tell(`${plants.length - missed} of ${plants.length} planted bugs found`)
  return missed === 0 ? 0 : 1
}

const { values } = parseArgs({
  options: { seeds: { type: 'string' }, events: { type: 'string' }, seed: { type: 'string' }, planted: { type: 'boolean', default: false } }
})
const events = whole(values.events ?? '10000', 'events')
if (values.planted) process.exit(await findPlanted(whole(values.seeds ?? '150', 'seeds'), events))
const one = values.seed === undefined ? null : whole(values.seed, 'seed')
process.exit(simulate(one ?? 0, one === null ? whole(values.seeds ?? '1000', 'seeds') : 1, events))
