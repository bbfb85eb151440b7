/**
 * Which incidents a key must have, by docs/design/specification.md#s3-1,
 * docs/design/api/incidents.md#s5-3, docs/design/api/decision-rules.md#s23-4 and
 * docs/design/architecture.md#s6-signals-and-incidents: written from these, not from the fold. It
 * is told what was committed, in the order of the commits, each record once.
 *
 * Exact: for every key whether an incident is ongoing, its number, severity, regions, what it
 * reopens, how it ended, whether it flaps, until when a storm holds it
 * (docs/design/api/alerts-and-routing.md#storms), and until when the key is quiet.
 */
import type { HeartbeatTransition, MonitorTransition } from '../../../schemas/generated/events.ts'
import type { Input } from '../../../streams/define.ts'

export interface Episode {
  number: number
  severity: 'critical' | 'warning' | 'info'
  ongoing: boolean
  /** Where it was seen; grows while it is ongoing. */
  regions: string[]
  /** Number of the incident that came back as this one. */
  reopened_from: number | null
  reason: string | null
  storm_until: number | null
  flapping: boolean
}

/** More openings than this in a minute are a storm. */
export const STORM_THRESHOLD = 4

/** What is known of one key. */
export interface KeyFacts {
  tenant_id: string
  dedup_key: string
  last: 'fire' | 'resolve' | null
  sequence: number | null
  /** The last time of a sender, and whether the last signal had one. */
  sender_at: number | null
  bySender: boolean
  delivery: string | null
  quiet_until: number | null
  /** The timer that opens it again: when, and the how manieth it is. */
  timer: { at: number; nth: number } | null
  heard: number
  episodes: Episode[]
}

interface Signal {
  tenant_id: string
  dedup_key: string
  action: 'fire' | 'resolve'
  sequence: number | null
  /** The sequence names what fires: its resolve ends it for good. */
  isOccurrence: boolean
  /** The sender's time; null: it said none. */
  sender_at: number | null
  received_at: number
  delivery: string | null
  severity: Episode['severity']
  regions: readonly string[]
  reason: string
  flapping: boolean
}

/** What a person asks for. */
export interface Ending {
  reason: string
  /** Nothing opens before the recovery, or so many ms; null: it may at once. */
  quiet_ms: number | null
  /** The target is watched no longer. */
  unwatched: boolean
}

const worse = { info: 0, warning: 1, critical: 2 }

export const isWatched = (dedup_key: string): boolean => dedup_key.startsWith('mon:') || dedup_key.startsWith('hb:')

/** What a record says of its key; null: nothing. */
function signalOf(input: Input): Signal | null {
  const { value } = input
  if (input.record === 'InboundAlert') {
    const { tenant_id, dedup_key, action, sequence, occurred_at, received_at, time_source, sequence_kind, delivery_id, severity } =
      input.value
    if (action !== 'fire' && action !== 'resolve') return null
    const sender_at = time_source === 'sender' ? occurred_at : null
    const isOccurrence = sequence_kind === 'occurrence'
    const what = { tenant_id, dedup_key, action, severity, delivery: delivery_id, regions: [], reason: 'recovered', flapping: false }
    return { ...what, sequence, isOccurrence, sender_at, received_at }
  }
  if (input.record !== 'MonitorTransition' && input.record !== 'HeartbeatTransition') return null
  const transition = value as typeof input.value
  const { tenant_id, status, previous_status, ver: sequence, at: received_at, severity, resolution_reason } = transition
  const dedup_key = 'monitor_id' in transition ? `mon:${transition.monitor_id}` : `hb:${transition.heartbeat_id}`
  const isFailing = status === 'down' || status === 'missed'
  const flapping = 'flapping' in transition && transition.flapping
  if (resolution_reason === null) {
    if (!(isFailing || status === 'up')) return null
    // While it flaps no recovery counts; at the end of the flapping it does.
    if (status === previous_status ? !isBack(transition) : status === 'up' && flapping) return null
  }
  const action = resolution_reason === null && isFailing ? 'fire' : 'resolve'
  const regions = 'monitor_id' in transition ? transition.affected_regions : []
  const reason = resolution_reason ?? 'recovered'
  const what = { tenant_id, dedup_key, action, severity, delivery: null, regions, reason, flapping } as const
  // What flaps is one occurrence.
  return { ...what, sequence: flapping && action === 'fire' ? null : sequence, isOccurrence: false, sender_at: null, received_at }
}

/** A monitor that is up may flap no more: it did before, or nobody could tell. */
function isBack(transition: MonitorTransition | HeartbeatTransition): boolean {
  if (!('flapping' in transition) || transition.flapping || transition.status !== 'up') return false
  const { phase, previous_phase } = transition
  return phase === previous_phase || ['flapping', 'no_data', 'unconfirmed'].includes(previous_phase)
}

/** What opened lately in a workspace. */
interface Weather {
  /** Times of openings, in their order. */
  openings: number[]
  storm_until: number | null
}

const STEP_MS = 5000
const STEPS = 12
const stepOf = (at: number): number => Math.floor(at / STEP_MS)

export class IncidentModel {
  readonly keys = new Map<string, KeyFacts>()
  readonly #numbers = new Map<string, number>()
  readonly #weather = new Map<string, Weather>()
  #timers = 0

  facts(tenant_id: string, dedup_key: string): KeyFacts {
    const name = `${tenant_id}|${dedup_key}`
    const known = this.keys.get(name)
    if (known) return known
    const facts: KeyFacts = {
      tenant_id,
      dedup_key,
      last: null,
      sequence: null,
      sender_at: null,
      bySender: false,
      delivery: null,
      quiet_until: null,
      timer: null,
      heard: 0,
      episodes: []
    }
    this.keys.set(name, facts)
    return facts
  }

  /** A record was folded and committed. Returns the key that it is about. */
  take(input: Input): KeyFacts | null {
    const signal = signalOf(input)
    if (!signal) return this.#joined(input)
    const facts = this.facts(signal.tenant_id, signal.dedup_key)
    facts.heard += 1
    if (!isNews(facts, signal)) return facts
    const isLater = signal.sequence !== null && facts.sequence !== null && signal.sequence > facts.sequence
    const isQuiet = facts.quiet_until !== null && signal.received_at < facts.quiet_until
    if (signal.action === 'fire' && isQuiet && !isLater) return facts
    const newest = facts.episodes.at(-1)
    if (signal.action === 'resolve') {
      if (newest?.ongoing) end(newest, signal.reason)
    } else if (newest?.ongoing) {
      newest.flapping = signal.flapping
      if (worse[signal.severity] > worse[newest.severity]) newest.severity = signal.severity
      grow(newest, signal.regions)
    } else {
      const opened = this.#open(
        facts,
        signal.severity,
        signal.regions,
        facts.last === 'fire' && newest ? newest.number : null,
        input.timestamp
      )
      opened.flapping = signal.flapping
    }
    facts.last = signal.action
    facts.bySender = signal.sender_at !== null
    facts.sender_at = signal.sender_at ?? facts.sender_at
    facts.sequence = signal.sequence ?? facts.sequence
    facts.delivery = signal.delivery
    unquiet(facts)
    return facts
  }

  /** Another region sees a monitor fail that is down already, or flapping begins or ends. */
  #joined(input: Input): KeyFacts | null {
    if (input.record !== 'MonitorTransition' || input.value.status === 'paused') return null
    const { tenant_id, monitor_id, joined_region, affected_regions, flapping, phase, previous_phase } = input.value
    const turns = phase === previous_phase || phase === 'flapping' || previous_phase === 'flapping' || flapping
    if (joined_region === null && !turns) return null
    const facts = this.facts(tenant_id, `mon:${monitor_id}`)
    const newest = facts.episodes.at(-1)
    if (!newest?.ongoing) return facts
    newest.flapping = flapping
    grow(newest, affected_regions)
    return facts
  }

  /** A person or the end of the watch ended the ongoing incident, at Postgres's time `now`. */
  end(facts: KeyFacts, { reason, quiet_ms, unwatched }: Ending, now: number): void {
    const newest = facts.episodes.at(-1)
    if (!newest?.ongoing) return
    end(newest, reason)
    if (facts.last !== 'fire' || unwatched) unquiet(facts)
    else if (isWatched(facts.dedup_key)) {
      facts.quiet_until = now + (quiet_ms ?? 0)
      facts.timer = { at: facts.quiet_until, nth: this.#timers++ }
    } else facts.quiet_until = quiet_ms === null ? null : now + quiet_ms
  }

  /**
   * The timers ran at Postgres's time `now`: what still fires comes back, the oldest first. What is
   * paused is judged anew when it is resumed.
   */
  timers(now: number, isStillWatched: (facts: KeyFacts) => boolean): KeyFacts[] {
    const due = [...this.keys.values()].filter(({ timer }) => timer !== null && timer.at <= now)
    due.sort((one, other) => (one.timer?.at ?? 0) - (other.timer?.at ?? 0) || (one.timer?.nth ?? 0) - (other.timer?.nth ?? 0))
    for (const facts of due) {
      facts.timer = null
      const newest = facts.episodes.at(-1)
      if (!newest || newest.ongoing || !isStillWatched(facts)) continue
      this.#open(facts, newest.severity, newest.regions, newest.number, now)
      facts.quiet_until = null
    }
    return due
  }

  /** Storms whose end has come, at Postgres's time `now`, release what goes on. */
  calm(now: number): KeyFacts[] {
    const freed = [...this.keys.values()].filter(({ episodes }) => {
      const { ongoing, storm_until } = episodes.at(-1) ?? { ongoing: false, storm_until: null }
      return ongoing && storm_until !== null && storm_until <= now
    })
    for (const { episodes } of freed) {
      const newest = episodes.at(-1)
      if (newest) newest.storm_until = null
    }
    return freed
  }

  #open(facts: KeyFacts, severity: Episode['severity'], regions: readonly string[], reopened_from: number | null, at: number): Episode {
    const { tenant_id } = facts
    const number = (this.#numbers.get(tenant_id) ?? 0) + 1
    this.#numbers.set(tenant_id, number)
    const storm_until = this.#stormAt(tenant_id, at)
    const opened = { number, severity, ongoing: true, regions: [...regions], reopened_from, reason: null, storm_until, flapping: false }
    facts.episodes.push(opened)
    return opened
  }

  /** Counts an opening; until when a storm holds it. What is a minute behind is no part of it. */
  #stormAt(tenant_id: string, at: number): number | null {
    const weather = this.#weather.get(tenant_id) ?? { openings: [], storm_until: null }
    this.#weather.set(tenant_id, weather)
    const newest = stepOf(Math.max(at, ...weather.openings))
    if (stepOf(at) <= newest - STEPS) return null
    weather.openings = [...weather.openings, at].filter((time) => stepOf(time) > newest - STEPS)
    const count = weather.openings.filter((time) => stepOf(time) <= stepOf(at)).length
    if (weather.storm_until !== null && at < weather.storm_until) return weather.storm_until
    if (count <= STORM_THRESHOLD) return null
    weather.storm_until = at + 60_000
    return weather.storm_until
  }
}

/** Nothing is quiet any more. */
export function unquiet(facts: KeyFacts): void {
  facts.quiet_until = null
  facts.timer = null
}

function end(episode: Episode, reason: string): void {
  episode.ongoing = false
  episode.flapping = false
  episode.reason = reason
}

function grow(episode: Episode, regions: readonly string[]): void {
  for (const region of regions) if (!episode.regions.includes(region)) episode.regions.push(region)
}

/**
 * Neither a repeat of the last applied signal nor older than it. Times of senders are compared with
 * each other only; what has none is ordered by the log.
 */
function isNews(facts: KeyFacts, { action, sequence, isOccurrence, sender_at, delivery }: Signal): boolean {
  if (facts.last === null) return true
  if (delivery !== null && delivery === facts.delivery) return false
  if (sequence !== null && facts.sequence !== null) {
    if (sequence !== facts.sequence) return sequence > facts.sequence
    if (action === facts.last) return false
    if (isOccurrence) return action === 'resolve'
  }
  if (sender_at === null || facts.sender_at === null || sender_at > facts.sender_at) return true
  return sender_at === facts.sender_at && action !== facts.last && facts.bySender
}
