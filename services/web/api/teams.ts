/** Queries and actions for one team, and who may use them. */
import { type QueryClient, queryOptions, useQueries, useQuery } from '@tanstack/react-query'
import { managesTeam, type TeamRole } from '../../../schemas/http/visibility.ts'
import { client, take } from './client.ts'
import { teamsQuery } from './lists.ts'
import { useSession } from './session.ts'
import type { NewTeam, Session, Team, TeamChange, TeamDetail } from './shapes.ts'
import { managesOwner } from './team-rights.ts'

const AGAIN_MS = 30_000

export const teamQuery = (id: string) =>
  queryOptions({
    queryKey: ['teams', 'one', id],
    queryFn: ({ signal }) => take(client.GET('/api/v1/teams/{id}', { params: { path: { id } }, signal })),
    refetchInterval: AGAIN_MS
  })

const of = (id: string) => ({ params: { path: { id } } })
const ofMember = (id: string, user_id: string) => ({ params: { path: { id, user_id } } })

export const createTeam = (body: NewTeam) => take(client.POST('/api/v1/teams', { body }))
export const changeTeam = (id: string, body: TeamChange) => take(client.PATCH('/api/v1/teams/{id}', { ...of(id), body }))
export const deleteTeam = (id: string) => take(client.DELETE('/api/v1/teams/{id}', of(id)))
/** Adds a member, or changes the role of one. */
export const putTeamMember = (id: string, user_id: string, role: TeamRole) =>
  take(client.PUT('/api/v1/teams/{id}/members/{user_id}', { ...ofMember(id, user_id), body: { role } }))
/** Removes the person themselves from the team, whatever their role. */
export const leaveTeam = (id: string) => take(client.DELETE('/api/v1/teams/{id}/members/me', of(id)))
export const removeTeamMember = (id: string, user_id: string) =>
  take(client.DELETE('/api/v1/teams/{id}/members/{user_id}', ofMember(id, user_id)))

/**
 * The resources to read again after a change of team membership: objects that teams own may become
 * visible or hidden.
 */
const followers = ['teams', 'usage', 'session', 'incidents', 'alerts', 'monitors', 'heartbeats', 'integrations'] as const

export const readTeamsAgain = async (queries: QueryClient): Promise<void> => {
  await Promise.all(followers.map((resource) => queries.invalidateQueries({ queryKey: [resource] })))
}

/** Returns the team as the person may see it; null: there is none, or it is not known. */
export function useTeam(team_id: string | null): Team | null {
  const { data } = useQuery(teamsQuery)
  return data?.items.find(({ id }) => id === team_id) ?? null
}

/** Returns the person's role in a team; null: they are no member. */
export const roleIn = ({ members }: Pick<TeamDetail, 'members'>, { user }: Pick<Session, 'user'>): TeamRole | null =>
  members.find(({ user_id }) => user_id === user?.id)?.role ?? null

/**
 * Whether the person may change what a team owns; null while that is not known. Null for a team:
 * the object belongs to the whole workspace. The members of the team are read only if the person's
 * workspace role and the team's visibility do not decide.
 */
export function useManages(team_id: string | null): boolean | null {
  const session = useSession()
  const teams = useQuery(teamsQuery).data?.items
  const manages = managesOwner(session.role, team_id, teams)
  const { data } = useQuery({ ...teamQuery(team_id ?? ''), enabled: manages === 'ask' })
  if (manages !== 'ask') return manages
  return data ? managesTeam(session.role, data.visibility, roleIn(data, session)) : null
}

/**
 * Returns the teams that the person manages. Teams for which that is not known yet are left out.
 */
export function useManagedTeams(): Team[] {
  const session = useSession()
  const { data } = useQuery(teamsQuery)
  const teams = data?.items ?? []
  const asked = teams.filter(({ visibility }) => !managesTeam(session.role, visibility, null))
  const details = useQueries({ queries: asked.map(({ id }) => teamQuery(id)) })
  const managed = new Set(
    details.flatMap(({ data: one }) => (one && managesTeam(session.role, one.visibility, roleIn(one, session)) ? [one.id] : []))
  )
  return teams.filter((team) => !asked.includes(team) || managed.has(team.id))
}
