/**
 * The mailbox of a service that runs without a mail server.
 * Source: docs/design/api/notifications.md#no-27.
 */
import { type Static, Type } from 'typebox'
import { Id, Instant, list, paging } from './common.ts'

const closed = { additionalProperties: false } as const

export const MailboxQuery = Type.Object({ ...paging }, closed)

const item = {
  id: Id,
  tenant_id: Id,
  at: Instant,
  recipient: Type.String(),
  subject: Type.String(),
  sent: Type.Literal(false, { description: 'Always false: the mail is kept here instead of being sent.' })
}

export const KeptMailItem = Type.Object(item)
export type KeptMailItem = Static<typeof KeptMailItem>
export const KeptMailList = list(KeptMailItem)

export const KeptMailDetail = Type.Object({
  ...item,
  headers: Type.Array(Type.Object({ name: Type.String(), value: Type.String() }), {
    description: 'The headers as a mail server would get them, unfolded.'
  }),
  text: Type.Union([Type.String(), Type.Null()]),
  has_html: Type.Boolean({ description: 'Whether the mail has HTML; it is at /html, for a sandboxed frame.' }),
  mime: Type.String({ description: 'The whole mail as a mail server would get it.' })
})
export type KeptMailDetail = Static<typeof KeptMailDetail>
