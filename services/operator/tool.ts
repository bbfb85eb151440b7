/**
 * What the commands of operators have in common: they run when they are the program itself, and say
 * in a sentence what went wrong.
 */
import { realpathSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { ConfigError } from '../process/config.ts'

/** What is wrong with the arguments or the files they name, in a sentence that holds no secret. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/**
 * Runs `main` where the module at `url` is the program and not imported. The process ends with 2
 * for what its caller can mend, with 1 for the rest.
 */
export function runTool(url: string, main: () => Promise<void>): void {
  if (process.argv[1] === undefined || realpathSync(process.argv[1]) !== fileURLToPath(url)) return
  main().catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    process.exitCode = error instanceof ConfigError || error instanceof UsageError ? 2 : 1
  })
}
