/**
 * The model of incidents held because other monitors fail, by
 * docs/design/api/monitors.md#dependencies and docs/design/api/incidents.md#mass-outages. It is
 * written from these documents, not from the fold.
 *
 * Exact: what is known of a monitor that others depend on, which children wait and until when, how
 * many monitors make a mass outage, who is part of it, its regions, its number, and
 * when it is over.
 */
import type { MonitorTransition } from '../../../schemas/generated/events.ts'
import type { Windows } from './windows.ts'

/** Of both workspaces. */
export const MIN_MONITORS = 3
const WINDOW_MS = 300_000
const BOUND_MS = 86_400_000

type State = Pick<MonitorTransition, 'status' | 'phase' | 'ver'>

interface Known extends State {
  /** When it stopped being down. */
  back_at: number | null
}

/** Since when a child waits. */
export interface Waits {
  began_at: number
  wait_ms: number
  /** Since when nothing holds it, as far as was checked; null: something does. */
  free_since: number | null
}

/** A mass outage. */
export interface Mass {
  tenant_id: string
  /** null: its batch is not over. */
  number: number | null
  /** Keys of what is down. */
  failing: Set<string>
  /** Where its monitors went down. */
  regions: Set<string>
  /** How often a monitor became part of it. */
  count: number
  ongoing: boolean
  reason: string | null
  /** Time of the last record about it. */
  at: number
}

interface Lately {
  downs: { key: string; at: number; regions: readonly string[] }[]
  mass: Mass | null
}

const isOut = ({ status, phase }: State): boolean => status === 'down' || (status === 'up' && phase === 'maintenance')

export class Together {
  /** By key of the child. */
  readonly #parents = new Map<string, { tenant_id: string; keys: readonly string[]; wait_ms: number }>()
  readonly #known = new Map<string, Known>()
  readonly #lately = new Map<string, Lately>()
  readonly #windows: Windows

  constructor(windows: Windows) {
    this.#windows = windows
  }

  /**
   * A person sets what a monitor depends on. `found` is what the status fold has stored for each
   * parent.
   */
  depend(tenant_id: string, child: string, keys: readonly string[], wait_ms: number, found: ReadonlyMap<string, State>): void {
    this.#parents.set(child, { tenant_id, keys, wait_ms })
    for (const [key, state] of found) {
      const known = this.#known.get(key)
      if (!known || known.ver < state.ver) this.#known.set(key, { ...state, back_at: null })
    }
  }

  /** A monitor changes, at the time of its record. */
  watch(key: string, { status, phase, ver }: State, at: number): void {
    const isParent = [...this.#parents.values()].some(({ keys }) => keys.includes(key))
    const before = this.#known.get(key)
    if (!isParent || (before && before.ver >= ver)) return
    const after = { status, phase, ver }
    const back_at = isOut(after) ? null : before && isOut(before) ? at : (before?.back_at ?? null)
    this.#known.set(key, { ...after, back_at })
  }

  /** Returns until when a parent holds a waiting child; -Infinity: it does not. */
  #until(tenant_id: string, parent: string, { began_at, wait_ms }: Waits, at: number): number {
    const known = this.#known.get(parent)
    const bound = began_at + BOUND_MS
    if (known && isOut(known)) return bound
    const windows = this.#windows.holding(tenant_id, parent, at)
    if (windows.length > 0) return Math.min(bound, Math.max(...windows.map(({ until }) => until)))
    if (!known) return Number.NEGATIVE_INFINITY
    // The parent is still being validated, or its children may recover after it.
    const judged = known.status === 'up' && known.phase === 'validating' ? began_at + wait_ms : Number.NEGATIVE_INFINITY
    return known.back_at !== null && known.back_at >= began_at ? Math.max(judged, known.back_at + wait_ms) : judged
  }

  holds(child: string, waits: Waits, at: number): boolean {
    const found = this.#parents.get(child)
    return found?.keys.some((parent) => this.#until(found.tenant_id, parent, waits, at) > at) ?? false
  }

  /** Returns the wait of a child that begins to fail; null: nothing that it depends on fails. */
  waitsAt(child: string, at: number): Waits | null {
    const found = this.#parents.get(child)
    const waits = found && { began_at: at, wait_ms: found.wait_ms, free_since: null }
    return waits && this.holds(child, waits, at) ? waits : null
  }

  #of(tenant_id: string): Lately {
    const known = this.#lately.get(tenant_id)
    if (known) return known
    const fresh: Lately = { downs: [], mass: null }
    this.#lately.set(tenant_id, fresh)
    return fresh
  }

  /**
   * A monitor that counts goes down in these regions. Returns the mass outage that it is part of.
   * `monitors` is how many can be part of one.
   */
  down(tenant_id: string, key: string, at: number, regions: readonly string[], monitors: number): Mass | null {
    const lately = this.#of(tenant_id)
    if (lately.mass?.ongoing) {
      if (!lately.mass.failing.has(key)) {
        lately.mass.count += 1
        for (const region of regions) lately.mass.regions.add(region)
      }
      lately.mass.failing.add(key)
      lately.mass.at = at
      return lately.mass
    }
    lately.downs = [...lately.downs.filter((one) => one.key !== key && one.at > at - WINDOW_MS), { key, at, regions }]
    const count = lately.downs.length
    if (count < MIN_MONITORS && (count < 2 || monitors < count || 2 * count < monitors)) return null
    const failing = new Set(lately.downs.map((one) => one.key))
    const everywhere = new Set(lately.downs.flatMap((one) => one.regions))
    lately.mass = { tenant_id, number: null, failing, regions: everywhere, count, ongoing: true, reason: null, at }
    lately.downs = []
    return lately.mass
  }

  /** A monitor is no longer down. Returns the mass outage that ends with it; null: none does. */
  up(tenant_id: string, key: string, at: number): Mass | null {
    const lately = this.#of(tenant_id)
    const { mass } = lately
    if (mass?.ongoing && mass.failing.delete(key)) {
      mass.at = at
      if (mass.failing.size > 0) return null
      mass.ongoing = false
      mass.reason = 'recovered'
      return mass
    }
    lately.downs = lately.downs.filter((one) => one.key !== key)
    return null
  }

  /** Returns mass outages that have no number yet. */
  unnumbered(): Mass[] {
    return [...this.#lately.values()].flatMap(({ mass }) => (mass?.number === null ? [mass] : []))
  }

  /** Returns the mass outage that goes on and that a monitor is part of. */
  partOf(tenant_id: string, key: string): Mass | null {
    const mass = this.massOf(tenant_id)
    return mass?.ongoing && mass.failing.has(key) ? mass : null
  }

  massOf(tenant_id: string): Mass | null {
    return this.#lately.get(tenant_id)?.mass ?? null
  }
}
