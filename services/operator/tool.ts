/**
 * What the operator commands share: they run when they are the main program, and report errors in a
 * sentence.
 */
import { realpathSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { ConfigError } from '../process/config.ts'

/** An error in the arguments or in the files that they name, as a sentence that holds no secret. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/**
 * Runs `main` when the module at `url` is the program and not imported. The process exits with 2
 * for an error that the caller can fix, and with 1 for all others.
 */
export function runTool(url: string, main: () => Promise<void>): void {
  if (process.argv[1] === undefined || realpathSync(process.argv[1]) !== fileURLToPath(url)) return
  main().catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    process.exitCode = error instanceof ConfigError || error instanceof UsageError ? 2 : 1
  })
}
