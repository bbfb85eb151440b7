/** How one person wants to be reached. Source: docs/design/api/notifications.md#s8-4. */
import { type Static, Type } from 'typebox'
import { Id, Instant, nullable, oneOf, severities, ZoneName } from './common.ts'
import { MAX_RULES, methodKinds } from './notification-words.ts'
import { weekdays } from './routing-words.ts'

export const MAX_METHODS = 20

const closed = { additionalProperties: false } as const
const Time = Type.String({ pattern: '^([01]\\d|2[0-3]):[0-5]\\d$', description: 'A time of day, such as 22:30.' })

const Rules = Type.Array(Type.Object({ method_id: Id, delay_seconds: Type.Integer({ minimum: 0, maximum: 3600 }) }, closed), {
  maxItems: MAX_RULES
})

const QuietHours = Type.Object(
  {
    time_zone: ZoneName,
    days: Type.Array(oneOf(weekdays), { minItems: 1, maxItems: 7, uniqueItems: true, description: 'Days on which quiet hours begin.' }),
    from: Time,
    to: Type.Unsafe<string>({ ...Time, description: 'The time at which quiet hours end; on the next day when it is not later than from.' }),
    except_severity: Type.Optional(Type.Array(oneOf(severities), { maxItems: 3, uniqueItems: true, default: ['critical'] })),
    hold: Type.Optional(
      oneOf(['digest', 'drop'], {
        default: 'digest',
        description: 'digest: what is held is notified when quiet hours end; drop: it is not notified.'
      })
    ),
    apply_while_on_call: Type.Optional(Type.Boolean({ default: false }))
  },
  closed
)
export type QuietHours = Static<typeof QuietHours>

const wishes = {
  rules: Type.Object(
    {
      default: Rules,
      high: Type.Unsafe<Static<typeof Rules>>({ ...Rules, description: 'Rules for high urgency; when empty, the default rules apply.' })
    },
    closed
  ),
  quiet_hours: nullable(QuietHours),
  feed_categories: Type.Array(oneOf(['incident', 'admin', 'billing']), { maxItems: 3, uniqueItems: true }),
  digest: Type.Object({ every: oneOf(['none', 'daily', 'weekly']), at: Time }, closed),
  shift_reminders_minutes: Type.Array(Type.Integer({ minimum: 1, maximum: 10_080 }), { maxItems: 5, uniqueItems: true }),
  handoff_summary: Type.Boolean()
}

export const Wishes = Type.Object(wishes, closed)
export type Wishes = Static<typeof Wishes>

export const noWishes: Wishes = {
  rules: { default: [], high: [] },
  quiet_hours: null,
  feed_categories: ['incident', 'admin', 'billing'],
  digest: { every: 'none', at: '09:00' },
  shift_reminders_minutes: [1440, 15],
  handoff_summary: true
}

export const PutPreferencesBody = Type.Object(
  {
    contact_methods: Type.Optional(
      Type.Array(
        Type.Object(
          {
            id: Type.Optional(Type.Unsafe<string>({ ...Id, description: 'Id of an existing contact method.' })),
            kind: oneOf(['email', 'sms', 'voice', 'push', 'telegram', 'slack_dm']),
            address: Type.String({
              minLength: 1,
              maxLength: 320,
              description: 'For slack_dm: account:sender of a chat identity of the person.'
            }),
            verified_at: Type.Optional(nullable(Type.Unsafe<string>({ ...Instant, description: 'As in the answer; not read.' }))),
            position: Type.Optional(Type.Integer({ description: 'As in the answer; not read.' }))
          },
          closed
        ),
        { maxItems: MAX_METHODS, description: 'Contact methods, in order. One that is not in the list is removed; one without id is new.' }
      )
    ),
    ...Type.Partial(Type.Object(wishes)).properties
  },
  closed
)
export type PutPreferencesBody = Static<typeof PutPreferencesBody>

export const PreferencesQuery = Type.Object(
  {
    user_id: Type.Optional(Type.Unsafe<string>({ ...Id, description: 'Another member, whose preferences only owners and admins may use.' }))
  },
  closed
)

export const Preferences = Type.Object({
  user_id: Id,
  contact_methods: Type.Array(
    Type.Object({ id: Id, kind: oneOf(methodKinds), address: Type.String(), verified_at: nullable(Instant), position: Type.Integer() })
  ),
  ...wishes,
  version: Type.Integer()
})
export type Preferences = Static<typeof Preferences>
