/**
 * Writes the matrix of channels into docs/channels.md, from the rows of the contracts. `npm run
 * matrix` updates it if it is stale; `npm run matrix -- --check` only reports whether it is.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../../../schemas/files.ts'
import { type Marks, withMarked } from '../../../schemas/generate/marked.ts'
import { generate } from '../../../schemas/generate.ts'
import { channels } from '../../../services/channels/kinds/index.ts'
import { runTool } from '../../../services/operator/tool.ts'
import { appContracts, type Contract, contracts, faults, type Situation, situations } from './contract.ts'

const PAGE = 'docs/channels.md'
const MARKS: Marks = {
  begin: '<!-- Written by `npm run matrix` from test/services/channels/contracts. Never edited by hand. -->',
  end: '<!-- End of what is generated. -->'
}

const titles: Readonly<Record<Situation, string>> = {
  create: 'create',
  test: 'Send test',
  down: 'down',
  update: 'update',
  acknowledge: 'acknowledge',
  recover: 'recover',
  rotate: 'rotate secret',
  '400': '400',
  '401': '401',
  '404': '404/410',
  '413': '413',
  '429': '429',
  '500': '500',
  timeout: 'time-out',
  malformed: 'malformed reply'
}

const nameOf = (kind: string): string => channels[kind as keyof typeof channels]?.name ?? kind
type Contracts = ReadonlyMap<string, Contract>
const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`

/** The row of an app follows that of its webhook. */
function rowsOf(written: Contracts, apps: Contracts): [name: string, contract: Contract][] {
  return [...written].flatMap(([kind, contract]) => {
    const app = apps.get(kind)
    return app
      ? [
          [`${nameOf(kind)}, app`, app],
          [`${nameOf(kind)}, webhook`, contract]
        ]
      : [[nameOf(kind), contract]]
  })
}

function tableOf(all: readonly [name: string, contract: Contract][], columns: readonly Situation[]): string {
  const rows = all.map(([name, { row }]) => [name, ...columns.map((column) => row[column])])
  return [line(['kind', ...columns.map((name) => titles[name])]), line(['---', ...columns.map(() => '---')]), ...rows.map(line)].join('\n')
}

/** Returns the path of the page → its text. */
export function matrixPage(written: Contracts, apps: Contracts): ReadonlyMap<string, string> {
  const all = rowsOf(written, apps)
  const isBad = (name: Situation): boolean => faults.some((one) => one === name)
  const well = tableOf(
    all,
    situations.filter((name) => !isBad(name))
  )
  const checked = [line(['kind', 'checked by']), line(['---', '---']), ...all.map(([name, { checked }]) => line([name, checked]))]
  const text = [
    `### While all is well\n\n${well}`,
    `### When the other side fails\n\n${tableOf(all, faults)}`,
    `### What checked it beside our own tests\n\n${checked.join('\n')}`
  ].join('\n\n')
  return new Map([[PAGE, withMarked(PAGE, readFileSync(join(projectRoot, PAGE), 'utf8'), MARKS, text)]])
}

runTool(import.meta.url, async () => {
  process.exitCode = generate(process.argv.slice(2), matrixPage(await contracts(), await appContracts()))
})
