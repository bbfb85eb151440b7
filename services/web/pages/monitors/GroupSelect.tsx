/** Chooses the group of a monitor. Shows nothing when there is no group to choose. */
import { NativeSelect } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { monitorGroupsQuery } from '../../api/monitor-groups.ts'
import { monitorGroupsText } from '../../texts/monitor-groups.ts'

export interface GroupSelectProps {
  /** Id of a group. Empty: none. */
  value: string
  onChange: (group_id: string) => void
  error?: string | undefined
}

export function GroupSelect({ value, onChange, error }: GroupSelectProps) {
  const { data } = useQuery(monitorGroupsQuery)
  const groups = data?.items ?? []
  if (groups.length === 0) return null
  return (
    <NativeSelect
      label={monitorGroupsText('group.label')}
      data={[{ value: '', label: monitorGroupsText('group.no_group') }, ...groups.map(({ id, name }) => ({ value: id, label: name }))]}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      error={error}
    />
  )
}
