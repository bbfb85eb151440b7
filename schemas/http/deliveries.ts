/**
 * The record of deliveries of notifications.
 * Source: docs/design/api/notifications.md#s8-5.
 */
import { type Static, Type } from 'typebox'
import { Id, Instant, nullable, oneOf } from './common.ts'
import { channelEvents, channelKinds, deliveryStates, methodKinds, noticeEvents } from './notification-words.ts'

const toldEvents = [...channelEvents, ...noticeEvents, 'test'] as const
const toldKinds = [...new Set([...channelKinds, ...methodKinds])]

const closed = { additionalProperties: false } as const

export const DeliveryQuery = Type.Object(
  {
    per_page: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
    incident_id: Type.Optional(Id),
    channel_id: Type.Optional(Id),
    user_id: Type.Optional(Id),
    event: Type.Optional(Type.Array(oneOf(toldEvents), { minItems: 1, maxItems: toldEvents.length })),
    kind: Type.Optional(
      Type.Array(oneOf(toldKinds), {
        minItems: 1,
        maxItems: toldKinds.length,
        description: 'Kind of the channel, or of the method that reaches a person.'
      })
    ),
    state: Type.Optional(Type.Array(oneOf(deliveryStates), { minItems: 1, maxItems: deliveryStates.length })),
    from: Type.Optional(Instant),
    to: Type.Optional(Instant),
    cursor: Type.Optional(Type.String({ minLength: 1, maxLength: 1000 }))
  },
  closed
)

export const DeliveryAttempt = Type.Object({
  n: Type.Integer(),
  at: Instant,
  latency_ms: nullable(Type.Integer()),
  outcome: Type.String({
    description: 'Result of the attempt: accepted, refused, retryable, timeout, network, blocked_target or unknown.'
  }),
  http_status: nullable(Type.Integer()),
  error: nullable(Type.String()),
  provider_message_id: nullable(Type.String())
})

const fields = {
  id: Id,
  tenant_id: Id,
  intent_id: Id,
  incident_id: nullable(Id),
  incident_key: nullable(
    Type.String({ description: 'INC-<number>; null when the delivery is about no incident, or about one that the caller may not see.' })
  ),
  incident_title: nullable(Type.String()),
  event: oneOf(toldEvents),
  channel_id: nullable(Id),
  user_id: nullable(Id),
  kind: Type.String(),
  target_name: nullable(Type.String({ description: 'Name of the channel or of the person.' })),
  step: nullable(Type.Integer()),
  state: oneOf(deliveryStates),
  suppressed_by: nullable(Type.String()),
  suppressed_cause: nullable(Type.String({ description: 'What suppressed it, such as the id of a silence.' })),
  error_code: nullable(Type.String()),
  manual: Type.Boolean(),
  attempts: Type.Array(DeliveryAttempt),
  queued_at: Instant,
  next_attempt_at: nullable(Instant),
  first_sent_at: nullable(Instant),
  delivered_at: nullable(Instant),
  expires_at: Instant,
  why: Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    additionalProperties: true,
    description: 'What caused this target to be chosen.'
  })
}

export const DeliveryItem = Type.Object(fields)
export type DeliveryItem = Static<typeof DeliveryItem>

export const DeliveryList = Type.Object({ items: Type.Array(DeliveryItem), next_cursor: nullable(Type.String()) })

export const DeliveryDetail = Type.Object({
  ...fields,
  request: nullable(
    Type.Object({
      method: Type.String(),
      url: Type.String(),
      headers: Type.Unsafe<Record<string, string>>({ type: 'object', additionalProperties: { type: 'string' } }),
      body: nullable(Type.String())
    })
  ),
  reply: nullable(Type.String({ description: 'The last answer of the receiving service, at most 2 KiB.' }))
})
export type DeliveryDetail = Static<typeof DeliveryDetail>

export const RedeliverBody = Type.Object({ force: Type.Optional(Type.Boolean({ default: false })) }, closed)

export const ChannelTestBody = Type.Object({ event: Type.Optional(oneOf(['test'], { default: 'test' })) }, closed)
export const ChannelTestAnswer = Type.Object({
  ok: Type.Boolean(),
  delivery_id: Id,
  latency_ms: Type.Integer(),
  http_status: nullable(Type.Integer()),
  error: nullable(Type.String()),
  reply: nullable(Type.String({ description: 'What the receiving service answered, at most 2 KiB, without secrets.' }))
})
export type ChannelTestAnswer = Static<typeof ChannelTestAnswer>
