/**
 * The audit log: who did what to which object, and when.
 * Source: docs/design/api/account.md#ac-15.
 */
import { type Static, Type } from 'typebox'
import { Id, Instant, nullable, oneOf, paging } from './common.ts'

export const actorKinds = ['user', 'token', 'integration', 'system'] as const
export const viaWords = ['api', 'ui', 'cli', 'mcp', 'chat', 'mail', 'sms', 'voice', 'system'] as const

const word = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 200, description }))

export const AuditQuery = Type.Object(
  {
    actor_id: word('Of the person, the token or the integration.'),
    action: word('Such as monitor.updated; monitor. is all that begins with it.'),
    object_type: word('Such as monitor.'),
    object_id: word('Of what was changed.'),
    via: Type.Optional(Type.Array(oneOf(viaWords), { minItems: 1, maxItems: viaWords.length })),
    from: Type.Optional(Type.Unsafe<string>({ ...Instant, description: 'Part of the span.' })),
    to: Type.Optional(Type.Unsafe<string>({ ...Instant, description: 'Not part of the span.' })),
    cursor: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 1000,
        description: 'next_cursor of the page before, with the same filters; good for 24 hours.'
      })
    ),
    per_page: paging.per_page
  },
  { additionalProperties: false }
)

const Name = nullable(Type.String({ description: 'As it is now; null: it has none, or is gone.' }))

export const AuditEntry = Type.Object({
  id: Id,
  at: Instant,
  actor: Type.Object({ kind: oneOf(actorKinds), id: Type.String(), name: Name }),
  action: Type.String({ description: 'For example monitor.updated.' }),
  object: Type.Object({ type: Type.String(), id: Type.String(), name: Name }),
  via: Type.String({ description: 'api, ui, cli, mcp, chat, mail, sms, voice or system.' }),
  app: nullable(Type.String({ description: 'Of chat: slack, discord or telegram.' })),
  diff: Type.Unsafe<Record<string, [unknown, unknown]>>({
    type: 'object',
    additionalProperties: { type: 'array', items: {}, minItems: 2, maxItems: 2 },
    description: 'Field → [before, after]. Secrets stay out.'
  }),
  request_id: nullable(Type.String())
})
export type AuditEntry = Static<typeof AuditEntry>

export const AuditList = Type.Object(
  { items: Type.Array(AuditEntry), per_page: Type.Integer(), next_cursor: nullable(Type.String()) },
  { description: 'By cursor only: not counted, and without numbers of pages.' }
)
