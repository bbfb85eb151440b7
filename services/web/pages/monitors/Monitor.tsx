/** One monitor: up or down, for how long and why; then its history. */
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { monitorQuery } from '../../api/lists.ts'
import { PageHead } from '../../parts/Page.tsx'
import { Loading, Problem } from '../../parts/States.tsx'
import { History } from './History.tsx'

export function MonitorPage() {
  const { id } = useParams({ from: '/inside/monitors/$id' })
  const { data: monitor, error, refetch } = useQuery(monitorQuery(id))
  if (!monitor) return error ? <Problem error={error} retry={() => void refetch()} /> : <Loading rows={12} />
  return (
    <>
      <PageHead title={monitor.name} back={{ to: '/monitors', label: 'Monitors' }} answer={monitor.name} />
      <History monitor={monitor} />
    </>
  )
}
