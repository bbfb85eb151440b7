/**
 * The operator's command for jobs that failed for good: `npm run jobs` lists them, the newest
 * first; `npm run jobs -- retry <id>` or `retry all` puts them back, due now. A job stays where it
 * is when a newer job has its key. `drop <id>` deletes one for good. It needs only Postgres
 * (SERVICE_POSTGRES_SYSTEM_URL).
 * Source: docs/design/architecture.md#s6-jobs.
 */
import { localEnvironment, readConfig } from '../process/config.ts'
import { dropDeadJob, listDeadJobs, reviveJobs } from '../store/jobs.ts'
import { createPool, type Pool } from '../store/pool.ts'
import { runTool, UsageError } from './tool.ts'

const USAGE = `usage: npm run jobs                      lists jobs that were given up
       npm run jobs -- retry <id>|all   puts them back
       npm run jobs -- drop <id>        deletes one for good`

const SHOWN = 100
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Null as `id`: all jobs. */
type Wanted = { verb: 'retry'; id: string | null } | { verb: 'drop'; id: string }

/** Parses the arguments. Null: the list. Throws UsageError. */
export function wantedOf(words: readonly string[]): Wanted | null {
  if (words.length === 0) return null
  const [verb, word = '', ...rest] = words
  const id = UUID.test(word) ? word.toLowerCase() : null
  if (rest.length > 0) throw new UsageError(USAGE)
  if (verb === 'retry' && (id !== null || word === 'all')) return { verb, id }
  if (verb === 'drop' && id !== null) return { verb, id }
  throw new UsageError(USAGE)
}

/** Puts jobs back, and returns the lines that say so. */
async function retry(pool: Pool, id: string | null): Promise<string[]> {
  const count = await reviveJobs(pool, id)
  const kept = (await listDeadJobs(pool, SHOWN)).filter(({ job_id }) => id === null || job_id === id)
  return [`${count} put back`, ...kept.map(({ job_id }) => `${job_id} stays: a newer job has its key. npm run jobs -- drop ${job_id}`)]
}

async function main(): Promise<void> {
  const wanted = wantedOf(process.argv.slice(2))
  const config = readConfig(localEnvironment(), ['system'])
  const pool = createPool(config.postgresSystemUrl, { application_name: 'jobs', max: 1 })
  try {
    if (wanted !== null) {
      const lines =
        wanted.verb === 'retry' ? await retry(pool, wanted.id) : [(await dropDeadJob(pool, wanted.id)) ? '1 dropped' : '0 dropped']
      process.stdout.write(`${lines.join('\n')}\n`)
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
