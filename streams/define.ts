/**
 * What a processor is made of: the inputs that a fold sees, what it returns, and the two kinds of
 * state that it may keep.
 *
 * A fold is pure and synchronous. It reads no clock, creates no random id, does no I/O, never
 * changes what it is given, and never throws on a valid record. Time comes from the record or from
 * a tick; ids are UUIDv5 of their cause.
 *
 * Source: docs/design/architecture.md#s5 and #s6.
 */
import type { RecordName, Records, SuppressionKind, Visibility } from '../schemas/generated/events.ts'
import type { FeedCategory, FeedType } from '../schemas/http/feed.ts'
import type { IntentEvent, IntentReason } from '../schemas/http/notification-words.ts'
import type { Owned } from '../schemas/http/visibility.ts'
import type { TopicName } from '../schemas/topics.ts'

/**
 * One decoded record of the log and where it stands. `record` names the Avro record, so a fold can
 * switch on it.
 */
export type Input = {
  [N in RecordName]: {
    record: N
    value: Records[N]
    topic: TopicName
    partition: number
    offset: bigint
    /** Epoch ms: the broker's append time on timed topics, else the producer's time. */
    timestamp: number
    key: string
    /**
     * Set for a dead letter that was put back: offset and timestamp are those of its first place.
     */
    redriven?: true | undefined
  }
}[RecordName]

export type Cause = Records['IncidentEvent']['cause']

/** What a rule may use besides its state and its input. */
export interface Context {
  /** Epoch ms: the time of the record for a signal, the time of the transaction for a command. */
  now: number
  cause: Cause
  /** Versions of the configuration that the decision is based on, for example { routing: 1 }. */
  versions: Record<string, number>
  /** Returns the UUIDv5 of the cause and `purpose`, so repeating a record creates no second id. */
  id(purpose: string): string
}

/**
 * Who receives a frame: the record header `audience`. `team`: the members of a team, for private
 * things. `org-team`: everyone who can see the team. For a feed item, the header `category` also
 * gives its kind, because not every role sees every kind.
 */
export type Audience = 'tenant' | `team:${string}` | `org-team:${string}` | `user:${string}`

interface OutgoingBase<T extends TopicName> {
  tenant_id: string
  /**
   * Kind and id, for example `incident:<id>`. It decides the shard, and so the order of sending.
   */
  aggregate: string
  ver: number
  topic: T
  key: string
  event_id: string
  event_type: string
  /** What caused it: `topic:partition:offset` of a record, an actor as kind:id, or job:<id>. */
  src: string
}

/**
 * A row for the outbox: an Avro record, the exact JSON text of a frame, or a mark that a compacted
 * topic needs the current row of its aggregate.
 */
export type Outgoing<T extends TopicName = TopicName> =
  | (OutgoingBase<T> & { [N in RecordName]: { body: 'record'; record: N; value: Records[N] } }[RecordName])
  | (OutgoingBase<T> & { body: 'frame'; json: string; audience: Audience; category?: FeedCategory })
  | (OutgoingBase<T> & { body: 'current' })

/**
 * Starts a timer or a piece of work, or cancels one by its idempotency key. `run_at` in epoch ms.
 * `at_once`: it is no timer. The time of the cause comes from a clock that may be ahead, so the job
 * is due at Postgres's time at the latest.
 */
export type JobChange =
  | { start: string; idem_key: string; tenant_id: string; run_at: number; at_once?: true; payload: Record<string, unknown> }
  | { cancel: string; tenant_id: string }

/**
 * A record that the fold refuses. It becomes a dead letter in the same transaction, and the offset
 * moves on.
 */
export interface Refusal {
  input: Input
  reason: string
}

/**
 * Something that people of a workspace are told in the app, once: `key` identifies it within the
 * workspace. Its rows and frames are written in the same transaction.
 */
export interface FeedNotice {
  tenant_id: string
  key: string
  /** Of specification 6.4. */
  type: FeedType
  severity: 'critical' | 'warning' | 'info'
  title: string
  /** Plain text. */
  body: string
  /** Epoch ms. */
  at: number
  /**
   * managers: owners, admins and those in charge of billing. admins: owners and admins. editors:
   * those who may configure things. watchers: everyone who is told about incidents. everybody:
   * every role.
   */
  audience: 'managers' | 'admins' | 'editors' | 'watchers' | 'everybody'
  /** This person alone. */
  user_id?: string
  /** What the notice is about: only people who can see that thing are told. */
  about?: Owned
  /** What it leads to. */
  incident_id?: string
  monitor_id?: string | null
  heartbeat_id?: string | null
}

/**
 * The decision to notify one address of one thing, or the reason not to. Jobs and commands make it,
 * because they read who is on call and how to reach them. `intent_id` is derived from the cause, so
 * deciding again creates no second intent.
 *
 * Source: docs/design/api/decision-rules.md#s23-12.
 */
export interface Intent {
  tenant_id: string
  /** UUIDv5 of incident, transition, step, cycle, target and method. */
  intent_id: string
  /** Null when no incident is concerned, for example for a certificate. */
  incident_id: string | null
  incident_ver: number | null
  event: IntentEvent
  /** The escalation step that asks for it; null when something else does. */
  escalation: { run: number; cycle: number; step: number; policy_id: string | null; policy_version: number | null } | null
  /** A person, reached by one of their methods, or a channel of the workspace. */
  target: { user_id: string } | { channel_id: string }
  /** Null when the person has no method, or when the target is a channel. */
  method_id: string | null
  /** Kind of the method or channel; null where there is no method. */
  method_kind: string | null
  urgency: 'default' | 'high'
  /** What chose the target, in words that `explain` understands. */
  why: { by: IntentReason; [detail: string]: unknown }
  /** Null when it is to be sent. */
  suppressed_by: SuppressionKind | null
  /** Id of the silence, rule or incident that suppresses it, or a word for the cause. */
  suppressed_cause: string | null
  team_id: string | null
  visibility: Visibility
  /** Epoch ms: when it was decided, from when it may be sent, and until when. */
  at: number
  due_at: number
  expires_at: number
  /** The content when no incident provides it. `path` is the dashboard page that it links to. */
  said?: { title: string; body: string; path: string; workspace: { name: string; slug: string }; certificate?: SaidCertificate }
}

/** A certificate as it was at the moment of the decision to notify people. */
export interface SaidCertificate {
  /** Id of the event that people are told about; the same for every channel. */
  event_id: string
  monitor: { id: string; name: string; type: string; target: string; tags: string[]; labels: Record<string, string> }
  host: string
  issuer: string | null
  /** Epoch ms. */
  not_after: number
  /** Below 0 when the certificate has expired. */
  days_left: number
  threshold_days: number
}

/**
 * Everything that a fold or a command causes besides its own state. It is written in the
 * transaction of its cause. A kind without effects may be missing. To add a kind, add a field here;
 * the compiler then asks for its writer in services/store/effects.ts.
 */
export interface AllEffects {
  /** Records for the log, sent through the outbox. */
  readonly outgoing: readonly Outgoing[]
  /** Timers and pieces of work. */
  readonly jobs: readonly JobChange[]
  /** What the service reports about itself: its own outages and wrong clocks. */
  readonly notices: readonly Notice[]
  /** What people read in the app. */
  readonly feed: readonly FeedNotice[]
  /** Messages to be delivered: to whom, about what. */
  readonly intents: readonly Intent[]
}
export type Effects = Partial<AllEffects>

/**
 * What a processor may cause: records of a topic, sent through the outbox and the relay, or effects
 * of another kind.
 */
export type Emission = TopicName | Exclude<keyof AllEffects, 'outgoing'> | 'hints'

/** One effect of the kind `K`, or `never` when `E` does not name the kind. */
type Declared<E extends Emission, K extends Emission, One> = Extract<E, K> extends never ? never : One

/**
 * All kinds of effects, including records of topics. A kind that `E` does not name must be empty.
 */
type EffectsOf<E extends Emission> = {
  readonly [K in keyof AllEffects]?: K extends 'outgoing'
    ? readonly Outgoing<Extract<E, TopicName>>[]
    : readonly Declared<E, Extract<K, Emission>, AllEffects[K][number]>[]
}

/** What the fold of a processor that emits `E` returns. The compiler refuses every other effect. */
export interface Outcome<E extends Emission = Emission> extends EffectsOf<E> {
  readonly outgoing: readonly Outgoing<Extract<E, TopicName>>[]
  readonly jobs: readonly Declared<E, 'jobs', JobChange>[]
  readonly refused: readonly Refusal[]
}

/**
 * What the service reports about itself, with `from` and `to` in epoch ms: an outage of its own
 * that moved deadlines, or a wrong clock. Overlapping notices of one kind become one notice,
 * whichever partitions and doors they came from.
 */
export interface Notice {
  cause: 'tick_gap' | 'door_refused' | 'door_unconfirmed' | 'ticks_ignored' | 'results_skewed'
  from: number
  to: number
}

/** What a fold noticed and only counts; nothing else follows from it. */
export interface Remarks {
  /**
   * Ticks not later than the last one, as happens when one clock process takes over from another.
   */
  ticks_repeated: number
  /** Ticks that went back in time. */
  ticks_old: number
  /** Ticks for which the clock and the broker disagree about how much time has passed. */
  ticks_stray: number
  results_skewed: number
  /** Times written by doors that did not fit partition time and were replaced by it. */
  times_placed: number
}

/**
 * A frame that says only what is also stored elsewhere. It is sent after the commit, without the
 * outbox, so a crash may lose it. `json` is the exact text of the frame.
 */
export interface Hint {
  tenant_id: string
  aggregate: string
  /** Grows per aggregate; gateways use it to drop repeats. */
  ver: number
  event_type: string
  json: string
  audience: Audience
}

/** A key is either in `changed` or in `kept`, never in both. */
export interface PartitionOutcome<S, E extends Emission = Emission> extends Outcome<E> {
  /**
   * State that matters: stored in the transaction that moves the position. `null` deletes the key.
   */
  changed: ReadonlyMap<string, S | null>
  /**
   * State that may lag behind in the store, such as the last time of a healthy region. It is in
   * memory at once and stored with a position at most 10 s later.
   */
  kept: ReadonlyMap<string, S>
  readonly notices: readonly Declared<E, 'notices', Notice>[]
  readonly hints: readonly Declared<E, 'hints', Hint>[]
  /** Missing when the processor does not judge times. */
  readonly remarks?: Remarks
}

/** What every processor declares. `name` is stored with its positions, so it never changes. */
interface Declaration<E extends Emission, N extends string> {
  name: N
  reads: readonly TopicName[]
  /** Which rows, in words. */
  keeps: string
  /** Everything that the fold may cause. A fold that causes anything else does not compile. */
  emits: readonly E[]
}

/**
 * A processor whose state the partition owns: nobody else writes it, so it is folded in memory.
 * When a state has a `tenant_id`, people of that workspace can read it.
 */
export interface PartitionProcessor<S, E extends Emission = Emission, N extends string = string> extends Declaration<E, N> {
  kind: 'byPartition'
  /** Exactly one topic: its partitions own the rows. */
  reads: readonly [TopicName]
  /**
   * For records of which the fold reads few fields: those fields. Other fields are read only when
   * the fold asks for them. The fold must not keep such a record as a whole.
   */
  views?: Partial<Record<RecordName, readonly string[]>>
  fold(state: ReadonlyMap<string, S>, inputs: readonly Input[]): PartitionOutcome<S, NoInfer<E>>
}

/**
 * A processor whose state is in rows that the api also writes. `store` locks and loads the rows of
 * the batch inside the transaction, and saves what the fold returns.
 */
export interface KeyProcessor<Loaded, Saved, E extends Emission = Emission, N extends string = string> extends Declaration<E, N> {
  kind: 'byKey'
  fold(loaded: Loaded, inputs: readonly Input[]): Outcome<NoInfer<E>> & { saved: Saved }
}
