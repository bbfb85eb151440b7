/** Notification channels. Source: docs/design/api/notifications.md#s8-1 and #s8-2. */
import { type Static, Type } from 'typebox'
import { common, Id, Instant, list, Name, nullable, oneOf, paging, Severity } from './common.ts'
import { type ChannelEvent, channelEvents, channelKinds, kindsWithoutDegraded } from './notification-words.ts'
import type { Template } from './template-words.ts'
import { texts } from './templates.ts'

export const channelHealths = ['ok', 'failing', 'disabled'] as const
export type ChannelHealth = (typeof channelHealths)[number]

/** Most private teams, besides the channel's own team, whose incidents it may be notified about. */
export const MAX_ALLOWED_TEAMS = 100

const closed = { additionalProperties: false } as const

const Config = (description: string) =>
  Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    propertyNames: { type: 'string', maxLength: 64 },
    additionalProperties: true,
    maxProperties: 50,
    description
  })

const Events = Type.Array(oneOf(channelEvents), {
  minItems: 1,
  maxItems: channelEvents.length,
  uniqueItems: true,
  description: `Events that the channel is notified of. maintenance and status_page are not sent yet. degraded is not sent to channels of these kinds: ${kindsWithoutDegraded.join(', ')}.`
})

export type TemplateOverrides = Partial<Record<ChannelEvent, Template>>

const TemplateOverrides = Type.Unsafe<TemplateOverrides>({
  ...Type.Object(Object.fromEntries(channelEvents.map((event) => [event, Type.Optional(Type.Object(texts, closed))])), closed),
  description: 'Templates that this channel uses in place of the templates of the workspace, by event, with the same title and body fields.'
})

const settings = {
  name: Name,
  config: Config('Fields of the kind (GET /notifications/channel-kinds). A secret is ******** in answers; that, null or nothing keeps it.')
}

const choices = {
  enabled: Type.Optional(Type.Boolean()),
  team_id: Type.Optional(nullable(Id)),
  is_default: Type.Optional(Type.Boolean({ description: 'The channel is notified of everything that no rule sends elsewhere.' })),
  events: Type.Optional(Events),
  min_severity: Type.Optional(Severity),
  template_overrides: Type.Optional(TemplateOverrides),
  allowed_team_ids: Type.Optional(
    Type.Array(Id, {
      maxItems: MAX_ALLOWED_TEAMS,
      description:
        'Private teams, besides its own team, whose incidents the channel may be notified of. The leads of such a team, owners and admins may add it.'
    })
  )
}

export const CreateChannelBody = Type.Object({ ...settings, kind: oneOf(channelKinds), ...choices }, closed)
export type CreateChannelBody = Static<typeof CreateChannelBody>

/** `kind` is accepted by the schema only so that it can be refused as immutable. */
export const UpdateChannelBody = Type.Object(
  { name: Type.Optional(settings.name), config: Type.Optional(settings.config), kind: Type.Optional(oneOf(channelKinds)), ...choices },
  closed
)
export type UpdateChannelBody = Static<typeof UpdateChannelBody>

export const ReplaceChannelBody = Type.Object({ ...settings, kind: Type.Optional(oneOf(channelKinds)), ...choices }, closed)

export const ChannelQuery = Type.Object(
  {
    ...paging,
    kind: Type.Optional(Type.Array(oneOf(channelKinds), { maxItems: channelKinds.length })),
    enabled: Type.Optional(Type.Boolean()),
    health: Type.Optional(Type.Array(oneOf(channelHealths), { maxItems: 3 })),
    q: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: 'Text that the name contains.' }))
  },
  closed
)

export const DeleteChannelQuery = Type.Object(
  { force: Type.Optional(Type.Boolean({ default: false, description: 'Delete the channel even when something names it.' })) },
  closed
)

export const ChannelDetail = Type.Object({
  ...common,
  name: Type.String(),
  kind: oneOf(channelKinds),
  enabled: Type.Boolean(),
  team_id: nullable(Id),
  is_default: Type.Boolean(),
  verified_at: nullable(Instant),
  needs_verification: Type.Boolean({ description: 'When true, only codes and tests are sent until its address is verified.' }),
  target: Type.String({ description: 'Where notifications go, described without any secret.' }),
  config: Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true }),
  events: Type.Array(oneOf(channelEvents)),
  min_severity: Severity,
  template_overrides: TemplateOverrides,
  allowed_team_ids: Type.Array(Id),
  health: Type.Object({
    state: oneOf(channelHealths),
    disabled_reason: nullable(Type.String()),
    last_ok_at: nullable(Instant),
    last_error: nullable(Type.String()),
    consecutive_failures: Type.Integer(),
    quota_exhausted_until: nullable(Instant)
  }),
  created_by: Type.String({ description: 'Who created the channel, as kind:id.' })
})
export type ChannelDetail = Static<typeof ChannelDetail>
export const ChannelList = list(ChannelDetail)

export const ChannelKindItem = Type.Object({
  kind: oneOf(channelKinds),
  name: Type.String(),
  hint: Type.String(),
  family: Type.String(),
  schema: Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    additionalProperties: true,
    description: 'JSON Schema of config; writeOnly marks the secrets.'
  }),
  secrets: Type.Array(Type.String()),
  default_events: Type.Array(oneOf(channelEvents)),
  needs_verification: Type.Boolean(),
  available: Type.Boolean({ description: 'Whether the plan of the workspace includes this kind.' }),
  set_up: Type.Boolean({
    description: 'False when the operator of the service has no account for this kind; such a channel cannot be saved.'
  }),
  upgrade_to: nullable(Type.String()),
  app: nullable(
    Type.Object(
      {
        set_up: Type.Boolean({ description: 'False when the operator of the service has no such app.' }),
        available: Type.Boolean({ description: 'Whether the plan of the workspace includes the app.' }),
        upgrade_to: nullable(Type.String())
      },
      { description: 'The app that people add at the vendor, with GET /notifications/oauth/{kind}/start.' }
    )
  )
})
export type ChannelKindItem = Static<typeof ChannelKindItem>
export const ChannelKindList = Type.Object({ items: Type.Array(ChannelKindItem) })

export const CreateChannelQuery = Type.Object(
  {
    verify: Type.Optional(
      Type.Boolean({ default: false, description: 'Send a test first, and save the channel only when the test arrives.' })
    )
  },
  closed
)

export const ConfirmChannelQuery = Type.Object({ token: Type.String({ minLength: 1, maxLength: 200 }) }, closed)
