/**
 * The model of alerts and incidents: which alerts a key must have, and which incidents there must
 * be, by docs/design/specification.md#s3-1, docs/design/api/incidents.md#s5-3,
 * docs/design/api/alerts-and-routing.md#groups, docs/design/api/decision-rules.md#s23-4 and
 * docs/design/architecture.md#s6-signals-and-incidents. It is written from these documents, not
 * from the fold. It gets what was committed, in the order of the commits, each record once.
 *
 * Exact: for every key whether an alert is ongoing, its incident, severity, regions, team, what it
 * reopens, how it ended, and until when the key is quiet; for every incident its number, severity,
 * regions, team, what mutes it, how many alerts it has and had, how it ended, whether it flaps, and
 * until when a storm holds it (docs/design/api/alerts-and-routing.md#storms).
 */
import type { HeartbeatTransition, MonitorTransition } from '../../../schemas/generated/events.ts'
import type { Input } from '../../../streams/define.ts'
import { type Came, type Decision, decide, type Rule, type Severity } from './routing.ts'
import { type Mass, Together, type Waits } from './together.ts'
import { Windows } from './windows.ts'

/** An incident, of a single alert or of several. */
export interface Shared {
  number: number
  severity: Severity
  /** A rule set the severity. */
  fixed: boolean
  ongoing: boolean
  regions: string[]
  reopened_from: number | null
  reason: string | null
  team: number | null
  muted: number | null
  /** Number of the key of the alert that opened it, if a sender sent that alert. */
  n: number | null
  /** Key of the alert that opened it. */
  key: string
  opened_at: number
  /** `count`: alerts that it had; `open`: ongoing ones, null if it has a single alert. */
  count: number
  open: number | null
  /** Its alerts, if a rule groups them. */
  alerts: Episode[]
  silenced_until: number | null
  storm_until: number | null
  flapping: boolean
  /** The failing parent that its monitor depends on, and the mass outage that it is part of. */
  waits: Waits | null
  bundled: Mass | null
}

/** An alert: one episode of a key. */
export interface Episode {
  /** null: something keeps it from becoming an incident. */
  incident: Shared | null
  severity: Severity
  fixed: boolean
  ongoing: boolean
  /** Regions that saw it; grows while it is ongoing. */
  regions: string[]
  /** Number of the incident of the earlier alert that came back as this one. */
  reopened_from: number | null
  reason: string | null
  team: number | null
  muted: number | null
  n: number | null
  key: string
  /** The window that keeps it from becoming an incident, or did so until it ended. */
  kept: Kept | null
}

interface Kept {
  by: number
  /** End of the window's settle time. */
  until: number
}

/** More openings than this in one minute are a storm. */
export const STORM_THRESHOLD = 4

/** What is known of one key. */
export interface KeyFacts {
  tenant_id: string
  dedup_key: string
  last: 'fire' | 'resolve' | null
  sequence: number | null
  /** The last time that a sender gave, and whether the last signal had one. */
  sender_at: number | null
  bySender: boolean
  delivery: string | null
  quiet_until: number | null
  /** The worst that the sender has said of the newest alert, whatever rules made of it. */
  worst: Severity | null
  /** When the timer opens the key again. */
  timer: number | null
  heard: number
  episodes: Episode[]
}

interface Signal {
  tenant_id: string
  dedup_key: string
  action: 'fire' | 'resolve'
  sequence: number | null
  /** The sequence names what fires, so its resolve ends it for good. */
  isOccurrence: boolean
  /** The sequence is the position at which the api accepted it. It only marks copies. */
  isReceipt: boolean
  /** The sender's time; null: it gave none. */
  sender_at: number | null
  received_at: number
  delivery: string | null
  came: Came
  regions: readonly string[]
  reason: string
  /** When the record was appended to the log. */
  at: number
  flapping: boolean
}

/** How a person ends an alert or incident. */
export interface Ending {
  reason: string
  /** Nothing opens before the recovery, or for this many ms; null: it may open at once. */
  quiet_ms: number | null
  /** The target is no longer watched. */
  unwatched: boolean
}

const worse = { info: 0, warning: 1, critical: 2 }

export const isWatched = (dedup_key: string): boolean => dedup_key.startsWith('mon:') || dedup_key.startsWith('hb:')

/** Returns the signal of a record for its key; null: it has none. */
function signalOf(input: Input): Signal | null {
  const { value } = input
  if (input.record === 'InboundAlert') {
    const { tenant_id, dedup_key, action, sequence, occurred_at, received_at, time_source, sequence_kind, delivery_id, severity } =
      input.value
    if (action !== 'fire' && action !== 'resolve') return null
    const sender_at = time_source === 'sender' ? occurred_at : null
    const isOccurrence = sequence_kind === 'occurrence'
    const isReceipt = sequence_kind === 'receipt'
    const came: Came = { n: Number(dedup_key.slice(-12)), kind: 'inbound', severity }
    const what = {
      tenant_id,
      dedup_key,
      action,
      came,
      delivery: delivery_id,
      regions: [],
      reason: 'recovered',
      at: input.timestamp,
      flapping: false
    }
    return { ...what, sequence, isOccurrence, isReceipt, sender_at, received_at }
  }
  if (input.record !== 'MonitorTransition' && input.record !== 'HeartbeatTransition') return null
  const transition = value as typeof input.value
  const { tenant_id, status, previous_status, ver: sequence, at: received_at, severity, resolution_reason } = transition
  const dedup_key = 'monitor_id' in transition ? `mon:${transition.monitor_id}` : `hb:${transition.heartbeat_id}`
  const isFailing = status === 'down' || status === 'missed'
  const flapping = 'flapping' in transition && transition.flapping
  const isDegraded = isDegradedFire(transition)
  if (resolution_reason === null && !isDegraded) {
    if (!(isFailing || status === 'up') || isAdvice(transition)) return null
    if (opensByDegraded(transition) && transition.phase === 'validating') return null
    // While a monitor flaps, recoveries do not count; when the flapping ends, they do.
    if (status === previous_status ? !isBack(transition) && !isWell(transition) : status === 'up' && flapping) return null
  }
  const action = resolution_reason === null && (isFailing || isDegraded) ? 'fire' : 'resolve'
  const regions = 'monitor_id' in transition ? transition.affected_regions : []
  const came: Came = { n: null, kind: 'monitor_id' in transition ? 'monitor' : 'heartbeat', severity }
  const reason = resolution_reason ?? 'recovered'
  const what = { tenant_id, dedup_key, action, came, delivery: null, regions, reason, at: input.timestamp, flapping } as const
  // A time of flapping is one occurrence, and so is a time of being degraded.
  const isLong = (flapping || isDegraded) && action === 'fire'
  return { ...what, sequence: isLong ? null : sequence, isOccurrence: false, isReceipt: false, sender_at: null, received_at }
}

/** One region alone has failed for long, which does not change the monitor's status. */
const isAdvice = (transition: MonitorTransition | HeartbeatTransition): boolean =>
  'advisory_regions' in transition &&
  transition.advisory_regions.length > 0 &&
  transition.status === transition.previous_status &&
  transition.phase === transition.previous_phase

const opensByDegraded = (transition: MonitorTransition | HeartbeatTransition): transition is MonitorTransition =>
  'monitor_id' in transition && transition.open_on_degraded && transition.status === 'up'

/** By its settings, a monitor that is degraded has an incident. */
const isDegradedFire = (transition: MonitorTransition | HeartbeatTransition): boolean =>
  opensByDegraded(transition) && transition.phase === 'degraded' && transition.resolution_reason === null && !isAdvice(transition)

/** Nothing is wrong with the monitor, so it has no incident. */
const isWell = (transition: MonitorTransition | HeartbeatTransition): boolean =>
  'monitor_id' in transition && transition.status === 'up' && transition.phase === 'ok'

/**
 * Whether a monitor that is up flaps no more: it flapped before, or its state could not be told.
 */
function isBack(transition: MonitorTransition | HeartbeatTransition): boolean {
  if (!('flapping' in transition) || transition.flapping || transition.status !== 'up') return false
  const { phase, previous_phase } = transition
  return phase === previous_phase || ['flapping', 'no_data', 'unconfirmed'].includes(previous_phase)
}

/** Recent openings in a workspace. */
interface Weather {
  /** Times of openings, in order. */
  openings: number[]
  storm_until: number | null
}

/** How often an incident that waits for a parent is checked, also if a window was ended early. */
const LOOKED_AT_MS = 300_000
/** Jobs run by a clock that may have been set back by up to this much. */
const CLOCK_MS = 10_000

const STEP_MS = 5000
const STEPS = 12
const stepOf = (at: number): number => Math.floor(at / STEP_MS)

export class IncidentModel {
  readonly keys = new Map<string, KeyFacts>()
  /** Rules in force, by workspace. */
  readonly rules = new Map<string, readonly Rule[]>()
  readonly #numbers = new Map<string, number>()
  /** The newest incident of each group. */
  readonly #groups = new Map<string, Shared>()
  readonly #weather = new Map<string, Weather>()
  readonly windows = new Windows()
  /** When somebody last changed a window. */
  #changed_at = 0
  readonly together = new Together(this.windows)
  /** Returns how many monitors of a workspace count for a mass outage. */
  monitorsOf: (tenant_id: string) => number = () => 0

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
      worst: null,
      timer: null,
      heard: 0,
      episodes: []
    }
    this.keys.set(name, facts)
    return facts
  }

  /** Takes a record that was folded and committed. Returns the key that it is about. */
  take(input: Input): KeyFacts | null {
    const signal = signalOf(input)
    this.#watch(input)
    if (!signal) {
      this.#up(input)
      return this.#joined(input)
    }
    const facts = this.facts(signal.tenant_id, signal.dedup_key)
    facts.heard += 1
    if (!isNews(facts, signal) && !isHeardAgain(facts, signal)) return facts
    const isLater = isLaterThan(facts, signal)
    const isQuiet = facts.quiet_until !== null && signal.received_at < facts.quiet_until
    if (signal.action === 'fire' && isQuiet && !isLater && !isWorse(facts, signal)) return facts
    this.#up(input)
    const newest = facts.episodes.at(-1)
    if (signal.action === 'fire') facts.worst = newest?.ongoing && !isWorse(facts, signal) ? facts.worst : signal.came.severity
    if (signal.action === 'resolve') {
      if (newest?.ongoing) end(newest, signal.reason)
    } else if (newest?.ongoing) {
      flap(newest, signal.flapping)
      raise(newest, signal.came.severity)
      grow(newest, signal.regions)
    } else {
      const ruled = decide(this.rules.get(facts.tenant_id) ?? [], signal.came)
      const kept = ruled.kept ? null : this.#keeping(facts, signal.at)
      const decision = kept ? { ...ruled, kept: true, group: null } : ruled
      const reopened_from = facts.last === 'fire' ? (newest?.incident?.number ?? null) : null
      this.#open(facts, decision, { ...signal, reopened_from }, kept)
      this.#down(facts, decision, signal.flapping, input)
    }
    facts.last = signal.action
    facts.bySender = signal.sender_at !== null
    facts.sender_at = signal.sender_at ?? facts.sender_at
    facts.sequence = signal.sequence ?? facts.sequence
    facts.delivery = signal.delivery
    unquiet(facts)
    return facts
  }

  /** Returns the window that keeps an alert from becoming an incident; of several, the first. */
  #keeping({ tenant_id, dedup_key }: KeyFacts, at: number): Kept | null {
    const [first] = this.windows.keeping(tenant_id, dedup_key, at)
    return first ? { by: first.id, until: first.until } : null
  }

  #watch(input: Input): void {
    if (input.record !== 'MonitorTransition') return
    this.together.watch(`mon:${input.value.monitor_id}`, input.value, input.timestamp)
  }

  /** An incident that opened alone may become part of a mass outage. */
  #down({ tenant_id, dedup_key, episodes }: KeyFacts, { muted, group, kept }: Decision, flapping: boolean, input: Input): void {
    const incident = episodes.at(-1)?.incident
    if (input.record !== 'MonitorTransition' || !incident || kept || group || muted !== null || flapping || incident.waits) return
    if (input.value.status !== 'down' || input.value.vote.configured < 2) return
    if (this.windows.holding(tenant_id, dedup_key, input.timestamp).length > 0) return
    const regions = input.value.affected_regions
    incident.bundled = this.together.down(tenant_id, dedup_key, input.timestamp, regions, this.monitorsOf(tenant_id))
  }

  #up(input: Input): void {
    if (input.record !== 'MonitorTransition' || input.value.status === 'down') return
    const { tenant_id, monitor_id } = input.value
    const over = this.together.up(tenant_id, `mon:${monitor_id}`, input.timestamp)
    if (over?.number === null) this.#number(over)
  }

  #number(mass: Mass): void {
    mass.number = (this.#numbers.get(mass.tenant_id) ?? 0) + 1
    this.#numbers.set(mass.tenant_id, mass.number)
    this.#stormAt(mass.tenant_id, mass.at)
  }

  /** The batch is over, so its mass outages are announced now. */
  finish(): void {
    for (const mass of this.together.unnumbered()) this.#number(mass)
  }

  /** A job checks, at Postgres's time, whether a waiting incident still has to wait. */
  look({ dedup_key, episodes }: KeyFacts, now: number): void {
    const incident = episodes.at(-1)?.incident
    if (incident?.ongoing && incident.waits && !this.together.holds(dedup_key, incident.waits, now)) incident.waits = null
  }

  /** A person ends a mass outage. */
  endMass(tenant_id: string): void {
    const mass = this.together.massOf(tenant_id)
    if (!mass?.ongoing) return
    mass.ongoing = false
    mass.reason = 'user'
  }

  /**
   * The job that follows: incidents of the mass outage that are still ongoing are then announced
   * alone. Returns their keys.
   */
  unbundle(number: number, tenant_id: string): KeyFacts[] {
    const freed = [...this.keys.values()].filter((facts) => {
      const newest = facts.episodes.at(-1)
      return facts.tenant_id === tenant_id && newest?.ongoing === true && newest.incident?.bundled?.number === number
    })
    for (const { episodes } of freed) {
      const incident = episodes.at(-1)?.incident
      if (incident) incident.bundled = null
    }
    return freed
  }

  /** Another region sees a monitor fail that is already down, or flapping begins or ends. */
  #joined(input: Input): KeyFacts | null {
    if (input.record !== 'MonitorTransition' || input.value.status === 'paused' || isAdvice(input.value)) return null
    const { tenant_id, monitor_id, joined_region, affected_regions, flapping, phase, previous_phase } = input.value
    const turns =
      flapping || phase === previous_phase || phase === 'flapping' || previous_phase === 'flapping' || previous_phase === 'no_data'
    if (joined_region === null && !turns) return null
    const facts = this.facts(tenant_id, `mon:${monitor_id}`)
    const newest = facts.episodes.at(-1)
    if (!newest?.ongoing) return facts
    flap(newest, flapping)
    grow(newest, affected_regions)
    return facts
  }

  /**
   * A person ended the ongoing alert, or its target is no longer watched, at Postgres's time `now`.
   */
  end(facts: KeyFacts, ending: Ending, now: number): void {
    const newest = facts.episodes.at(-1)
    if (!newest?.ongoing) return
    end(newest, ending.reason)
    this.#quieten(facts, ending, now)
  }

  /** A person ended an incident and with it all of its alerts. Returns their keys. */
  endIncident(tenant_id: string, incident: Shared, ending: Ending, now: number): KeyFacts[] {
    const members = this.membersOf(tenant_id, incident)
    for (const facts of members) this.end(facts, ending, now)
    return members
  }

  /** Returns the keys of an incident's ongoing alerts. */
  membersOf(tenant_id: string, incident: Shared): KeyFacts[] {
    const members = [...this.keys.values()].filter((facts) => {
      const newest = facts.episodes.at(-1)
      return facts.tenant_id === tenant_id && newest?.ongoing === true && newest.incident === incident
    })
    return members.sort((one, other) => (one.dedup_key < other.dedup_key ? -1 : 1))
  }

  /** A person opens an incident for an alert that was kept from having one. */
  promote(facts: KeyFacts, now: number): Shared | null {
    const newest = facts.episodes.at(-1)
    if (!newest?.ongoing || newest.incident) return null
    newest.incident = { ...this.#incident(facts.tenant_id, newest, now), reopened_from: null, open: 1 }
    newest.kept = null
    return newest.incident
  }

  /** A window changed at Postgres's time `now`. The alerts that it keeps are checked then. */
  lookAgain(id: number, now: number): void {
    this.#changed_at = now
    if (!this.windows.holds(id, now)) return
    for (const { episodes } of this.keys.values()) {
      const newest = episodes.at(-1)
      if (newest?.ongoing && newest.kept?.by === id) newest.kept.until = Math.min(newest.kept.until, now)
    }
  }

  /**
   * A job checks the alerts that a window keeps. An alert becomes an incident when no window keeps
   * it any more. A storm or a parent may hold that incident.
   */
  promoteKept(facts: KeyFacts, now: number): void {
    const newest = facts.episodes.at(-1)
    if (!newest?.ongoing || newest.incident || !newest.kept || newest.kept.until > now) return
    const still = this.windows.keeping(facts.tenant_id, facts.dedup_key, now)
    if (still.length === 0) {
      const incident = this.promote(facts, now)
      if (!incident) return
      incident.storm_until = this.#stormAt(facts.tenant_id, now)
      incident.waits = this.together.waitsAt(facts.dedup_key, now)
      return
    }
    const until = Math.min(...still.map((one) => one.until))
    newest.kept = { by: still.find((one) => one.until === until)?.id ?? 0, until }
  }

  /** Returns what should have happened by Postgres's time `now` and has not; null: nothing. */
  late(now: number): string | null {
    for (const { dedup_key, timer, episodes } of this.keys.values()) {
      if (timer !== null && timer <= now) return `${dedup_key} must have opened again`
      const newest = episodes.at(-1)
      const storm_until = newest?.ongoing ? (newest.incident?.storm_until ?? null) : null
      if (storm_until !== null && storm_until <= now) return `${dedup_key} is held by a storm that is over`
      if (newest?.ongoing && !newest.incident && newest.kept && newest.kept.until <= now)
        return `${dedup_key} must be looked at, for its window has settled or was changed`
      if (newest?.ongoing && newest.incident?.waits && this.#isLeftWaiting(dedup_key, newest.incident.waits, now))
        return `${dedup_key} waits, and nothing that it depends on holds it`
    }
    return null
  }

  /**
   * An incident is announced once no parent holds it. If a window ended early, that may take
   * longer.
   */
  #isLeftWaiting(dedup_key: string, waits: Waits, now: number): boolean {
    const isFree = !this.together.holds(dedup_key, waits, now)
    waits.free_since = isFree ? (waits.free_since ?? now) : null
    return waits.free_since !== null && now > Math.max(waits.free_since, this.#changed_at + LOOKED_AT_MS) + CLOCK_MS
  }

  /** An incident is given to a team, and its ongoing alerts with it. */
  move(tenant_id: string, incident: Shared, team: number | null): KeyFacts[] {
    const members = this.membersOf(tenant_id, incident)
    incident.team = team
    for (const { episodes } of members) {
      const newest = episodes.at(-1)
      if (newest) newest.team = team
    }
    return members
  }

  #quieten(facts: KeyFacts, { quiet_ms, unwatched }: Ending, now: number): void {
    if (facts.last !== 'fire' || unwatched) unquiet(facts)
    else if (isWatched(facts.dedup_key)) {
      facts.quiet_until = now + (quiet_ms ?? 0)
      facts.timer = facts.quiet_until
    } else facts.quiet_until = quiet_ms === null ? null : now + quiet_ms
  }

  /**
   * The timer of a key ran at Postgres's time `now`: an alert that still fires opens again. A
   * paused target is judged anew when it is resumed.
   */
  reopen(facts: KeyFacts, now: number, isStillWatched: boolean): void {
    if (facts.timer === null || facts.timer > now) return
    facts.timer = null
    const newest = facts.episodes.at(-1)
    if (!newest || newest.ongoing || !isStillWatched) return
    // It becomes a new incident of its own, with the same team and the same muting. An alert that a
    // rule kept from being an incident stays an alert; one that a window kept stays so while a
    // window keeps it.
    const { severity, fixed, muted, regions, n, incident } = newest
    const { team } = incident?.open === null ? incident : newest
    const kept = newest.kept && this.#keeping(facts, now)
    const staysAlert = incident === null && (newest.kept === null || kept !== null)
    const decision: Decision = { team, severity, fixed, kept: staysAlert, muted, group: null }
    const came: Came = { n, kind: facts.dedup_key.startsWith('mon:') ? 'monitor' : 'heartbeat', severity }
    this.#open(facts, decision, { came, regions, reopened_from: incident?.number ?? null, at: now, flapping: false }, kept)
    facts.quiet_until = null
    const again = facts.episodes.at(-1)?.incident
    // People are not told of it alone while the mass outage goes on.
    if (again && !again.waits) again.bundled = this.together.partOf(facts.tenant_id, facts.dedup_key)
  }

  /**
   * The storm of a workspace that ends at `until` releases the incidents that are still ongoing.
   * Returns their keys.
   */
  calm(tenant: string, until: number): KeyFacts[] {
    const freed = [...this.keys.values()].filter(({ tenant_id, episodes }) => {
      const newest = episodes.at(-1)
      return tenant_id === tenant && newest?.ongoing === true && newest.incident?.storm_until === until
    })
    for (const { episodes } of freed) {
      const incident = episodes.at(-1)?.incident
      if (incident) incident.storm_until = null
    }
    return freed
  }

  #open(
    facts: KeyFacts,
    { team, severity, fixed, kept, muted, group }: Decision,
    { came, regions, reopened_from, at, flapping }: Pick<Signal, 'came' | 'regions' | 'at' | 'flapping'> & { reopened_from: number | null },
    window: Kept | null
  ): void {
    const { n } = came
    const episode: Episode = {
      incident: null,
      severity,
      fixed,
      ongoing: true,
      regions: [...regions],
      reopened_from,
      reason: null,
      team,
      muted,
      n,
      key: facts.dedup_key,
      kept: window
    }
    facts.episodes.push(episode)
    if (kept) return
    const name = group && `${facts.tenant_id}|${group.name}`
    const current = name === null ? undefined : this.#groups.get(name)
    if (group && current && takes(current, episode, group, at)) {
      episode.incident = current
      current.count += 1
      current.open = (current.open ?? 0) + 1
      current.alerts.push(episode)
      raise(episode, severity)
      grow(episode, regions)
      return
    }
    episode.incident = this.#incident(facts.tenant_id, episode, at)
    episode.incident.storm_until = this.#stormAt(facts.tenant_id, at)
    if (name === null) {
      episode.incident.flapping = flapping
      episode.incident.waits = this.together.waitsAt(facts.dedup_key, at)
      return
    }
    episode.incident.open = 1
    episode.incident.alerts.push(episode)
    this.#groups.set(name, episode.incident) // It takes the group over.
  }

  #incident(tenant_id: string, episode: Episode, opened_at: number): Shared {
    const { severity, fixed, regions, reopened_from, team, muted, n, key } = episode
    const number = (this.#numbers.get(tenant_id) ?? 0) + 1
    this.#numbers.set(tenant_id, number)
    const what = { number, severity, fixed, ongoing: true, regions: [...regions], reopened_from, reason: null, team, muted, n, key }
    return {
      ...what,
      opened_at,
      count: 1,
      open: null,
      alerts: [],
      silenced_until: null,
      storm_until: null,
      flapping: false,
      waits: null,
      bundled: null
    }
  }

  /**
   * Counts an opening. Returns until when a storm holds it. An opening a minute older than the
   * newest does not count.
   */
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

/**
 * Whether the incident of a group takes one more alert. The group's window counts from its opening.
 * A rule that suppressed the first alert must not keep one quiet that it does not suppress.
 */
const takes = (
  { ongoing, team, muted, opened_at, count }: Shared,
  alert: Episode,
  group: { window_seconds: number; max_alerts: number },
  at: number
): boolean =>
  ongoing &&
  team === alert.team &&
  (muted === null || alert.muted !== null) &&
  at <= opened_at + group.window_seconds * 1000 &&
  count < group.max_alerts

/** Ends the quiet of a key. */
export function unquiet(facts: KeyFacts): void {
  facts.quiet_until = null
  facts.timer = null
}

/** Ends an alert. An incident ends with the last of its alerts. */
function end(episode: Episode, reason: string): void {
  episode.ongoing = false
  episode.reason = reason
  const { incident } = episode
  if (!incident) return
  if (incident.open !== null && --incident.open > 0) return
  incident.ongoing = false
  incident.reason = reason
  incident.silenced_until = null
  incident.flapping = false
}

/** An incident of several alerts never counts as flapping, because each alert may flap or not. */
function flap({ incident }: Episode, flapping: boolean): void {
  if (incident?.open === null) incident.flapping = flapping
}

/**
 * Raises the severity. It is never lowered, and not changed if a rule set it. The incident is
 * raised, too.
 */
function raise(episode: Episode, severity: Severity): void {
  const { incident } = episode
  if (!episode.fixed && worse[severity] > worse[episode.severity]) episode.severity = severity
  if (incident && !incident.fixed && worse[episode.severity] > worse[incident.severity]) incident.severity = episode.severity
}

function grow({ regions: known, incident }: Episode, regions: readonly string[]): void {
  for (const list of incident ? [known, incident.regions] : [known])
    for (const region of regions) if (!list.includes(region)) list.push(region)
}

/**
 * Whether a signal is neither a repeat of the last applied one nor older. Times of senders are
 * compared only with each other; signals without one are ordered by the log.
 */
function isNews(facts: KeyFacts, { action, sequence, isOccurrence, isReceipt, sender_at, delivery }: Signal): boolean {
  if (facts.last === null) return true
  if (delivery !== null && delivery === facts.delivery) return false
  if (isReceipt && (sequence ?? 0) <= (facts.sequence ?? -1)) return false
  if (!isReceipt && sequence !== null && facts.sequence !== null) {
    if (sequence !== facts.sequence) return sequence > facts.sequence
    if (action === facts.last) return false
    if (isOccurrence) return action === 'resolve'
  }
  if (sender_at === null || facts.sender_at === null || sender_at > facts.sender_at) return true
  return sender_at === facts.sender_at && action !== facts.last && facts.bySender
}

/** A target that we check has a number for each failure of its own, and none while it flaps. */
const isLaterThan = ({ dedup_key, sequence: last }: KeyFacts, { sequence, isReceipt }: Signal): boolean =>
  !isReceipt && sequence !== null && (last === null ? isWatched(dedup_key) : sequence > last)

/** Whether a sender says that it is worse than all it said of the newest alert before. */
const isWorse = ({ worst }: KeyFacts, { came: { kind, severity } }: Signal): boolean =>
  kind === 'inbound' && worst !== null && worse[severity] > worse[worst]

/**
 * Whether an alert that ended because nothing was heard of it fires on. A copy of what came before
 * does not say so: the same delivery, or the same number of the api.
 */
function isHeardAgain({ episodes, last, ...facts }: KeyFacts, { action, sequence, isReceipt, sender_at, delivery }: Signal): boolean {
  const newest = episodes.at(-1)
  if (action !== 'fire' || last !== 'fire' || !newest || newest.ongoing || newest.reason !== 'auto_timeout') return false
  if (isReceipt || (delivery !== null && delivery === facts.delivery)) return false
  if (sequence !== null && facts.sequence !== null) return sequence === facts.sequence
  return sender_at !== null && sender_at === facts.sender_at
}
