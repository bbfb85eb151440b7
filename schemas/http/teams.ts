/** Teams and their members. Source: docs/design/api/on-call.md#oc-25 to #oc-27. */
import { type Static, Type } from 'typebox'
import { common, Description, Id, Instant, list, Name, nullable, oneOf, paging } from './common.ts'
import { roles } from './endpoints.ts'
import { workspaceSlugPattern } from './patterns.ts'
import { teamRoles, teamVisibilities } from './visibility.ts'

/** Most people in one team. */
export const MAX_TEAM_MEMBERS = 500

const Slug = Type.String({ minLength: 1, maxLength: 63, pattern: workspaceSlugPattern, description: 'Unique in the workspace.' })
const Visibility = oneOf(teamVisibilities, {
  description: 'private: only members of the team, owners and admins see what the team owns.'
})

const PolicyId = Type.Optional(
  Type.Unsafe<string | null>({
    ...nullable(Id),
    description: 'Escalation policy for incidents of the team for which nothing else names a policy.'
  })
)

export const TeamMember = Type.Object({
  user_id: Id,
  name: Type.String(),
  email: Type.String(),
  role: oneOf(teamRoles),
  workspace_role: oneOf(roles),
  joined_at: Instant
})
export type TeamMember = Static<typeof TeamMember>

const fields = {
  ...common,
  name: Type.String(),
  slug: Type.String(),
  description: Type.String(),
  visibility: oneOf(teamVisibilities),
  escalation_policy_id: nullable(Id),
  member_count: Type.Integer()
}
export const Team = Type.Object(fields)
export type Team = Static<typeof Team>
export const TeamList = list(Team)
export const TeamDetail = Type.Object({
  ...fields,
  members: Type.Array(TeamMember, { description: 'Members of the team: leads first, then by name.' })
})
export type TeamDetail = Static<typeof TeamDetail>

export const TeamQuery = Type.Object({
  ...paging,
  q: Type.Optional(Type.String({ minLength: 2, maxLength: 100 })),
  visibility: Type.Optional(Visibility),
  user_id: Type.Optional(Type.Unsafe<string>({ ...Id, description: 'Only teams that this person belongs to.' }))
})

export const CreateTeamBody = Type.Object(
  {
    name: Name,
    slug: Type.Optional(Type.Unsafe<string>({ ...Slug, description: 'Default: derived from the name.' })),
    description: Type.Optional(Description),
    visibility: Type.Optional(oneOf(teamVisibilities, { default: 'org' })),
    escalation_policy_id: PolicyId
  },
  { additionalProperties: false }
)

export const UpdateTeamBody = Type.Object(
  {
    name: Type.Optional(Name),
    slug: Type.Optional(Slug),
    description: Type.Optional(Description),
    visibility: Type.Optional(Visibility),
    escalation_policy_id: PolicyId
  },
  { additionalProperties: false }
)

export const PutTeamMemberBody = Type.Object(
  { role: Type.Optional(oneOf(teamRoles, { default: 'member' })) },
  { additionalProperties: false }
)
export type PutTeamMemberBody = Static<typeof PutTeamMemberBody>
/** The fields of the form for a new team member. */
export const NewTeamMember = Type.Object({ user_id: Id, ...PutTeamMemberBody.properties })
