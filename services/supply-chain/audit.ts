/**
 * `npm run audit`: checks the packages of the lockfile for advisories. It asks `npm audit`, which
 * asks the registry, and reports it when the registry has no such service: no answer is not good
 * news. Exit codes: 0 nothing at or above `high`, 1 something, 3 no answer, 2 it could not be asked
 * at all.
 */
import { spawn } from 'node:child_process'
import { projectRoot } from '../../schemas/files.ts'
import { runTool } from '../operator/tool.ts'

interface Vulnerability {
  name: string
  severity: string
  range: string
  /** Advisories, or the names of the packages that make it vulnerable. */
  via: (string | { title?: string; url?: string })[]
}

/** The parts that are read here. Any of them may be missing when there was no answer. */
interface Answer {
  auditReportVersion?: number
  vulnerabilities?: Record<string, Vulnerability>
  error?: { code?: string; summary?: string }
  statusCode?: number
  message?: string
}

export interface Verdict {
  code: 0 | 1 | 3
  lines: string[]
}

const severities = ['critical', 'high', 'moderate', 'low', 'info']
const isGrave = ({ severity }: Vulnerability): boolean => severities.indexOf(severity) <= severities.indexOf('high')

/** Removes addresses, because the registry's may be of a private network. */
const plain = (text: string): string =>
  text
    .replace(/\bhttps?:\/\/\S+/g, 'the registry')
    .replace(/\b(?:\d{1,3}\.){3}\d{1,3}(?::\d+)?\b/g, 'the registry')
    .trim()

/** Judges the JSON that npm printed. Null: it was not readable. */
export function verdictOf(answer: Answer | null): Verdict {
  const { auditReportVersion, vulnerabilities, error, statusCode, message } = answer ?? {}
  if (auditReportVersion === undefined || !vulnerabilities) {
    const why = plain(error?.summary ?? message ?? '') || (statusCode ? `status ${statusCode}` : 'npm audit gave none')
    return {
      code: 3,
      lines: [
        `no answer from the registry's advisory service: ${why}`,
        'This says nothing about the packages: ask where a registry answers.'
      ]
    }
  }
  const found = Object.values(vulnerabilities).sort((one, other) => severities.indexOf(one.severity) - severities.indexOf(other.severity))
  const grave = found.filter(isGrave)
  const lines = found.map(({ name, severity, range, via }) => {
    const why = via.map((one) => (typeof one === 'string' ? `by ${one}` : `${one.title ?? 'advisory'} ${one.url ?? ''}`.trim()))
    return `${severity}: ${name} ${range}: ${why.join('; ')}`
  })
  return { code: grave.length > 0 ? 1 : 0, lines: [...lines, `${found.length} found, ${grave.length} of them high or critical`] }
}

/** Runs `npm audit` and returns its answer. It waits at most a minute for the registry. */
function ask(): Promise<Answer | null> {
  const words = ['audit', '--json', '--package-lock-only', '--fetch-retries=1', '--fetch-retry-mintimeout=1000', '--fetch-timeout=20000']
  const { npm_execpath: npm } = process.env
  const [program, before] = npm?.endsWith('.js') ? [process.execPath, [npm]] : ['npm', []]
  return new Promise((resolve, reject) => {
    const child = spawn(program, [...before, ...words], { cwd: projectRoot, stdio: ['ignore', 'pipe', 'ignore'] })
    let text = ''
    child.stdout.setEncoding('utf8').on('data', (part: string) => {
      text += part
    })
    child.once('error', reject)
    child.once('close', () => {
      try {
        resolve(JSON.parse(text) as Answer)
      } catch {
        resolve(null) // npm gave the reason on standard error, with the registry's address in it.
      }
    })
  })
}

runTool(import.meta.url, async () => {
  let verdict: Verdict
  try {
    verdict = verdictOf(await ask())
  } catch (error) {
    process.stderr.write(`npm could not be started: ${(error as Error).message}\n`)
    process.exitCode = 2
    return
  }
  for (const line of verdict.lines) console.log(line)
  process.exitCode = verdict.code
})
