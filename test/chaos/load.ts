/**
 * Load for a fault run: workspaces with their integrations, senders on them, and an open loop that
 * starts alerts at a fixed rate, whether or not earlier ones are answered. It is bounded: an alert
 * that cannot be started because too much is under way is counted as held back, and not saved for
 * later.
 */
import { makeWorkspace, type Product } from '../harness/product.ts'
import type { Ledger } from './ledger.ts'
import type { Reply } from './post.ts'
import { alertmanagerSender, greedySender, type Outbox, programSender, type Sender, seeded, type Target } from './senders.ts'

export interface LoadWorkspace {
  tenant_id: string
  apiToken: string
  /** One integration of each kind; its address is the public one or intake itself. */
  targets: Target[]
  /** Id of the silence over some of its incidents; null when it has none. */
  silence_id: string | null
}

export interface LoadOptions {
  ledger: Ledger
  workspaces: readonly LoadWorkspace[]
  /** A workspace that exceeds its budget in the first seconds; null for none. */
  greedy: Target | null
  /** Alerts a second. */
  rate: number
  ms: number
  seed: number
}

export interface LoadResult {
  /** HTTP status → posts; 0: no answer. */
  statuses: Map<number, number>
  /** Alerts that could not be started because no sender was free. */
  heldBack: number
  /** Times of the accepted posts, epoch ms, in order. */
  acceptedAt: number[]
  /** 503 answers without a usable Retry-After. */
  bare503: number
  /** Longest wait for an answer, ms. */
  slowest: number
}

const MAX_UNDER_WAY = 1500
/** Senders that still have no answer this long after the load give up. */
const PATIENCE_AFTER_MS = 60_000

/** Part of the title that programs send (senders.ts). */
const NOISY = 'Disk full on db-7'
const MUTED = 'info'

/**
 * Rules of the first workspace: groups that are soon full and soon over, so that new incidents
 * replace them all the time; alerts that are kept, and incidents that are muted. The second
 * workspace has no rules.
 */
const rules: readonly object[] = [
  { name: 'Kept', match: { all: [{ field: 'title', op: 'contains', value: NOISY }] }, actions: { promote: 'never' } },
  { name: 'Muted', match: { all: [{ field: 'severity', op: 'eq', value: MUTED }] }, actions: { suppress: true }, continue: true },
  {
    name: 'Grouped',
    match: { all: [{ field: 'source.type', op: 'eq', value: 'alertmanager' }] },
    actions: { severity: 'warning', group: { by: ['label.alertname'], window_seconds: 30, max_alerts: 3 } }
  },
  {
    name: 'By severity',
    match: { all: [{ field: 'title', op: 'contains', value: 'db-1' }] },
    actions: { group: { by: ['severity', 'source.kind'], window_seconds: 3600, max_alerts: 100 } }
  }
]

/** A silence over some of them: the incidents that it holds continue nevertheless. */
export const silenced: readonly string[] = ['Group1', 'Group2', 'Group3']
const silence = { matchers: [{ field: 'label.alertname', op: 'in', value: silenced }], comment: 'Load' }

/** Returns the id of the silence. */
async function setRules(product: Product, token: string): Promise<string> {
  const make = async (path: string, body: object): Promise<string> => {
    const made = await product.api('POST', `/api/v1/${path}`, body, token)
    if (made.status !== 201) throw new Error(`POST /api/v1/${path} answered ${made.status}: ${JSON.stringify(made.body)}`)
    return String(made.body.id)
  }
  for (const rule of rules) await make('routing-rules', rule)
  return make('silences', { ...silence, ends_at: new Date(Date.now() + 86_400_000).toISOString() })
}

/**
 * Makes two workspaces with two integrations each, as a customer does: the second integration and
 * the rules through the API. The first workspace's senders use the public address; those of the
 * second go straight to intake, as behind a proxy of the customer's own.
 */
export async function makeLoadWorkspaces(product: Product, name: string): Promise<{ workspaces: LoadWorkspace[]; greedy: Target }> {
  const pool = product.pool()
  try {
    const bases = [product.access.base_url, `http://127.0.0.1:${product.port('intake')}`]
    const workspaces: LoadWorkspace[] = []
    for (const [index, base] of bases.entries()) {
      const workspace = await makeWorkspace(pool, `${name}-${index}`, 'alertmanager')
      const { tenant_id, apiToken } = workspace
      const silence_id = index === 0 ? await setRules(product, apiToken) : null
      const made = await product.api('POST', '/api/v1/integrations/inbound', { name: 'programs', source_type: 'generic' }, apiToken)
      if (made.status !== 201) throw new Error(`POST /api/v1/integrations/inbound answered ${made.status}: ${JSON.stringify(made.body)}`)
      workspaces.push({
        tenant_id,
        apiToken,
        silence_id,
        targets: [
          { tenant_id, integration_id: workspace.integration_id, source: 'alertmanager', base, token: workspace.door },
          { tenant_id, integration_id: String(made.body.id), source: 'generic', base, token: String(made.body.token) }
        ]
      })
    }
    const small = await makeWorkspace(pool, `${name}-greedy`, 'generic', 'free')
    const greedy: Target = {
      tenant_id: small.tenant_id,
      integration_id: small.integration_id,
      source: 'generic',
      base: product.access.base_url,
      token: small.door
    }
    return { workspaces, greedy }
  } finally {
    await pool.end()
  }
}

export interface Running {
  /** So far. */
  result: LoadResult
  /** Resolves when the time is over and every sender has settled. */
  done: Promise<LoadResult>
  /** Ends the load now; requests under way are not sent again. For a run that failed. */
  stop(): Promise<void>
}

export function startLoad(options: LoadOptions): Running {
  const { ledger, workspaces, greedy, rate, ms, seed } = options
  const random = seeded(seed)
  let end = Date.now() + ms
  let patience = PATIENCE_AFTER_MS
  const result: LoadResult = { statuses: new Map(), heldBack: 0, acceptedAt: [], bare503: 0, slowest: 0 }
  let underWay = 0
  let count = 0
  const ids = (): string => `${seed.toString(36)}-${(++count).toString(36)}`
  const outbox: Outbox = {
    ledger: {
      ...ledger,
      attempt(attempt) {
        underWay += 1
        return ledger.attempt(attempt)
      }
    },
    random,
    giveUpAt: () => end + patience,
    onReply(reply: Reply) {
      underWay -= 1
      const { status, took, retryAfter } = reply
      result.statuses.set(status, (result.statuses.get(status) ?? 0) + 1)
      if (status >= 200 && status < 300) result.acceptedAt.push(Date.now())
      if (status === 503 && (retryAfter === null || retryAfter < 1)) result.bare503 += 1
      result.slowest = Math.max(result.slowest, took)
    }
  }
  const senders: Sender[] = workspaces.flatMap(({ targets }) =>
    targets.map((target) =>
      target.source === 'alertmanager' ? alertmanagerSender(target, outbox, ids) : programSender(target, outbox, ids)
    )
  )
  const spendthrift = greedy && greedySender(greedy, outbox, ids)

  async function run(): Promise<LoadResult> {
    const start = Date.now()
    let started = 0
    // Twelve payloads of a hundred alerts exceed the minimum budget of a thousand a minute.
    let payloads = 0
    while (Date.now() < end) {
      const elapsed = Date.now() - start
      while (started < (elapsed * rate) / 1000) {
        const sender = senders[Math.floor(random() * senders.length)]
        const alerts = underWay < MAX_UNDER_WAY ? (sender?.next() ?? 0) : 0
        if (alerts === 0) result.heldBack += 1
        started += alerts || 1
      }
      if (spendthrift && payloads < 13 && elapsed > payloads * 300) {
        spendthrift.next()
        payloads += 1
      }
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    await Promise.all([...senders, ...(spendthrift ? [spendthrift] : [])].map((sender) => sender.settle()))
    return result
  }

  const done = run()
  done.catch(() => undefined) // Whoever waits for it is told; nobody may be waiting yet.
  return {
    result,
    done,
    async stop() {
      end = Math.min(end, Date.now())
      patience = 0
      // The caller stops it because of another failure, which it reports itself.
      await done.catch((error: unknown) => console.error(error))
    }
  }
}
