/** The name of a monitor's group, as a link to the monitors of the group. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { monitorGroupsQuery } from '../../api/monitor-groups.ts'

export function GroupLink({ id }: { id: string }) {
  const { data } = useQuery(monitorGroupsQuery)
  const name = data?.items.find((group) => group.id === id)?.name
  return (
    <Link to="/monitors" search={{ group: id }}>
      {name ?? id}
    </Link>
  )
}
