/**
 * Links in mails. A page shows first what a link does, and then does it.
 * Source: docs/design/api/notifications.md#no-28.
 */
import { type Static, Type } from 'typebox'
import { nullable, oneOf } from './common.ts'

export const MailLinkParams = Type.Object({ token: Type.String({ minLength: 8, maxLength: 200, pattern: '^[A-Za-z0-9_-]+$' }) })

export const mailActs = ['confirm', 'stop', 'acknowledge', 'resolve'] as const

/** What a link would do. Asking for it changes nothing. */
export const MailLinkAnswer = Type.Object({
  act: oneOf(mailActs),
  workspace: Type.String({ description: 'Name of the workspace.' }),
  subject: Type.String({ description: 'The email address, or the key and title of the incident.' }),
  person: nullable(Type.String({ description: 'Name of the member for whom the link acts.' })),
  done: Type.Boolean({ description: 'Whether what the link would do is done already.' })
})
export type MailLinkAnswer = Static<typeof MailLinkAnswer>
