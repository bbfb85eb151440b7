/**
 * A choice of a time zone by its tz database name, with the person's zone and the browser's at the
 * top.
 */
import { browserZone, ownZone } from '../parts/clock.ts'
import { formsText } from '../texts/forms.ts'
import { Select } from './late-fields.tsx'

export interface ZoneSelectProps {
  value: string
  onChange: (zone: string) => void
  label?: string
  description?: string
  error?: string | undefined
  /** The label of a first choice that is no zone. Its value is the empty string. */
  first?: string
}

/**
 * A zone that this browser does not know stays in the list, because it was valid where it was set.
 */
function zones(value: string): string[] {
  return [...new Set([ownZone(), browserZone(), 'UTC', value, ...Intl.supportedValuesOf('timeZone')])].filter((zone) => zone !== '')
}

export function ZoneSelect({ value, onChange, label = formsText('zone.label'), first, ...others }: ZoneSelectProps) {
  const named = zones(value).map((zone) => ({ value: zone, label: zone }))
  return (
    <Select
      label={label}
      data={first === undefined ? named : [{ value: '', label: first }, ...named]}
      value={value}
      onChange={(zone) => zone !== null && onChange(zone)}
      searchable
      limit={100}
      nothingFoundMessage={formsText('zone.none')}
      {...others}
    />
  )
}
