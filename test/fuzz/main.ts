/**
 * npm run fuzz [-- parsers|api …]: sends hostile input until a number or a time is reached.
 * `parsers` is the default. Both print their seed, which repeats the run, and end with `N passed, N
 * failed`.
 */
import { UsageError } from '../../services/operator/tool.ts'

const USAGE = `usage: npm run fuzz -- [parsers] [--executions N] [--source kind] [--seed S]
       npm run fuzz -- api [--minutes M | --requests N] [--seed S] [--from N] [--analytics engine|double]`

const runs: Record<string, () => Promise<(args: string[]) => Promise<number>>> = {
  parsers: async () => (await import('./parsers.ts')).fuzzParsers,
  api: async () => (await import('./api/main.ts')).fuzzApiByCommand
}

const [first = 'parsers', ...rest] = process.argv.slice(2)
const isName = first in runs
try {
  const load = runs[isName ? first : 'parsers']
  const run = await load?.()
  process.exit((await run?.(isName ? rest : process.argv.slice(2))) ?? 2)
} catch (error) {
  // parseArgs throws a TypeError with a code of its own.
  const isUsage =
    error instanceof UsageError || (error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS'))
  if (!isUsage) throw error
  process.stderr.write(`${error.message}\n${USAGE}\n`)
  process.exit(2)
}
