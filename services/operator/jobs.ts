/**
 * The operator's command for jobs that failed for good: `npm run jobs` lists them, the newest
 * first; `npm run jobs -- retry <id>` or `retry all` puts them back, due now. A job stays where it
 * is when a newer job has its key. It needs only Postgres (SERVICE_POSTGRES_SYSTEM_URL).
 * Source: docs/design/architecture.md#s6-jobs.
 */
import { localEnvironment, readConfig } from '../process/config.ts'
import { listDeadJobs, reviveJobs } from '../store/jobs.ts'
import { createPool } from '../store/pool.ts'
import { runTool, UsageError } from './tool.ts'

const USAGE = `usage: npm run jobs                      lists jobs that were given up
       npm run jobs -- retry <id>|all   puts them back`

const SHOWN = 100
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Parses the arguments: the id to put back, `all`, or null for the list. Throws UsageError. */
export function wantedOf(words: readonly string[]): string | null {
  if (words.length === 0) return null
  const [verb, id = '', ...rest] = words
  if (verb !== 'retry' || rest.length > 0 || !(id === 'all' || UUID.test(id))) throw new UsageError(USAGE)
  return id.toLowerCase()
}

async function main(): Promise<void> {
  const wanted = wantedOf(process.argv.slice(2))
  const config = readConfig(localEnvironment(), ['system'])
  const pool = createPool(config.postgresSystemUrl, { application_name: 'jobs', max: 1 })
  try {
    if (wanted !== null) {
      const count = await reviveJobs(pool, wanted === 'all' ? null : wanted)
      process.stdout.write(`${count} put back\n`)
      return
    }
    const jobs = await listDeadJobs(pool, SHOWN)
    const lines = jobs.map(
      ({ job_id, kind, tenant_id, attempts, died_at, error }) =>
        `${job_id} ${kind} of workspace ${tenant_id}: given up ${new Date(died_at).toISOString()} after ${attempts} attempts, ${error}`
    )
    process.stdout.write(`${(lines.length > 0 ? lines : ['no job was given up']).join('\n')}\n`)
  } finally {
    await pool.end()
  }
}

runTool(import.meta.url, main)
