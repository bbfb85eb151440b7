/** The choices that a team field offers. Pure. */
import type { Team } from '../api/shapes.ts'
import { teamMarkText } from '../texts/team-marks.ts'

type Named = Pick<Team, 'id' | 'name' | 'visibility'>

export interface Choice {
  value: string
  label: string
}

const labelOf = ({ name, visibility }: Named): string =>
  visibility === 'private' ? `${name} (${teamMarkText('team.private').toLowerCase()})` : name

/**
 * Returns "none", then the offered teams in their order. `value` is always included, even if the
 * team is not offered or was deleted: a form must not change a field that nobody touched.
 */
export function teamChoices(offered: readonly Named[], all: readonly Named[], value: string, none = teamMarkText('team.none')): Choice[] {
  const choices = [{ value: '', label: none }, ...offered.map((team) => ({ value: team.id, label: labelOf(team) }))]
  if (choices.some((choice) => choice.value === value)) return choices
  const known = all.find(({ id }) => id === value)
  return [...choices, { value, label: known ? labelOf(known) : teamMarkText('team.deleted') }]
}
