/** A time zone by its name in the tz database, with the browser's own at the top. */
import { Select } from './late-fields.tsx'

export const browserZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone

export interface ZoneSelectProps {
  value: string
  onChange: (zone: string) => void
  label?: string
  description?: string
  error?: string | undefined
}

/** A name that this browser does not know stays in the list: it was valid where it was set. */
function zones(value: string): string[] {
  return [...new Set([browserZone(), 'UTC', value, ...Intl.supportedValuesOf('timeZone')])]
}

export function ZoneSelect({ value, onChange, label = 'Time zone', ...others }: ZoneSelectProps) {
  return (
    <Select
      label={label}
      data={zones(value)}
      value={value}
      onChange={(zone) => zone !== null && onChange(zone)}
      searchable
      limit={100}
      nothingFoundMessage="No such time zone"
      {...others}
    />
  )
}
