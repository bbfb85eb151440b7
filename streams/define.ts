/**
 * What a processor is made of: the inputs a fold sees, what it returns, and the two kinds of state
 * it may keep.
 *
 * A fold is pure and synchronous: it reads no clock, mints no random id, does no I/O, never changes
 * what it was given, and never throws on a valid record. Time is the record's time or a tick; ids
 * are UUIDv5 of their cause.
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
    /** A dead letter that was put back: offset and timestamp are those at which it first stood. */
    redriven?: true | undefined
  }
}[RecordName]

export type Cause = Records['IncidentEvent']['cause']

/** What a rule may know beside its state and input. */
export interface Context {
  /** Epoch ms: time of the record for a signal, of the transaction for a command. */
  now: number
  cause: Cause
  /** Versions of the configuration that decides, for example { routing: 1 }. */
  versions: Record<string, number>
  /** UUIDv5 of the cause and `purpose`: repeating a record mints no second id. */
  id(purpose: string): string
}

/**
 * Who gets a frame: the record header `audience`. `team`: the members of a team, for what is
 * private; `org-team`: whoever sees the team. Of a feed item the header `category` says what
 * kind it is, since not every role sees each.
 */
export type Audience = 'tenant' | `team:${string}` | `org-team:${string}` | `user:${string}`

interface OutgoingBase<T extends TopicName> {
  tenant_id: string
  /**
   * Kind and id, for example `incident:<id>`: decides the shard, and with it the order on the wire.
   */
  aggregate: string
  ver: number
  topic: T
  key: string
  event_id: string
  event_type: string
  /** `topic:partition:offset` of the causing record, actor as kind:id, or job:<id>. */
  src: string
}

/**
 * A row for the outbox: an Avro record, a frame's exact JSON text, or a mark that a compacted topic
 * needs the current row of its aggregate.
 */
export type Outgoing<T extends TopicName = TopicName> =
  | (OutgoingBase<T> & { [N in RecordName]: { body: 'record'; record: N; value: Records[N] } }[RecordName])
  | (OutgoingBase<T> & { body: 'frame'; json: string; audience: Audience; category?: FeedCategory })
  | (OutgoingBase<T> & { body: 'current' })

/** A timer or a piece of work to start, or one to cancel by its idempotency key. */
export type JobChange =
  | { start: string; idem_key: string; tenant_id: string; run_at: number; payload: Record<string, unknown> }
  | { cancel: string; tenant_id: string }

/**
 * A record that the fold refuses: it becomes a dead letter in the same transaction, and the offset
 * moves on.
 */
export interface Refusal {
  input: Input
  reason: string
}

/**
 * Something that people of a workspace are told in the app, each once: `key` names it within the
 * workspace. Rows and frames are made in the same transaction.
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
   * managers: owners, admins and those who look after billing; editors: who may set things up;
   * watchers: everybody who hears of incidents; everybody: whatever their role.
   */
  audience: 'managers' | 'editors' | 'watchers' | 'everybody'
  /** This person alone. */
  user_id?: string
  /** What it is about: only who sees that is told. */
  about?: Owned
  /** What it leads to. */
  incident_id?: string
  monitor_id?: string | null
  heartbeat_id?: string | null
}

/**
 * The decision to tell one address one thing, or why it is not told. Made by jobs and commands,
 * which read who is on call and how they are reached; `intent_id` follows from its cause, so that
 * deciding again makes no second one.
 * Source: docs/design/api/decision-rules.md#s23-12.
 */
export interface Intent {
  tenant_id: string
  /** UUIDv5 of incident, transition, step, cycle, target and method. */
  intent_id: string
  /** Null for what concerns no incident, such as a certificate. */
  incident_id: string | null
  incident_ver: number | null
  event: IntentEvent
  /** The step of an escalation that asks for it; null: something else does. */
  escalation: { run: number; cycle: number; step: number; policy_id: string | null; policy_version: number | null } | null
  /** A person by one of their methods, or a channel of the workspace. */
  target: { user_id: string } | { channel_id: string }
  /** Null: the person has no method, or the target is a channel. */
  method_id: string | null
  /** Kind of the method or channel; null where there is no method. */
  method_kind: string | null
  urgency: 'default' | 'high'
  /** What chose the target, in words that explain understands. */
  why: { by: IntentReason; [detail: string]: unknown }
  /** Null: it is to be sent. */
  suppressed_by: SuppressionKind | null
  /** Id of the silence, rule or incident that suppresses, or a word. */
  suppressed_cause: string | null
  team_id: string | null
  visibility: Visibility
  /** Epoch ms: decided, to be sent from then on, and until then. */
  at: number
  due_at: number
  expires_at: number
  /** What it says where no incident does; `path`: of the dashboard, where it leads. */
  said?: { title: string; body: string; path: string; workspace: { name: string; slug: string }; certificate?: SaidCertificate }
}

/** A certificate as it stood when it was decided that people are told of it. */
export interface SaidCertificate {
  /** Of what is told: the same for every channel. */
  event_id: string
  monitor: { id: string; name: string; type: string; target: string; tags: string[]; labels: Record<string, string> }
  host: string
  issuer: string | null
  /** Epoch ms. */
  not_after: number
  /** Below 0: it has ended. */
  days_left: number
  threshold_days: number
}

/**
 * What a fold or a command causes beside its own state, written in the transaction of its cause. A
 * kind without effects may be missing. A new kind is a field here; the compiler then asks for its
 * writer in services/store/effects.ts.
 */
export interface AllEffects {
  /** Records for the log, through the outbox. */
  readonly outgoing: readonly Outgoing[]
  /** Timers and pieces of work. */
  readonly jobs: readonly JobChange[]
  /** What the service says of itself: outages of ours, clocks that are wrong. */
  readonly notices: readonly Notice[]
  /** What people read in the app. */
  readonly feed: readonly FeedNotice[]
  /** Whom to tell what. */
  readonly intents: readonly Intent[]
}
export type Effects = Partial<AllEffects>

/**
 * What a processor may cause: records of a topic, through the outbox and the relay, or effects of
 * another kind.
 */
export type Emission = TopicName | Exclude<keyof AllEffects, 'outgoing'> | 'hints'

/** One effect of the kind `K`; nothing can be one where `E` does not name the kind. */
type Declared<E extends Emission, K extends Emission, One> = Extract<E, K> extends never ? never : One

/** All kinds of effects, records of topics among them, each empty where `E` does not name it. */
type EffectsOf<E extends Emission> = {
  readonly [K in keyof AllEffects]?: K extends 'outgoing'
    ? readonly Outgoing<Extract<E, TopicName>>[]
    : readonly Declared<E, Extract<K, Emission>, AllEffects[K][number]>[]
}

/** What a fold returns whose processor emits `E`: the compiler refuses every other effect. */
export interface Outcome<E extends Emission = Emission> extends EffectsOf<E> {
  readonly outgoing: readonly Outgoing<Extract<E, TopicName>>[]
  readonly jobs: readonly Declared<E, 'jobs', JobChange>[]
  readonly refused: readonly Refusal[]
}

/**
 * What the service says of itself, `from` and `to` in epoch ms: an outage of ours that moved
 * deadlines, or a clock that is wrong. Notices of one kind that overlap become one, whatever
 * partitions and doors they came from.
 */
export interface Notice {
  cause: 'tick_gap' | 'door_refused' | 'door_unconfirmed' | 'ticks_ignored' | 'results_skewed'
  from: number
  to: number
}

/** What a fold saw and judged by no other means: counted, and nothing follows from it. */
export interface Remarks {
  /** Ticks no later than the last one, as two clock processes that change places make them. */
  ticks_repeated: number
  /** Ticks that went back in time. */
  ticks_old: number
  /** Ticks of which clock and broker differ over what has passed. */
  ticks_stray: number
  results_skewed: number
  /** Times of doors that did not fit partition time, and became it. */
  times_placed: number
}

/**
 * A frame that says nothing which is not stored elsewhere: sent after the commit, without the
 * outbox; a crash may lose it. `json` is the frame's exact text.
 */
export interface Hint {
  tenant_id: string
  aggregate: string
  /** Grows per aggregate; gateways drop repeats by it. */
  ver: number
  event_type: string
  json: string
  audience: Audience
}

/** A key is either in `changed` or in `kept`, never in both. */
export interface PartitionOutcome<S, E extends Emission = Emission> extends Outcome<E> {
  /** What matters: stored in the transaction that moves the position; `null` deletes the key. */
  changed: ReadonlyMap<string, S | null>
  /**
   * What may lag behind in the store, such as a healthy region's last time: in memory at once,
   * stored with a position at most 10 s later.
   */
  kept: ReadonlyMap<string, S>
  readonly notices: readonly Declared<E, 'notices', Notice>[]
  readonly hints: readonly Declared<E, 'hints', Hint>[]
  /** Missing where the processor judges no times. */
  readonly remarks?: Remarks
}

/**
 * What every processor says of itself. `name` stands on disk with its positions, so it never
 * changes.
 */
interface Declaration<E extends Emission, N extends string> {
  name: N
  reads: readonly TopicName[]
  /** Which rows, in words. */
  keeps: string
  /**
   * Everything that its fold may cause, and nothing else: a fold that causes more does not compile.
   */
  emits: readonly E[]
}

/**
 * State that the partition owns: nobody else writes it, so it is folded in memory. Where a state
 * has a `tenant_id`, people of that workspace can read it.
 */
export interface PartitionProcessor<S, E extends Emission = Emission, N extends string = string> extends Declaration<E, N> {
  kind: 'byPartition'
  /** One topic: its partitions own the rows. */
  reads: readonly [TopicName]
  /**
   * Records of which the fold looks at few fields, and which these are: the others are read when it
   * asks for them. It keeps no such record as a whole.
   */
  views?: Partial<Record<RecordName, readonly string[]>>
  fold(state: ReadonlyMap<string, S>, inputs: readonly Input[]): PartitionOutcome<S, NoInfer<E>>
}

/**
 * State in rows that the api writes too: `store` locks and loads what the batch touches, inside the
 * transaction, and saves what the fold returns.
 */
export interface KeyProcessor<Loaded, Saved, E extends Emission = Emission, N extends string = string> extends Declaration<E, N> {
  kind: 'byKey'
  fold(loaded: Loaded, inputs: readonly Input[]): Outcome<NoInfer<E>> & { saved: Saved }
}
