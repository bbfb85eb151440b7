/**
 * The output format of benchmarks: first the machine and versions, then free text, last one line
 * per figure that a script can read: FIGURE <id> value=<n> unit=<unit> peer=<name>:<n> ratio=<n>
 * target=<op><n> ok|short
 */
import { execFileSync } from 'node:child_process'
import { cpus, totalmem } from 'node:os'

export interface Figure {
  id: string
  value: number
  unit: string
  /** The program it is compared with in the same run. */
  peer?: { name: string; value: number }
  /**
   * The target is compared with the ratio when there is a peer and with the value otherwise, unless
   * `of` says which.
   */
  target: { op: '<=' | '>='; value: number; of?: 'value' | 'ratio' }
}

const round = (value: number): string =>
  Math.abs(value) >= 100 ? value.toFixed(0) : Math.abs(value) >= 10 ? value.toFixed(1) : value.toFixed(2)

const version = (command: string, ...args: string[]): string => {
  try {
    return (execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).split('\n')[0] ?? '').trim()
  } catch {
    return 'not there'
  }
}

export function printMachine(method: string): void {
  const processors = cpus()
  console.log(
    `machine: ${processors.length} x ${processors[0]?.model ?? 'unknown'}, ${(totalmem() / 2 ** 30).toFixed(0)} GiB, Node ${process.version}, ${version('uname', '-sr')}`
  )
  console.log(`method: ${method}`)
}

export { version }

const figures: Figure[] = []

/** Keeps a figure for the end of the run. */
export function figure(one: Figure): void {
  figures.push(one)
}

/** Prints the kept figures. A missed target prints `short` and does not fail the run. */
export function printFigures(): void {
  for (const { id, value, unit, peer, target } of figures) {
    const ratio = peer ? value / peer.value : undefined
    const judged = target.of === 'value' || ratio === undefined ? value : ratio
    const ok = target.op === '<=' ? judged <= target.value : judged >= target.value
    console.log(
      [
        `FIGURE ${id} value=${round(value)} unit=${unit}`,
        peer ? `peer=${peer.name}:${round(peer.value)} ratio=${(ratio ?? 0).toFixed(2)}` : null,
        `target=${target.of === 'value' && peer ? 'value' : ''}${target.op}${target.value}`,
        ok ? 'ok' : 'short'
      ]
        .filter(Boolean)
        .join(' ')
    )
  }
}

export const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 ? (sorted[middle] ?? Number.NaN) : ((sorted[middle - 1] ?? Number.NaN) + (sorted[middle] ?? Number.NaN)) / 2
}

export const percentile = (values: readonly number[], share: number): number => {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}
