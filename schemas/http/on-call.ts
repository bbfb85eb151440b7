/** On-call schedules, overrides, swaps and calendars. Source: docs/design/api/on-call.md#s7. */
import { type Static, type TSchema, Type } from 'typebox'
import { common, Description, Id, Instant, Labels, list, Name, nullable, oneOf, paging, ZoneName } from './common.ts'
import {
  definitionParts,
  fallbackKinds,
  MAX_CALENDAR_URL,
  MAX_COVERAGE_DAYS,
  MAX_EVERY,
  MAX_LAYERS,
  MAX_MIN_PARTICIPANTS,
  MAX_NOTICES,
  MAX_OVERRIDE_DAYS,
  MAX_PAIR,
  MAX_PARTICIPANTS,
  MAX_RESTRICTIONS,
  MAX_SHIFT_DAYS,
  MAX_SHIFT_HOURS,
  noticeTimes,
  type Participant,
  rotations,
  shiftOrigins,
  unreachableReasons,
  versionStates
} from './on-call-words.ts'
import { clockPattern, datePattern, momentPattern } from './patterns.ts'
import { weekdays } from './routing-words.ts'

const closed = { additionalProperties: false } as const
const text = (maxLength: number, description?: string) => Type.String({ maxLength, ...(description !== undefined && { description }) })
const described = <T extends TSchema>(schema: T, description: string) => Type.Unsafe<Static<T>>({ ...schema, description })

const Clock = Type.String({ pattern: clockPattern, description: 'HH:MM' })
const LocalDate = Type.String({ pattern: datePattern, description: 'A local date, such as 2026-03-02' })
const Weekday = oneOf(weekdays)
const Days = Type.Array(Weekday, { maxItems: 7, uniqueItems: true })

const Restriction = Type.Object(
  {
    days: Type.Optional(described(Days, 'On which it opens; none: every day.')),
    from: Clock,
    to: described(Clock, 'Equal to from: a whole day. Before from: on the next day.'),
    to_day: Type.Optional(nullable(described(Weekday, 'The day on which it closes, where that is another.')))
  },
  closed
)

const Participants = Type.Array(
  Type.Unsafe<Participant>({
    anyOf: [
      { type: 'string', format: 'uuid' },
      { type: 'array', items: { type: 'string', format: 'uuid' }, minItems: 1, maxItems: MAX_PAIR, uniqueItems: true },
      { type: 'null' }
    ]
  }),
  {
    minItems: 1,
    maxItems: MAX_PARTICIPANTS,
    description: 'Each entry is a person, several people together, or null when nobody has this turn.'
  }
)

export const LayerBody = Type.Object(
  {
    name: Name,
    time_zone: Type.Optional(nullable(described(ZoneName, 'null: that of the schedule.'))),
    participants: Participants,
    rotation: oneOf(rotations),
    every: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_EVERY,
        default: 1,
        description: 'Length of a turn, in days, weeks or months of the rotation.'
      })
    ),
    handoff_time: Clock,
    handoff_day: Type.Optional(
      Type.Unsafe<(typeof weekdays)[number] | number | null>({
        anyOf: [{ type: 'string', enum: [...weekdays] }, { type: 'integer', minimum: 1, maximum: 28 }, { type: 'null' }],
        description: 'The day of the hand-off. weekly: a weekday; monthly: 1 to 28.'
      })
    ),
    starts_on: LocalDate,
    ends_on: Type.Optional(nullable(described(LocalDate, 'The last day, whole.'))),
    start_index: Type.Optional(
      Type.Integer({ minimum: 0, default: 0, description: 'Index, from 0, of the participant who has the first turn.' })
    ),
    restrictions: Type.Optional(
      Type.Array(Restriction, { maxItems: MAX_RESTRICTIONS, description: 'Hours in which the layer is active; always active when empty.' })
    ),
    shift_hours: Type.Optional(
      nullable(Type.Integer({ minimum: 1, maximum: MAX_SHIFT_HOURS, description: 'For the rotation hours: the elapsed hours of a turn.' }))
    )
  },
  closed
)
export type LayerBody = Static<typeof LayerBody>

const FallbackBody = Type.Object(
  { kind: oneOf(fallbackKinds), id: Type.Optional(nullable(described(Id, 'Of a user or a schedule.'))) },
  { ...closed, description: 'Who is notified in a gap.' }
)

const NoticeBody = Type.Object(
  { channel_id: Id, when: oneOf(noticeTimes), at: Type.Optional(nullable(Clock)), days: Type.Optional(Days) },
  { ...closed, description: 'A message that says who is on call now and next.' }
)

const settings = {
  name: Name,
  description: Type.Optional(Description),
  team_id: Type.Optional(nullable(Id)),
  labels: Type.Optional(Labels),
  time_zone: ZoneName,
  layers: Type.Array(LayerBody, {
    minItems: 1,
    maxItems: MAX_LAYERS,
    description: 'Layers of the schedule; a later layer takes precedence.'
  }),
  fallback: Type.Optional(FallbackBody),
  notices: Type.Optional(Type.Array(NoticeBody, { maxItems: MAX_NOTICES })),
  ical_overrides_url: Type.Optional(
    nullable(
      Type.String({
        maxLength: MAX_CALENDAR_URL,
        pattern: '^(https?|webcal)://',
        description: 'URL of an external calendar that is read every 10 min; its events are overrides. Answers show it without its path.'
      })
    )
  ),
  min_participants: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_MIN_PARTICIPANTS, default: 1 }))
}

const effective = {
  effective_at: Type.Optional(
    nullable(
      described(
        Instant,
        'From when on the change counts; default: now. What was before never changes. null, and the past instant of the answer, count as not sent.'
      )
    )
  )
}

export const CreateScheduleBody = Type.Object(settings, closed)
export type CreateScheduleBody = Static<typeof CreateScheduleBody>
export const ReplaceScheduleBody = Type.Object({ ...settings, ...effective }, closed)
export const UpdateScheduleBody = Type.Object(
  { ...settings, ...effective, name: Type.Optional(Name), time_zone: Type.Optional(ZoneName), layers: Type.Optional(settings.layers) },
  closed
)
export type UpdateScheduleBody = Static<typeof UpdateScheduleBody>

export const CreateScheduleQuery = Type.Object(
  { preview: Type.Optional(Type.Boolean({ default: false, description: 'Return the shifts of the next 35 days and save nothing.' })) },
  closed
)

export const ScheduleQuery = Type.Object(
  {
    ...paging,
    q: Type.Optional(Type.String({ minLength: 2, maxLength: 100 })),
    team_id: Type.Optional(Id),
    user_id: Type.Optional(described(Id, 'Schedules that name the person.'))
  },
  closed
)

export const AsOfQuery = Type.Object({ as_of: Type.Optional(described(Instant, 'As it was then.')) }, closed)

const Fallback = Type.Object({ kind: oneOf(fallbackKinds), id: nullable(Id) })

export const ShiftItem = Type.Object({
  id: Id,
  user_ids: Type.Array(Id),
  starts_at: Instant,
  ends_at: Instant,
  local_start: Type.String({ description: 'Start in the time zone of the schedule, with its UTC offset.' }),
  local_end: Type.String(),
  origin: oneOf(shiftOrigins),
  layer: nullable(Type.String()),
  override_id: nullable(Id),
  gap: Type.Boolean({ description: 'True when no layer and no override puts anybody on call; user_ids are then those of the fallback.' })
})
export type ShiftItem = Static<typeof ShiftItem>

export const scheduleWarnings = ['only_gaps', 'gaps', 'cannot_act', 'not_in_team', 'idle_override'] as const
const ScheduleWarning = Type.Object({ code: oneOf(scheduleWarnings), path: nullable(Type.String()), message: Type.String() })
export type ScheduleWarning = Static<typeof ScheduleWarning>

export const SchedulePreview = Type.Object({ shifts: Type.Array(ShiftItem), warnings: Type.Array(ScheduleWarning) })

const CalendarState = Type.Object(
  {
    read_at: nullable(described(Instant, 'The last time that it could be read.')),
    error: nullable(Type.String({ description: 'Why the last reading failed; what was read before still applies.' })),
    events: Type.Integer({ description: 'Number of events that name a member.' }),
    unmatched: Type.Array(Type.String(), { description: 'Titles of events that name no member, the first 10.' })
  },
  { description: 'How the calendar was last read; null when there is no calendar.' }
)

const LayerDetail = Type.Object({
  name: Type.String(),
  time_zone: nullable(Type.String()),
  participants: Participants,
  rotation: oneOf(rotations),
  every: Type.Integer(),
  handoff_time: Clock,
  handoff_day: Type.Unsafe<(typeof weekdays)[number] | number | null>({
    anyOf: [{ type: 'string', enum: [...weekdays] }, { type: 'integer' }, { type: 'null' }]
  }),
  starts_on: LocalDate,
  ends_on: nullable(LocalDate),
  start_index: Type.Integer(),
  restrictions: Type.Array(Type.Object({ days: Days, from: Clock, to: Clock, to_day: nullable(Weekday) })),
  shift_hours: nullable(Type.Integer())
})

const shown = {
  ...common,
  name: Type.String(),
  description: Type.String(),
  team_id: nullable(Id),
  labels: Labels,
  time_zone: Type.String(),
  layers: Type.Array(LayerDetail),
  fallback: Fallback,
  notices: Type.Array(Type.Object({ channel_id: Id, when: oneOf(noticeTimes), at: nullable(Clock), days: Days })),
  min_participants: Type.Integer(),
  ical_overrides_url: nullable(described(Type.String(), 'Without its path, which opens the calendar. Sent back so it stays as it is.')),
  ical_overrides: Type.Union([CalendarState, Type.Null()]),
  effective_at: nullable(described(Instant, 'From when on this definition counts; null: always.')),
  definition_version: Type.Integer(),
  tzdb_version: Type.String({ description: 'Version of the time zone data by which new shifts are computed.' }),
  current: Type.Union([ShiftItem, Type.Null()])
}
export const ScheduleItem = Type.Object(shown)
export const ScheduleList = list(ScheduleItem)
export const ScheduleDetail = Type.Object({
  ...shown,
  next_shifts: Type.Array(ShiftItem, { description: 'The next shifts, at most 5.' }),
  warnings: Type.Array(ScheduleWarning)
})
export type ScheduleDetail = Static<typeof ScheduleDetail>

const Span = {
  from: Type.Optional(described(Instant, 'Default: now.')),
  to: Type.Optional(Instant)
}

export const ShiftQuery = Type.Object(
  {
    from: Span.from,
    to: Type.Optional(described(Instant, `Default: 14 days after from; at most ${MAX_SHIFT_DAYS}.`)),
    user_id: Type.Optional(described(Id, 'Shifts of one person.')),
    layer: Type.Optional(oneOf(['final', 'all'], { default: 'final', description: 'all: also returns what each layer gives on its own.' })),
    format: Type.Optional(oneOf(['json', 'csv', 'ics'], { default: 'json' }))
  },
  closed
)
export const ShiftAnswer = Type.Object({
  items: Type.Array(ShiftItem, { description: 'Whole shifts that overlap the span, in order of time.' }),
  layers: Type.Array(Type.Object({ name: Type.String(), items: Type.Array(ShiftItem) }))
})
export type ShiftAnswer = Static<typeof ShiftAnswer>

const Moment = Type.String({ pattern: momentPattern, description: 'An instant, or a local time in time_zone, such as 2026-03-02T09:00.' })

export const CreateOverrideBody = Type.Object(
  {
    schedule_id: Id,
    user_id: nullable(described(Id, 'null: nobody, a gap on purpose.')),
    starts_at: described(Moment, 'One that has passed counts as now.'),
    ends_at: described(Moment, `At most ${MAX_OVERRIDE_DAYS} days later.`),
    time_zone: Type.Optional(described(ZoneName, 'Of local times; default: that of the schedule.')),
    replaces_user_id: Type.Optional(nullable(described(Id, 'Only while this person is on call by the layers.'))),
    layer: Type.Optional(nullable(described(Name, 'Only for this layer.'))),
    reason: Type.Optional(text(500))
  },
  closed
)
export type CreateOverrideBody = Static<typeof CreateOverrideBody>

export const overrideSorts = ['starts_at', '-starts_at'] as const

export const OverrideQuery = Type.Object(
  {
    ...paging,
    schedule_id: Type.Optional(Id),
    user_id: Type.Optional(Id),
    from: Type.Optional(Instant),
    to: Type.Optional(Instant),
    sort: Type.Optional(oneOf(overrideSorts, { description: '-starts_at (default): the latest begin first.' }))
  },
  closed
)

export const OverrideDetail = Type.Object({
  id: Id,
  tenant_id: Id,
  schedule_id: Id,
  user_id: nullable(Id),
  starts_at: Instant,
  ends_at: Instant,
  replaces_user_id: nullable(Id),
  layer: nullable(Type.String()),
  reason: Type.String(),
  swap_id: nullable(described(Id, 'Made by taking this swap.')),
  created_by: Type.String({ description: 'Who created the override, as kind:id.' }),
  created_at: Instant
})
export type OverrideDetail = Static<typeof OverrideDetail>
export const OverrideList = list(OverrideDetail)

export const VersionQuery = Type.Object({ ...paging }, closed)
const LayerNames = Type.Array(Type.String())
export const VersionItem = Type.Object({
  version: Type.Integer(),
  state: oneOf(versionStates),
  effective_at: nullable(described(Instant, 'From when on it counts; null: the first, since the schedule was made.')),
  counts_until: nullable(described(Instant, 'When the next one counts in its place; not after effective_at where it never counted.')),
  changed: Type.Array(oneOf(definitionParts), { description: 'What differs from the version before it; empty for the first version.' }),
  layers: Type.Object(
    { added: LayerNames, removed: LayerNames, changed: LayerNames },
    { description: 'Names of the layers that differ from the version before it.' }
  ),
  created_by: Type.String({ description: 'Who created the version, as kind:id.' }),
  created_at: Instant
})
export type VersionItem = Static<typeof VersionItem>
export const VersionList = list(VersionItem)

export const NowQuery = Type.Object(
  {
    schedule_id: Type.Optional(Id),
    team_id: Type.Optional(Id),
    at: Type.Optional(described(Instant, 'Default: now.')),
    as_of: Type.Optional(described(Instant, 'As at.'))
  },
  closed
)
const Someone = Type.Object({ id: Id, name: Type.String() })
const Reached = Type.Object({
  id: Id,
  name: Type.String(),
  reachable: described(Type.Boolean(), 'Whether anything reaches the person, as things are now.'),
  methods: Type.Array(Type.String(), { description: 'Kinds of the contact methods by which an urgent notification reaches the person.' })
})
export const NowItem = Type.Object({
  schedule_id: Id,
  name: Type.String(),
  team_id: nullable(Id),
  users: Type.Array(Reached),
  origin: oneOf(shiftOrigins),
  layer: nullable(Type.String()),
  fallback: Type.Union([Fallback, Type.Null()], { description: 'In a gap: the fallback of the schedule.' }),
  until: nullable(described(Instant, 'When others are on call, or nobody; null: not within 400 days.')),
  next: Type.Union([Type.Object({ users: Type.Array(Someone), from: Instant }), Type.Null()]),
  policies: Type.Array(
    Type.Object({
      policy_id: Id,
      name: Type.String(),
      level: Type.Integer({ description: 'Number, from 1, of the first step of the policy that notifies the schedule.' })
    }),
    { description: 'Escalation policies that notify the schedule, as they are now; ordered by level, at most 20.' }
  ),
  schedule_version: Type.Integer(),
  tzdb: Type.String()
})
export type NowItem = Static<typeof NowItem>
export const NowAnswer = Type.Object({ at: Instant, items: Type.Array(NowItem) })

export const CoverageQuery = Type.Object(
  {
    from: Span.from,
    to: Type.Optional(described(Instant, `Default: 28 days after from; at most ${MAX_COVERAGE_DAYS}.`)),
    schedule_id: Type.Optional(Id)
  },
  closed
)
const Stretch = { schedule_id: Id, starts_at: Instant, ends_at: Instant }
export const Coverage = Type.Object({
  gaps: Type.Array(Type.Object({ ...Stretch, fallback: Fallback }), { description: 'Times in which nobody is on call, at most 500.' }),
  single_points: Type.Array(Type.Object({ schedule_id: Id, user_id: Id }), {
    description: 'Schedules in which one person has every shift of the span.'
  }),
  unreachable: Type.Array(Type.Object({ schedule_id: Id, user_id: Id, reason: oneOf(unreachableReasons) }), {
    description: 'People on call in the span whom no contact method reaches, as things are now; at most 500.'
  }),
  warnings: Type.Array(Type.Object({ ...Stretch, code: oneOf(['too_few']), people: Type.Integer() }), {
    description: 'Times in which fewer people than min_participants are on call; at most 500.'
  })
})
export type Coverage = Static<typeof Coverage>

export const swapStates = ['open', 'taken', 'withdrawn', 'expired'] as const
export const CreateSwapBody = Type.Object({ schedule_id: Id, starts_at: Instant, ends_at: Instant, note: Type.Optional(text(500)) }, closed)
export type CreateSwapBody = Static<typeof CreateSwapBody>
export const SwapQuery = Type.Object({ ...paging, schedule_id: Type.Optional(Id), state: Type.Optional(oneOf(swapStates)) }, closed)
export const SwapDetail = Type.Object({
  ...common,
  schedule_id: Id,
  user_id: described(Id, 'Who asks.'),
  starts_at: Instant,
  ends_at: Instant,
  note: Type.String(),
  state: oneOf(swapStates),
  taken_by: nullable(Id),
  taken_at: nullable(Instant)
})
export type SwapDetail = Static<typeof SwapDetail>
export const SwapList = list(SwapDetail)

export const CreateCalendarLinkBody = Type.Object(
  { schedule_id: Type.Optional(nullable(described(Id, 'null: all shifts of the person who asks.'))) },
  closed
)
export const CalendarLink = Type.Object({
  id: Id,
  schedule_id: nullable(Id),
  url: Type.String({ description: 'Secret URL of the calendar feed, shown only once.' }),
  created_at: Instant
})
export type CalendarLink = Static<typeof CalendarLink>
export const CalendarLinkList = list(
  Type.Object({
    id: Id,
    schedule_id: nullable(described(Id, 'null: all shifts of the person.')),
    created_at: Instant
  })
)
export const CalendarLinkQuery = Type.Object(paging, closed)
