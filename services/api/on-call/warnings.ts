/**
 * Finds what is allowed but unusual about a schedule.
 * Source: docs/design/api/on-call.md#warnings.
 */
import type { ScheduleWarning } from '../../../schemas/http/on-call.ts'
import type { Definition } from '../../../schemas/http/on-call-words.ts'
import { scopesOfRole, seesAllTeams } from '../../../schemas/http/rights.ts'
import type { Shift } from '../../../streams/on-call/timeline.ts'
import { membersAmong } from '../../store/members.ts'
import { seeingAll, type Tx } from '../../store/pool.ts'
import { peopleOf } from '../../store/schedules.ts'
import { readTeam, readTeamRole } from '../../store/teams.ts'

const quoted = (names: readonly string[]): string =>
  names.slice(0, 5).join(', ') + (names.length > 5 ? ` and ${names.length - 5} more` : '')

/** `shifts` of the coming weeks. */
export async function scheduleWarnings(
  tx: Tx,
  tenant_id: string,
  team_id: string | null,
  definition: Definition,
  shifts: readonly Shift[]
): Promise<ScheduleWarning[]> {
  const warnings: ScheduleWarning[] = []
  const gaps = shifts.filter(({ fallback }) => fallback !== null)
  if (shifts.length > 0 && gaps.length === shifts.length)
    warnings.push({ code: 'only_gaps', path: 'layers', message: 'Nobody is on call in the weeks to come' })
  else if (gaps.length > 0)
    warnings.push({
      code: 'gaps',
      path: 'layers',
      message: `In the weeks to come nobody is on call at ${gaps.length} ${gaps.length === 1 ? 'time' : 'times'}`
    })
  const people = await membersAmong(tx, tenant_id, peopleOf(definition))
  const idle = [...people.values()].filter(({ role }) => !scopesOfRole[role].includes('incidents:act'))
  if (idle.length > 0)
    warnings.push({ code: 'cannot_act', path: 'layers', message: `May not acknowledge incidents: ${quoted(idle.map(({ name }) => name))}` })
  const team = team_id === null ? null : await readTeam(tx, tenant_id, team_id)
  if (team?.visibility === 'private') {
    const outside: string[] = []
    for (const [user_id, { role, name }] of people)
      if (!seesAllTeams(role) && (await seeingAll(tx, (tx) => readTeamRole(tx, tenant_id, team.team_id, user_id))) === null)
        outside.push(name)
    if (outside.length > 0)
      warnings.push({ code: 'not_in_team', path: 'team_id', message: `Do not see what the team owns: ${quoted(outside)}` })
  }
  return warnings
}
