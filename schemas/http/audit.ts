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
    from: Type.Optional(Type.Unsafe<string>({ ...Instant, description: 'Start of the span, included.' })),
    to: Type.Optional(Type.Unsafe<string>({ ...Instant, description: 'End of the span, not included.' })),
    cursor: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 1000,
        description: 'The next_cursor of the page before, with the same filters; valid for 24 hours.'
      })
    ),
    per_page: paging.per_page
  },
  { additionalProperties: false }
)

const Name = nullable(Type.String({ description: 'The present name; null when it has none or no longer exists.' }))

export const AuditEntry = Type.Object({
  id: Id,
  at: Instant,
  actor: Type.Object({ kind: oneOf(actorKinds), id: Type.String(), name: Name }),
  action: Type.String({ description: 'What was done, for example monitor.updated.' }),
  object: Type.Object({ type: Type.String(), id: Type.String(), name: Name }),
  via: Type.String({ description: 'How it was done: api, ui, cli, mcp, chat, mail, sms, voice or system.' }),
  app: nullable(Type.String({ description: 'The chat app, when via is chat: slack, discord or telegram.' })),
  diff: Type.Unsafe<Record<string, [unknown, unknown]>>({
    type: 'object',
    additionalProperties: { type: 'array', items: {}, minItems: 2, maxItems: 2 },
    description: 'Each changed field with [before, after]. Secrets are left out.'
  }),
  request_id: nullable(Type.String())
})
export type AuditEntry = Static<typeof AuditEntry>

export const AuditList = Type.Object(
  {
    items: Type.Array(AuditEntry),
    per_page: Type.Integer(),
    next_cursor: nullable(Type.String()),
    kept_days: nullable(Type.Integer({ description: 'How many days the plan keeps entries; null: without end.' }))
  },
  { description: 'Paged by cursor only, without a total or page numbers.' }
)
