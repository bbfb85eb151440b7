/** One team, what people do with teams, and who may. */
import { type QueryClient, queryOptions, useQueries, useQuery } from '@tanstack/react-query'
import { managesTeam, type TeamRole } from '../../../schemas/http/visibility.ts'
import { client, take } from './client.ts'
import { teamsQuery } from './lists.ts'
import { useSession } from './session.ts'
import type { NewTeam, Session, Team, TeamChange, TeamDetail } from './shapes.ts'

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
/** Adds a member, or gives one another role. */
export const putTeamMember = (id: string, user_id: string, role: TeamRole) =>
  take(client.PUT('/api/v1/teams/{id}/members/{user_id}', { ...ofMember(id, user_id), body: { role } }))
/** The person who asks, whatever their role. */
export const leaveTeam = (id: string) => take(client.DELETE('/api/v1/teams/{id}/members/me', of(id)))
export const removeTeamMember = (id: string, user_id: string) =>
  take(client.DELETE('/api/v1/teams/{id}/members/{user_id}', ofMember(id, user_id)))

/** What follows from who belongs to which team: what teams own may come into sight, or leave it. */
const followers = ['teams', 'usage', 'session', 'incidents', 'alerts', 'monitors', 'heartbeats', 'integrations'] as const

export const readTeamsAgain = async (queries: QueryClient): Promise<void> => {
  await Promise.all(followers.map((resource) => queries.invalidateQueries({ queryKey: [resource] })))
}

/** The team as the person sees it; null: of none, or not known. */
export function useTeam(team_id: string | null): Team | null {
  const { data } = useQuery(teamsQuery)
  return data?.items.find(({ id }) => id === team_id) ?? null
}

/** The person's role in a team; null: they are no member. */
export const roleIn = ({ members }: Pick<TeamDetail, 'members'>, { user }: Pick<Session, 'user'>): TeamRole | null =>
  members.find(({ user_id }) => user_id === user?.id)?.role ?? null

/**
 * Whether the person manages a team, as the api decides it; null while that is not known. Only of a
 * private team does it take a look at its members.
 */
export function useManages(team: Pick<Team, 'id' | 'visibility'> | null): boolean | null {
  const session = useSession()
  const asks = team !== null && !managesTeam(session.role, team.visibility, null)
  const { data } = useQuery({ ...teamQuery(team?.id ?? ''), enabled: asks })
  if (team === null || !asks) return true
  return data ? managesTeam(session.role, data.visibility, roleIn(data, session)) : null
}

/** The teams that the person manages; those of which it is not known yet are left out. */
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
