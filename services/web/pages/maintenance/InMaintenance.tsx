/**
 * On a monitor's page: says that a maintenance window covers the monitor now, or will later today.
 */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { windowsOfMonitor } from '../../api/maintenance.ts'
import { Since, useNow } from '../../parts/Since.tsx'
import { Status } from '../../parts/Status.tsx'
import { maintenanceText } from '../../texts/maintenance.ts'
import { windowLooks } from './window-words.ts'

const SOON_MS = 24 * 3_600_000

export function InMaintenance({ monitor_id }: { monitor_id: string }) {
  const { data } = useQuery(windowsOfMonitor(monitor_id))
  const now = useNow(30)
  const items = data?.items ?? []
  const active = items.find(({ state }) => state === 'active')
  const next = items
    .filter(({ starts_at, state }) => state === 'scheduled' && starts_at !== null && Date.parse(starts_at) < now + SOON_MS)
    .sort((a, b) => (a.starts_at ?? '').localeCompare(b.starts_at ?? ''))[0]
  const shown = active ?? next
  if (!shown) return null
  const at = active ? active.ends_at : shown.starts_at
  return (
    <Link to="/maintenance/$id" params={{ id: shown.id }}>
      <Status look={windowLooks[shown.state]}>
        {maintenanceText(active ? 'mark.ends' : 'mark.begins')} {at !== null && <Since at={at} />}
      </Status>
    </Link>
  )
}
