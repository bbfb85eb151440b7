/**
 * The operator's command that raises the inbound budget of a workspace: `npm run budget --
 * <workspace> <alerts a minute|default>`, with the workspace's slug or id. The ceiling applies at
 * every door instance within seconds, from its next window on; `default` returns to the value of
 * the plan. A ceiling never lowers what the plan allows. The change is recorded in the workspace's
 * audit. It needs Postgres (SERVICE_POSTGRES_SYSTEM_URL) and the schema registry, not Kafka.
 * Source: docs/design/specification.md#s8-4.
 */
import type { Codec } from '../../schemas/codec.ts'
import { ingestPerMinute, type PlanId, planOf } from '../../schemas/plans.ts'
import { connectCodec } from '../../streams/runtime/registry-codec.ts'
import { localEnvironment, readConfig } from '../process/config.ts'
import { changeCeiling } from '../store/budgets.ts'
import { createPool, type Pool, transaction } from '../store/pool.ts'
import { findWorkspace } from '../store/tenants.ts'
import { runTool, UsageError } from './tool.ts'

const LEAST = 1000
const MOST = 10_000_000

/** Parses the arguments. The ceiling is null for `default`. Throws UsageError. */
export function ceilingOf(words: readonly string[]): { workspace: string; ceiling: number | null } {
  const [workspace, figure, ...rest] = words
  if (!workspace || !figure || rest.length > 0) throw new UsageError('usage: npm run budget -- <workspace> <alerts a minute|default>')
  if (figure === 'default') return { workspace, ceiling: null }
  const ceiling = /^\d{1,8}$/.test(figure) ? Number(figure) : Number.NaN
  if (!(ceiling >= LEAST && ceiling <= MOST))
    throw new UsageError(`expected "default" or a whole number of alerts a minute from ${LEAST} to ${MOST}, got "${figure}"`)
  return { workspace, ceiling }
}

/** Throws UsageError when there is no such workspace. */
export async function setCeiling(
  pool: Pool,
  codec: Codec,
  { workspace, ceiling }: { workspace: string; ceiling: number | null }
): Promise<string> {
  const actor = { kind: 'system', id: 'operator', via: 'cli', request_id: null } as const
  return transaction(pool, async (tx) => {
    const found = await findWorkspace(tx, workspace)
    if (!found) throw new UsageError(`there is no workspace ${workspace}`)
    const { ver } = await changeCeiling(tx, codec, found.tenant_id, ceiling, actor)
    return `${found.slug}: ${effectOf(found.plan, ceiling)} (version ${ver})`
  })
}

function effectOf(plan: PlanId, ceiling: number | null): string {
  const allowed = ingestPerMinute(planOf(plan))
  if (ceiling === null) return `what its plan (${plan}) says, from the next window on`
  return ceiling > allowed
    ? `${ceiling} alerts a minute at each door instance, from the next window on`
    : `its plan (${plan}) allows ${allowed} alerts a minute at each door instance, and a ceiling never lowers that: ${ceiling} counts only if the plan becomes smaller`
}

async function main(): Promise<void> {
  const wanted = ceilingOf(process.argv.slice(2))
  const config = readConfig(localEnvironment(), ['registry', 'system'])
  const codec = await connectCodec(config.registryUrl)
  const pool = createPool(config.postgresSystemUrl, { application_name: 'budget', max: 1 })
  try {
    process.stdout.write(`${await setCeiling(pool, codec, wanted)}\n`)
  } finally {
    await pool.end()
  }
}

runTool(import.meta.url, main)
