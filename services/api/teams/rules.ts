/**
 * Decides who may change a team, and to which team a person may give an object.
 * Source: docs/design/api/on-call.md#teams, schemas/http/visibility.ts.
 */
import { managesTeam } from '../../../schemas/http/visibility.ts'
import { seeingAll, type Tx } from '../../store/pool.ts'
import { readTeam, readTeamRole, standingsOf, type Team } from '../../store/teams.ts'
import type { Caller } from '../http/caller.ts'
import { ApiError, invalid, notFound } from '../http/errors.ts'

/** `Payments & Billing` → `payments-billing`. */
export function teamSlugOf(name: string): string {
  const slug = name
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 63)
    .replace(/^-+|-+$/g, '')
  return slug === '' ? 'team' : slug
}

/** Reads the team as the caller sees it. Throws NOT_FOUND. */
export async function seenTeam(tx: Tx, { tenant_id }: Caller, team_id: string): Promise<Team> {
  const team = await readTeam(tx, tenant_id, team_id.toLowerCase())
  if (!team) throw notFound()
  return team
}

const forbidden = (message: string): ApiError => new ApiError('FORBIDDEN', message)

/** Somebody who acts: a caller, or a member by a chat. */
export type Acting = Pick<Caller, 'tenant_id' | 'user_id' | 'role'>

/**
 * Returns whether a person may decide where what these teams own is told. Only leads, owners and
 * admins may, of a private team, whether the person sees the team or not.
 */
export async function managesAll(tx: Tx, { tenant_id, user_id, role }: Acting, team_ids: readonly (string | null)[]): Promise<boolean> {
  const standings = await seeingAll(tx, (tx) => standingsOf(tx, tenant_id, user_id))
  return team_ids.every((team_id) => {
    const standing = team_id === null ? undefined : standings.get(team_id)
    return !standing || managesTeam(role, standing.visibility, standing.role)
  })
}

/**
 * Throws FORBIDDEN if the person may not change the address of a channel that gets messages about
 * these teams.
 */
export async function checkManagesAll(tx: Tx, acting: Acting, team_ids: readonly (string | null)[]): Promise<void> {
  if (await managesAll(tx, acting, team_ids)) return
  throw forbidden(
    'This channel gets messages about a private team. Only owners, admins, and leads of the team who are editors may change its address'
  )
}

/** Throws FORBIDDEN if only leads, owners and admins may change the team. */
export async function checkManages(tx: Tx, { tenant_id, user_id, role }: Caller, { team_id, visibility }: Team): Promise<void> {
  if (managesTeam(role, visibility, await readTeamRole(tx, tenant_id, team_id, user_id))) return
  throw forbidden('Only owners, admins, and its leads who are editors may change a private team')
}

/**
 * Returns the id of the team for an object; null stays null. Throws VALIDATION_FAILED if the caller
 * sees no such team: hidden teams are treated as unknown.
 */
export async function chosenTeam(tx: Tx, { tenant_id }: Caller, path: string, team_id: string | null): Promise<string | null> {
  if (team_id === null) return null
  const team = await readTeam(tx, tenant_id, team_id.toLowerCase())
  if (!team) throw invalid(path, 'unknown_team', 'is not a team of this workspace')
  return team.team_id
}

/**
 * Like chosenTeam, for an object that already has a team: a team that is not sent, or is sent
 * unchanged, stays.
 */
export const givenTeam = async (tx: Tx, caller: Caller, before: string | null, given: string | null | undefined): Promise<string | null> =>
  given === undefined || given?.toLowerCase() === before ? before : chosenTeam(tx, caller, 'team_id', given)

/**
 * Throws FORBIDDEN if only a team's leads decide what it receives. This concerns the integrations
 * that bring a private team's alerts.
 */
export async function checkRoutes(tx: Tx, caller: Caller, ...team_ids: (string | null)[]): Promise<void> {
  for (const team_id of new Set(team_ids)) {
    const team = team_id === null ? null : await readTeam(tx, caller.tenant_id, team_id)
    if (team) await checkManages(tx, caller, team)
  }
}
