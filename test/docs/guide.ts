/**
 * Runs a guide of docs/guides as a reader would. Its `sh` blocks are one shell session from top to
 * bottom, and a `text` block directly after one of them is the output that the reader is promised.
 * In a promise `…` stands for varying text within a line, and alone on a line for any lines.
 */
import { spawn } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { projectRoot } from '../../schemas/files.ts'
import { signalGroup } from '../harness/lanes.ts'

export interface Step {
  /** Line of the guide where the commands start. */
  line: number
  commands: string
  /** null: no output is promised. */
  promise: string | null
}

/**
 * Returns the steps of a guide. Throws when a promise follows no commands, or a fence is not
 * closed.
 */
export function stepsOf(guide: string): Step[] {
  const steps: Step[] = []
  let fence: { language: string; line: number; lines: string[] } | null = null
  /** The step that a promise would belong to: only blank lines have followed it. */
  let last: Step | null = null
  for (const [index, text] of guide.split('\n').entries()) {
    if (!text.startsWith('```')) {
      if (fence) fence.lines.push(text)
      else if (text.trim() !== '') last = null
      continue
    }
    if (!fence) {
      fence = { language: text.slice(3).trim(), line: index + 2, lines: [] }
      continue
    }
    const { language, line, lines } = fence
    fence = null
    if (language === 'text') {
      if (!last) throw new Error(`line ${line}: a promise that belongs to no commands`)
      last.promise = lines.join('\n')
      last = null
    } else if (language === 'sh') {
      last = { line, commands: lines.join('\n'), promise: null }
      steps.push(last)
    } else last = null
  }
  if (fence) throw new Error(`line ${fence.line}: a fence that is not closed`)
  return steps
}

const tidy = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
    .trimEnd()

const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')

/** Whether the printed output matches the promise. */
export function keeps(promise: string, printed: string): boolean {
  const lines = tidy(promise)
    .split('\n')
    .map((line) => (line === '…' ? '[^\\n]*(?:\\n[^\\n]*)*' : line.split('…').map(escaped).join('[^\\n]*')))
  return new RegExp(`^${lines.join('\\n')}$`).test(tidy(printed))
}

/** Separates the output of two steps: no program prints it. */
const MARK = '\u001e step'

export interface RunOptions {
  /** Variables for the shell, in addition to the environment of this process. */
  environment: Record<string, string>
  limitSeconds: number
}

/** How long processes that the guide's last commands end may take to exit. */
const LEAVING_MS = 5000

/**
 * Running processes of the group. An ended process that was not waited for (a zombie, which stays
 * when a container's first process waits for none) does not count.
 */
function running(group: number): number[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return []
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8')
      // Fields after the name in parentheses, which may contain any character: state, parent,
      // group.
      const [state = '', , own] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      return Number(own) === group && !'ZX'.includes(state) ? [Number(name)] : []
    } catch {
      return [] // Ended during the read.
    }
  })
}

/** Whether a process of the group is still running after the deadline. */
async function goesOn(group: number): Promise<boolean> {
  const deadline = Date.now() + LEAVING_MS
  while (running(group).length > 0) {
    if (Date.now() > deadline) return true
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return false
}

/** The parts of the project that a guide's folder contains. */
const given = ['node_modules', 'dist']

/**
 * Runs the steps as printed, in a bash of their own (`set -euo pipefail`), in a fresh folder that
 * has the project's packages and build, as a clone has. Resolves with the faults: a command that
 * failed, a promise that was not kept, files or programs that are left when the guide is over.
 */
export async function faultsOf(steps: readonly Step[], { environment, limitSeconds }: RunOptions): Promise<string[]> {
  const home = mkdtempSync(join(tmpdir(), 'service-guide-test-'))
  const folder = mkdtempSync(join(home, 'clone-'))
  for (const name of given) symlinkSync(join(projectRoot, name), join(folder, name))
  const script = join(home, 'guide.sh')
  writeFileSync(script, steps.map(({ commands }) => `${commands}\nprintf '\\n%s\\n' '${MARK}'\n`).join(''))
  const output = join(home, 'output')
  const file = openSync(output, 'w')
  const ours = Object.entries(process.env).filter(([name]) => name !== 'NODE_OPTIONS' && !/^(SERVICE|TAP)_?/.test(name))
  try {
    const child = spawn('bash', ['-euo', 'pipefail', script], {
      cwd: folder,
      env: { ...Object.fromEntries(ours), ...environment },
      stdio: ['ignore', file, file],
      detached: true // A process group of its own, by which leftovers are found.
    })
    const group = child.pid
    if (group === undefined) throw new Error('bash is needed for the guides')
    const limit = setTimeout(() => signalGroup(group, 'SIGKILL'), limitSeconds * 1000)
    const ended = await new Promise<string | number>((resolve) =>
      child.once('exit', (code, signal) => resolve(code ?? signal ?? 'nothing'))
    )
    clearTimeout(limit)
    const left = await goesOn(group)
    if (left) signalGroup(group, 'SIGKILL')

    const printed = readFileSync(output, 'utf8').split(`\n${MARK}\n`)
    const faults: string[] = []
    for (const [at, { line, promise }] of steps.entries()) {
      const seen = printed[at] ?? ''
      if (at >= printed.length - 1) return [...faults, `line ${line}: the commands ended with ${ended} and printed:\n${seen.trimEnd()}`]
      if (promise !== null && !keeps(promise, seen)) faults.push(`line ${line}: promised\n${promise}\nand printed\n${seen.trimEnd()}`)
    }
    const files = readdirSync(folder).filter((name) => !given.includes(name))
    if (files.length > 0) faults.push(`files are left: ${files.join(', ')}`)
    if (left) faults.push('a program is left running')
    return faults
  } finally {
    closeSync(file)
    rmSync(home, { recursive: true, force: true })
  }
}
