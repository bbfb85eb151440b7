/**
 * The operator's command for rows of the outbox that the log refused for good: `npm run refused`
 * lists them, the newest first; `npm run refused -- retry <id>` or `retry all` puts them back into
 * the outbox, in their order, after the cause was fixed. `drop <id>` deletes one for good. Readers
 * drop a row whose aggregate has a newer version on its topic. It needs only Postgres
 * (SERVICE_POSTGRES_SYSTEM_URL).
 * Source: docs/design/architecture.md#s5-outbox.
 */
import { localEnvironment, readConfig } from '../process/config.ts'
import { dropRefused, listRefused, returnRefused } from '../store/outbox.ts'
import { createPool, type Pool } from '../store/pool.ts'
import { runTool, UsageError } from './tool.ts'

const USAGE = `usage: npm run refused                      lists rows that the log refused
       npm run refused -- retry <id>|all   puts them back
       npm run refused -- drop <id>        deletes one for good`

const SHOWN = 100

/** Null as `id`: all rows. */
type Wanted = { verb: 'retry'; id: number | null } | { verb: 'drop'; id: number }

/** Parses the arguments. Null: the list. Throws UsageError. */
export function wantedOf(words: readonly string[]): Wanted | null {
  if (words.length === 0) return null
  const [verb, word = '', ...rest] = words
  const id = /^\d{1,15}$/.test(word) ? Number(word) : null
  if (rest.length > 0) throw new UsageError(USAGE)
  if (verb === 'retry' && (id !== null || word === 'all')) return { verb, id }
  if (verb === 'drop' && id !== null) return { verb, id }
  throw new UsageError(USAGE)
}

/** Does what is wanted, and returns the lines that say so. */
export async function refused(pool: Pool, wanted: Wanted | null): Promise<string[]> {
  if (wanted?.verb === 'retry') return [`${await returnRefused(pool, wanted.id)} put back`]
  if (wanted?.verb === 'drop') return [(await dropRefused(pool, wanted.id)) ? '1 dropped' : '0 dropped']
  const rows = await listRefused(pool, SHOWN)
  if (rows.length === 0) return ['no row was refused']
  return rows.map(
    ({ id, topic, aggregate, ver, tenant_id, refused_at, reason }) =>
      `${id} ${topic}: ${aggregate} ver ${ver} of workspace ${tenant_id}: refused ${new Date(refused_at).toISOString()}: ${reason}`
  )
}

async function main(): Promise<void> {
  const wanted = wantedOf(process.argv.slice(2))
  const config = readConfig(localEnvironment(), ['system'])
  const pool = createPool(config.postgresSystemUrl, { application_name: 'refused', max: 1 })
  try {
    process.stdout.write(`${(await refused(pool, wanted)).join('\n')}\n`)
  } finally {
    await pool.end()
  }
}

runTool(import.meta.url, main)
