/** The end of a monitor. */
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { deleteMonitor } from '../../api/monitors.ts'
import type { Monitor } from '../../api/shapes.ts'
import { Confirm } from '../../parts/Confirm.tsx'
import { tellDone } from '../../parts/tell.ts'
import { monitorsText } from '../../texts/monitors.ts'

export function DeleteMonitor({ monitor: { id, name } }: { monitor: Monitor }) {
  const queries = useQueryClient()
  const navigate = useNavigate()
  return (
    <Confirm
      label={monitorsText('delete.label')}
      question={monitorsText('delete.question', { name })}
      verb={monitorsText('delete.verb')}
      act={async () => {
        await deleteMonitor(id)
        tellDone(monitorsText('delete.done', { name }))
        void navigate({ to: '/monitors' })
        queries.removeQueries({ queryKey: ['monitors', 'one', id] })
        void queries.invalidateQueries({ queryKey: ['monitors'] })
        void queries.invalidateQueries({ queryKey: ['incidents'] })
      }}
    >
      {monitorsText('delete.hint')}
    </Confirm>
  )
}
