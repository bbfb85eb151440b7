/** One incident of a team, looked for by its title while somebody types. */
import { Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { incidentsQuery } from '../../api/lists.ts'
import type { Incident } from '../../api/shapes.ts'

const SHOWN = 20
const TYPING_MS = 250

export interface ChosenIncident {
  value: string
  label: string
}

export interface IncidentSelectProps {
  label: string
  hint: string
  /** Where there is none to choose. */
  nothing: string
  chosen: ChosenIncident | null
  onChoose: (chosen: ChosenIncident | null) => void
  onlyOngoing: boolean
  /** Whose it must be. */
  of: Pick<Incident, 'team_id' | 'visibility'>
  /** Id of one that cannot be chosen. */
  but?: string
  error: string | null | undefined
}

export function IncidentSelect({ label, hint, nothing, chosen, onChoose, onlyOngoing, of, but, error }: IncidentSelectProps) {
  const [typed, setTyped] = useState('')
  const [q] = useDebouncedValue(typed.trim(), TYPING_MS)
  const { data } = useQuery(
    incidentsQuery({ ...(onlyOngoing && { status: ['ongoing'] }), ...(q.length >= 2 && { q: q.slice(0, 100) }), per_page: SHOWN })
  )
  const found = (data?.items ?? [])
    .filter(({ id, team_id, visibility, merged_into }) => {
      return id !== but && merged_into === null && team_id === of.team_id && visibility === of.visibility
    })
    .map(({ id, key, title }) => ({ value: id, label: `${key} ${title}` }))
  // What was chosen stays a choice when something else is looked for.
  const choices = chosen && !found.some(({ value }) => value === chosen.value) ? [chosen, ...found] : found
  return (
    <Select
      label={label}
      description={data && choices.length === 0 ? nothing : hint}
      data={choices}
      value={chosen?.value ?? null}
      onChange={(_value, option) => onChoose(option)}
      searchable
      searchValue={typed}
      onSearchChange={setTyped}
      // The api has looked already.
      filter={({ options }) => options}
      error={error}
      openOnFocus={false}
      data-autofocus
    />
  )
}
