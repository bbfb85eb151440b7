/**
 * `npm run checks`: runs every type of check against its test target. Prints a table of the cases,
 * with the result of each and how long it took. `-- TYPE...` runs only these types. `-- --write`
 * writes the table of types into docs/checks.md.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../schemas/files.ts'
import { withMarked } from '../schemas/generate/marked.ts'
import { type MonitorType, monitorTypes } from '../schemas/http/check-types/index.ts'
import { attempt, pool } from './services/prober/stand.ts'
import { given } from './services/prober/types/cases.ts'
import { CHECKS_MARKS, CHECKS_PAGE, casesOf, type Ran, tableOf } from './services/prober/types-table.ts'

const words = process.argv.slice(2)
const wanted = words.filter((word) => !word.startsWith('--'))
const isWriting = words.includes('--write')
const unknown = [
  ...wanted.filter((word) => !monitorTypes.some((type) => type === word)),
  ...words.filter((word) => word.startsWith('--') && word !== '--write')
]

async function runType(type: MonitorType): Promise<{ ran: Ran | null; faults: number }> {
  const found = await casesOf(type)
  if (!found) return { ran: null, faults: 0 }
  const ends: (() => unknown)[] = []
  try {
    const cases = await found.cases({ teardown: (end) => void ends.push(end) })
    let faults = 0
    process.stdout.write(`\n${type} against ${found.against}\n`)
    for (const { what, gives, monitor, network, facts } of cases) {
      const report = await attempt(monitor, network, facts)
      const isRight = given(report) === gives
      if (!isRight) faults++
      const cells = [
        isRight ? ' ok ' : 'NOT ',
        given(report).padEnd(15),
        `${Math.round(report.timings.total ?? 0)} ms`.padStart(8),
        what,
        report.message ?? ''
      ]
      process.stdout.write(`${cells.join('  ').trimEnd()}\n`)
    }
    return { ran: { type, against: found.against, cases }, faults }
  } finally {
    for (const end of ends.reverse()) await end()
  }
}

async function main(): Promise<number> {
  if (unknown.length > 0) {
    process.stderr.write(`checks: unknown ${unknown.join(' ')}; types: ${monitorTypes.join(', ')}; --write\n`)
    return 2
  }
  const all: Ran[] = []
  let faults = 0
  for (const type of monitorTypes.filter((one) => wanted.length === 0 || wanted.includes(one))) {
    const { ran, faults: more } = await runType(type)
    if (ran) all.push(ran)
    faults += more
  }
  process.stdout.write(`\n${tableOf(all)}\n`)
  if (isWriting && wanted.length === 0) {
    const page = join(projectRoot, CHECKS_PAGE)
    writeFileSync(page, withMarked(CHECKS_PAGE, readFileSync(page, 'utf8'), CHECKS_MARKS, tableOf(all)))
  }
  const count = all.reduce((sum, { cases }) => sum + cases.length, 0)
  process.stdout.write(`\n${count - faults} passed, ${faults} failed\n`)
  pool.close()
  return faults === 0 ? 0 : 1
}

process.exitCode = await main()
