/**
 * Appends the payloads of a busy workspace to the log in groups. The work after the log (a fetch, a
 * transaction, a pass of the relay, frames) costs nearly as much for one alert as for several, and
 * all workspaces share the processors for it. So a workspace that sends much waits a little, and
 * the alerts of others pass sooner.
 *
 * - A workspace is busy above `BUSY_RATE` payloads a second. The payloads of others are appended
 *   at once.
 * - A group is appended `GROUP_MS` after its first payload arrived, or when it has `GROUP_SIZE`
 *   payloads or `GROUP_RECORDS` records. So a payload of many alerts does not wait.
 * - A sender that sends one payload after the other would wait each time in a group of one. So
 *   after two groups of one payload, the payloads of the workspace are appended at once for
 *   `ALONE_MS`.
 * - Payloads of a workspace never overtake one another. When the log refuses one payload, the
 *   others in its group do not fail.
 */
import { RecordRate } from '../../../streams/runtime/record-rate.ts'
import { steadyNow } from '../../../streams/runtime/steady.ts'
import type { Append, OutRecord } from '../../../streams/runtime/stream.ts'
import { BoundedMap } from '../../process/bounded-map.ts'

/** Payloads a second, measured over a quarter of a second. */
export const BUSY_RATE = 100
export const GROUP_MS = 20
export const GROUP_SIZE = 8
export const GROUP_RECORDS = 32
/** After two groups of one payload: how long payloads are appended without waiting. */
export const ALONE_MS = 1000
const ALONE_GROUPS = 2
/** Limit for workspaces whose rate is remembered. */
const MAX_WORKSPACES = 10_000

/** Resolves once the log has acknowledged all of `records`; rejects as `Append.append` does. */
export type PacedAppend = (tenant_id: string, records: OutRecord[]) => Promise<void>

interface Waiting {
  records: readonly OutRecord[]
  resolve(acknowledged: Promise<void>): void
}

class Workspace {
  readonly rate: RecordRate
  waiting: Waiting[] = []
  timer: NodeJS.Timeout | undefined
  /** Groups of one payload since the last larger one. */
  alone = 0
  /** Steady ms: until then, payloads are appended without waiting. */
  hurriesUntil = Number.NEGATIVE_INFINITY

  constructor(now: number) {
    this.rate = new RecordRate(now)
  }

  mayLeave(now: number): boolean {
    return this.waiting.length === 0 && (this.rate.perSecond <= BUSY_RATE || now < this.hurriesUntil)
  }

  isFull(): boolean {
    const records = this.waiting.reduce((sum, one) => sum + one.records.length, 0)
    return this.waiting.length >= GROUP_SIZE || records >= GROUP_RECORDS
  }

  leave(now: number, appendEach: Append['appendEach']): void {
    clearTimeout(this.timer)
    this.timer = undefined
    const group = this.waiting
    this.alone = group.length > 1 || this.isFull() ? 0 : this.alone + 1
    this.waiting = []
    if (this.alone === ALONE_GROUPS) {
      this.alone = 0
      this.hurriesUntil = now + ALONE_MS
    }
    const answers = appendEach(group.map(({ records }) => records))
    for (const [nth, { resolve }] of group.entries()) resolve(answers[nth] as Promise<void>)
  }
}

/** `clock`: steady ms. */
export function createPacedAppend({ append, appendEach }: Pick<Append, 'append' | 'appendEach'>, clock = steadyNow): PacedAppend {
  const workspaces = new BoundedMap<string, Workspace>(MAX_WORKSPACES)

  return (tenant_id, records) => {
    const now = clock()
    const workspace = workspaces.get(tenant_id) ?? new Workspace(now)
    workspaces.set(tenant_id, workspace) // Moves it to the end: the idlest is evicted.
    workspace.rate.count(1, now)
    if (workspace.mayLeave(now)) return append(records)
    return new Promise((resolve) => {
      workspace.waiting.push({ records, resolve })
      if (workspace.isFull()) workspace.leave(now, appendEach)
      else workspace.timer ??= setTimeout(() => workspace.leave(clock(), appendEach), GROUP_MS)
    })
  }
}
