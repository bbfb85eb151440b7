/** Narrows a list to the objects of one team. It draws nothing if there are no teams. */
import { NativeSelect } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { teamsQuery } from '../api/lists.ts'
import { teamChoices } from '../forms/team-choices.ts'
import { teamMarkText } from '../texts/team-marks.ts'

export interface TeamFilterProps {
  team_id: string | undefined
  change: (team_id: string | undefined) => void
  className?: string | undefined
}

export function TeamFilter({ team_id = '', change, className }: TeamFilterProps) {
  const { data } = useQuery(teamsQuery)
  const teams = data?.items ?? []
  if (teams.length === 0 && team_id === '') return null
  return (
    <NativeSelect
      className={className}
      aria-label={teamMarkText('team.label')}
      data={teamChoices(teams, teams, team_id, teamMarkText('team.any'))}
      value={team_id}
      onChange={(event) => change(event.currentTarget.value || undefined)}
    />
  )
}
