/**
 * Members of a workspace, and invites to it.
 * Source: docs/design/api/account.md#ac-8 to #ac-12.
 */
import { type Static, Type } from 'typebox'
import { NewPassword } from './auth.ts'
import { Email, Id, Instant, list, Name, nullable, oneOf } from './common.ts'
import { roles } from './endpoints.ts'

const Role = oneOf(roles)

export const Member = Type.Object({
  user_id: Id,
  tenant_id: Id,
  name: Type.String(),
  email: Type.String(),
  role: Role,
  joined_at: Instant,
  last_seen_at: nullable(
    Type.Unsafe<string>({ ...Instant, description: 'When a session that has not ended was last used; null when there is none.' })
  )
})
export type Member = Static<typeof Member>
export const MemberList = list(Member)

const ReplaceWith = Type.Optional(
  Type.Unsafe<string>({ ...Id, description: 'Member who takes over the person’s on-call places, current and later.' })
)
export const UpdateMemberBody = Type.Object({ role: Role, replace_with: ReplaceWith }, { additionalProperties: false })
export const DeleteMemberQuery = Type.Object({ replace_with: ReplaceWith }, { additionalProperties: false })

/** The most teams of one invite. */
export const MAX_INVITE_TEAMS = 20

export const CreateInviteBody = Type.Object(
  {
    email: Email,
    role: Role,
    team_ids: Type.Optional(
      Type.Array(Id, { maxItems: MAX_INVITE_TEAMS, default: [], description: 'Teams that the person belongs to as soon as they accept.' })
    )
  },
  { additionalProperties: false }
)

const fields = {
  id: Id,
  tenant_id: Id,
  email: Type.String(),
  role: Role,
  team_ids: Type.Array(Id, { description: 'Teams that still exist; the person joins them when accepting.' }),
  invited_by: Type.Unsafe<string>({
    ...Id,
    description: 'Id of the user who invited. When a person may no longer make invites, theirs are withdrawn.'
  }),
  expires_at: Type.Unsafe<string>({ ...Instant, description: 'When in the past, the invite can no longer be accepted.' }),
  created_at: Instant
}
export const Invite = Type.Object(fields)
export type Invite = Static<typeof Invite>
export const InviteList = list(Invite)
/** The only answer that contains the address for accepting the invite. */
export const InviteWithUrl = Type.Object({
  ...fields,
  accept_url: Type.String({
    description: 'Address of the page on which the invite is accepted. It is shown once; the inviter passes it on.'
  })
})

export const InviteParams = Type.Object({ token: Type.String({ minLength: 1, maxLength: 256 }) })

/** What an invite shows to anybody who has its address, before they accept it. */
export const PublicInvite = Type.Object({
  workspace: Type.Object({ name: Type.String() }),
  email: Type.String(),
  role: Role,
  expires_at: Instant,
  account_exists: Type.Boolean({
    description: 'true: accept with the password of the existing account; false: accept with a name and a new password.'
  })
})

export const AcceptInviteBody = Type.Object(
  {
    name: Type.Optional(Type.Unsafe<string>({ ...Name, description: 'Required for a new person; otherwise ignored.' })),
    password: Type.String({
      minLength: 1,
      maxLength: 256,
      description: `Of the account; of a new person ${NewPassword.minLength} characters or more.`
    }),
    remember: Type.Optional(Type.Boolean({ default: false, description: 'Whether the cookie is kept when the browser closes.' }))
  },
  { additionalProperties: true }
)

/**
 * What a person without an account must send. The route requires more of them than of a person who
 * has an account.
 */
export const AcceptAsNewBody = Type.Object(
  { name: Name, password: Type.Unsafe<string>(NewPassword), remember: Type.Optional(Type.Boolean()) },
  { additionalProperties: false }
)
