/**
 * Log-in, session and account.
 * Source: docs/design/api/authentication.md#s2 and docs/design/api/account.md#s13.
 */
import { type Static, Type } from 'typebox'
import { capabilities, limitKeys, planIds } from '../plans.ts'
import { Id, Instant, Name, nullable, oneOf, ZoneName } from './common.ts'
import { roles } from './endpoints.ts'
import { NewPassword } from './new-password.ts'
import { localePattern } from './patterns.ts'

export const LoginBody = Type.Object(
  {
    email: Type.String({ minLength: 3, maxLength: 254 }),
    password: Type.String({ minLength: 1, maxLength: 256 }),
    remember: Type.Optional(Type.Boolean({ default: false, description: 'Whether to keep the cookie when the browser closes.' }))
  },
  { additionalProperties: true }
)

export { NewPassword }

export const ForgotPasswordBody = Type.Object({ email: Type.String({ minLength: 3, maxLength: 254 }) }, { additionalProperties: false })

export const ResetPasswordBody = Type.Object(
  {
    token: Type.String({ minLength: 1, maxLength: 200, description: 'The last part of the address in the mail.' }),
    password: Type.Unsafe<string>({ ...NewPassword, description: 'New password. Ends every session of the person.' })
  },
  { additionalProperties: false }
)

export const User = Type.Object({
  id: Id,
  email: Type.String(),
  name: Type.String(),
  avatar_url: nullable(Type.String()),
  time_zone: nullable(
    Type.String({
      description:
        'Time zone of the account, for the dashboard, digests and reminders. When null, the dashboard uses that of the browser, and digests and reminders use that of the workspace.'
    })
  ),
  locale: Type.String(),
  mfa_enabled: Type.Boolean(),
  role: oneOf(roles),
  teams: Type.Array(Id),
  created_at: Instant,
  updated_at: Instant
})
export type User = Static<typeof User>

export const WorkspaceSummary = Type.Object({ id: Id, name: Type.String(), slug: Type.String(), plan: oneOf(planIds) })
export type WorkspaceSummary = Static<typeof WorkspaceSummary>

export const LoginAnswer = Type.Object({
  user: User,
  workspace: WorkspaceSummary,
  workspaces: Type.Array(WorkspaceSummary),
  expires_at: Instant
})

const TokenSummary = Type.Object({ id: Id, name: Type.String(), scopes: Type.Array(Type.String()) })

export const SessionAnswer = Type.Object({
  kind: oneOf(['session', 'token']),
  user: Type.Union([User, Type.Null()]),
  token: Type.Union([TokenSummary, Type.Null()]),
  workspace: WorkspaceSummary,
  workspaces: Type.Array(WorkspaceSummary, {
    description: 'Workspaces that the person may switch to, in the order of joining; for a token, only its own.'
  }),
  role: oneOf(roles),
  mail: oneOf(['sent', 'kept', 'none'], {
    description: 'What happens to mails: sent by a server, kept in the mailbox of a local run, or neither (none).'
  }),
  expires_at: nullable(Instant)
})

export const SwitchBody = Type.Object({ workspace_id: Id }, { additionalProperties: true })

const figures = (description: string) =>
  Type.Unsafe<Record<string, number | null>>({ type: 'object', additionalProperties: { type: ['number', 'null'] }, description })

export const AccountAnswer = Type.Object({
  user: User,
  workspace: WorkspaceSummary,
  role: oneOf(roles),
  plan: oneOf(planIds),
  entitlements: figures(`Limits in force by key (${Object.keys(limitKeys).join(', ')}); null: unlimited`),
  usage: figures('What is used of the limits that are counted'),
  features: Type.Array(oneOf(Object.keys(capabilities))),
  limits_source: oneOf(['plan', 'override', 'floor'], {
    description: 'plan when all limits are those of the plan; override or floor when that decides a limit.'
  })
})

export const UpdateAccountBody = Type.Object(
  {
    name: Type.Optional(Name),
    time_zone: Type.Optional(nullable(ZoneName)),
    locale: Type.Optional(Type.String({ maxLength: 35, pattern: localePattern, description: 'BCP 47 language tag, for example de-AT.' })),
    password: Type.Optional(
      Type.Unsafe<string>({
        ...NewPassword,
        description: 'New password. Needs `current_password` and a session. Ends every other session of the person.'
      })
    ),
    current_password: Type.Optional(Type.String({ minLength: 1, maxLength: 256 }))
  },
  { additionalProperties: false }
)
