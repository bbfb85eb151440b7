/**
 * A choice of the team that an object belongs to. The first choice is none, which means the whole
 * workspace.
 */
import { NativeSelect } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { teamsQuery } from '../api/lists.ts'
import type { Team } from '../api/shapes.ts'
import { teamMarkText } from '../texts/team-marks.ts'
import { teamChoices } from './team-choices.ts'

export interface TeamSelectProps {
  /** Id of a team; empty: none. */
  value: string
  onChange: (team_id: string) => void
  error?: string | undefined
  /** The teams to choose from, if these are not all that the person sees. */
  offered?: readonly Team[]
}

/** Draws nothing if there is nothing to choose: most workspaces begin without teams. */
export function TeamSelect({ value, onChange, error, offered }: TeamSelectProps) {
  const { data } = useQuery(teamsQuery)
  const teams = data?.items ?? []
  const choices = teamChoices(offered ?? teams, teams, value)
  if (choices.length === 1) return null
  const chosen = teams.find(({ id }) => id === value)
  const hint = chosen?.visibility === 'private' ? teamMarkText('select.private_hint', { name: chosen.name }) : null
  return (
    <NativeSelect
      label={teamMarkText('team.label')}
      description={hint ?? teamMarkText('select.open_hint')}
      data={choices}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      error={error}
    />
  )
}
