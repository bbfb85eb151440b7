/** Links to other monitors, each with its status. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { monitorsQuery } from '../../api/lists.ts'
import { monitorLook, Status } from '../../parts/Status.tsx'
import classes from './Monitor.module.css'

/** Ids of the monitors that depend on this one. */
export function useChildren(id: string): string[] {
  const monitors = useQuery(monitorsQuery()).data?.items ?? []
  return monitors.filter(({ depends_on }) => depends_on.includes(id)).map((monitor) => monitor.id)
}

/** An id that is not in the list of monitors is not shown. */
export function MonitorLinks({ ids }: { ids: readonly string[] }) {
  const monitors = useQuery(monitorsQuery()).data?.items ?? []
  const shown = ids.flatMap((id) => monitors.filter((monitor) => monitor.id === id))
  return (
    <ul className={classes.plain}>
      {shown.map((monitor) => (
        <li key={monitor.id}>
          <Link to="/monitors/$id" params={{ id: monitor.id }}>
            {monitor.name}
          </Link>{' '}
          <Status look={monitorLook(monitor)} />
        </li>
      ))}
    </ul>
  )
}
