/** A field to choose one incident of a team by searching its title. */
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
  /** The text when there is no incident to choose. */
  nothing: string
  chosen: ChosenIncident | null
  onChoose: (chosen: ChosenIncident | null) => void
  onlyOngoing: boolean
  /** Offers only incidents of this team and visibility. */
  of: Pick<Incident, 'team_id' | 'visibility'>
  /** Id of an incident that cannot be chosen. */
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
  // The chosen incident stays among the choices during another search.
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
      // The api has already searched, so the field filters nothing.
      filter={({ options }) => options}
      error={error}
      openOnFocus={false}
      data-autofocus
    />
  )
}
