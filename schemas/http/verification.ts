/**
 * Proof that a number or an address belongs to the person.
 * Source: docs/design/api/notifications.md#no-8.
 */
import { type Static, Type } from 'typebox'
import { Instant, oneOf } from './common.ts'

export const VerifyBody = Type.Object(
  {
    number: Type.Optional(
      Type.String({ minLength: 1, maxLength: 32, description: 'Phone number with country code, such as +4915112345678.' })
    ),
    email: Type.Optional(Type.String({ minLength: 1, maxLength: 320, description: 'E-mail address to confirm, in place of a number.' })),
    method: Type.Optional(oneOf(['sms', 'voice'], { description: 'How the code is sent to the number; default: sms.' })),
    code: Type.Optional(
      Type.String({
        pattern: '^\\d{6}$',
        description: 'The code that was received. With a code, the number or address is confirmed; without one, a code is sent.'
      })
    )
  },
  { additionalProperties: false }
)
export type VerifyBody = Static<typeof VerifyBody>

export const VerificationSent = Type.Object({
  expires_at: Instant,
  resend_at: Instant
})
export type VerificationSent = Static<typeof VerificationSent>

export const Verified = Type.Object({ verified_at: Instant })
