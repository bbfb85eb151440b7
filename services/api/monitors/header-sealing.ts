/**
 * Seals what older versions stored in the clear: headers whose name says that they are credentials
 * and that nobody had marked. In monitors they are sealed; in versions and audit entries they are
 * replaced by the mask, as secrets are there. `api` does it because it has the key; SQL has none.
 *
 *   monitors ──► config_versions ──► audit ──► an hour's rest ──► the same once more ──► done
 *
 * - A step is one transaction: some rows, and the position after them in `header_sealing`. After a
 *   kill at any point the work continues there; doing a step twice changes nothing.
 * - Any number of instances may run: the one that has locked the position works, the others look
 *   again later.
 * - A step seals at most one monitor: it locks that row and nothing else that people's changes wait
 *   for.
 * - The second pass finds what instances of an older version wrote during the first pass. After
 *   that, nothing writes such a value.
 */
import { mapSecrets } from '../../../schemas/http/check-config.ts'
import { createRest } from '../../../streams/runtime/rest.ts'
import { sealForTenant } from '../../credentials/sealing.ts'
import type { Log } from '../../process/log.ts'
import type { Metrics } from '../../process/metrics.ts'
import {
  lockConfig,
  maskAudit,
  maskVersions,
  nextClearMonitor,
  noteSealing,
  readSealing,
  replaceConfig,
  type SealingProgress,
  type SealingStage,
  sealingStages,
  takeSealing
} from '../../store/clear-headers.ts'
import { type Pool, type Tx, transaction } from '../../store/pool.ts'

/** The most rows that a step looks at. */
const MONITORS = 200
const ENTRIES = 500
const SECOND_PASS_MS = 3_600_000
const LOOK_AGAIN_MS = 30_000
const STEP_PAUSE_MS = 5

export interface HeaderSealingOptions {
  /** Connects as the role service_tenant. */
  pool: Pool
  log: Log
  metrics: Metrics
  /** 64 hex characters, or empty: then nothing can be sealed. */
  secretsKey: string
  limits?: Partial<typeof defaults>
}

const defaults = { monitors: MONITORS, entries: ENTRIES, secondPassMs: SECOND_PASS_MS, lookAgainMs: LOOK_AGAIN_MS }

/** The result of a step: `rows` of `table` were changed, or the work is done, or it must wait. */
export type SealingStep = { table: SealingStage; rows: number } | { done: SealingProgress } | { waitMs: number }

async function sealMonitor(tx: Tx, secretsKey: string, tenant_id: string, monitor_id: string): Promise<void> {
  const config = await lockConfig(tx, tenant_id, monitor_id)
  if (!config) return
  const sealed = mapSecrets(config, (value, field, isClear) =>
    isClear ? sealForTenant(secretsKey, { tenant_id, resource: `monitor:${monitor_id}`, field }, value) : value
  )
  await replaceConfig(tx, tenant_id, monitor_id, sealed)
}

/**
 * Changes rows of the stage. Returns the key after which to continue and how many rows were
 * changed; null: the stage is over.
 */
async function work(
  tx: Tx,
  { stage, after }: { stage: SealingStage; after: SealingProgress['after'] },
  secretsKey: string,
  limits: typeof defaults
): Promise<{ after: (string | number)[]; changed: number } | null> {
  if (stage === 'config_versions') return maskVersions(tx, after, limits.entries)
  if (stage === 'audit') return maskAudit(tx, after, limits.entries)
  const next = await nextClearMonitor(tx, after, limits.monitors)
  if (!next) return null
  const { tenant_id, monitor_id, clear } = next
  if (clear) await sealMonitor(tx, secretsKey, tenant_id, monitor_id)
  return { after: [tenant_id, monitor_id], changed: clear ? 1 : 0 }
}

/** Returns the progress that follows after a stage is over. */
function nextStage(progress: SealingProgress, stage: SealingStage, secondPassMs: number): SealingProgress {
  const following = sealingStages[sealingStages.indexOf(stage) + 1]
  if (following) return { ...progress, stage: following, after: null, wait_ms: 0 }
  if (progress.pass === 2) return { ...progress, stage: 'done', after: null, wait_ms: 0 }
  return { ...progress, pass: 2, stage: 'monitors', after: null, wait_ms: secondPassMs }
}

/** Does one step in one transaction. */
export function sealSome(pool: Pool, secretsKey: string, given: Partial<typeof defaults> = {}): Promise<SealingStep> {
  const limits = { ...defaults, ...given }
  return transaction(pool, async (tx) => {
    const progress = await takeSealing(tx)
    if (!progress) return { waitMs: limits.lookAgainMs }
    const { stage, wait_ms } = progress
    if (stage === 'done') return { done: progress }
    if (wait_ms > 0) return { waitMs: Math.min(wait_ms, limits.lookAgainMs) }
    const worked = await work(tx, { stage, after: progress.after }, secretsKey, limits)
    await noteSealing(
      tx,
      worked
        ? { ...progress, after: worked.after, [stage]: progress[stage] + worked.changed }
        : nextStage(progress, stage, limits.secondPassMs)
    )
    return { table: stage, rows: worked?.changed ?? 0 }
  })
}

/** Works until all is done. Returns a function that stops the work after the current step. */
export function startHeaderSealing({ pool, log, metrics, secretsKey, limits = {} }: HeaderSealingOptions): () => Promise<void> {
  const sealed = metrics.counter('service_api_headers_sealed_total', 'Rows whose headers stood in the clear and were sealed or masked', [
    'table'
  ])
  const pending = metrics.gauge(
    'service_api_header_sealing_pending',
    '1 until every header that an older version left in the clear is sealed'
  )
  const { rest, end } = createRest()
  let closing = false
  let worked = false

  /** Does a step. Returns how long to rest before the next one; null: there is none. */
  async function step(): Promise<number | null> {
    const made = await sealSome(pool, secretsKey, limits)
    if ('waitMs' in made) return made.waitMs
    if ('table' in made) {
      worked = true
      if (made.rows > 0) sealed.inc({ table: made.table }, made.rows)
      return STEP_PAUSE_MS
    }
    const { monitors, config_versions, audit } = made.done
    pending.set(0)
    if (worked) log.info({ monitors, config_versions, audit }, 'no header that is a credential stands in the clear any more')
    return null
  }

  async function loop(): Promise<void> {
    pending.set(1)
    let warned = false
    while (!closing) {
      let pause: number | null = LOOK_AGAIN_MS
      try {
        if (secretsKey === '') {
          const { stage } = await readSealing(pool)
          if (stage === 'done') pending.set(0)
          else log.warn('headers that are credentials cannot be sealed: the operator must set SERVICE_SECRETS_KEY')
          return
        }
        pause = await step()
        warned = false
      } catch (error) {
        if (!warned && !closing) log.warn({ err: error }, 'headers that are credentials could not be sealed; trying again')
        warned = true
      }
      if (pause === null) return
      await rest(pause)
    }
  }

  const running = loop()
  return async () => {
    closing = true
    end()
    await running
  }
}
