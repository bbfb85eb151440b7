/**
 * The actions on one monitor: check it now, pause it for a while, resume it, edit it, copy it.
 * Deleting is kept apart, with the settings (DeleteMonitor.tsx).
 */
import { Button } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { Copy, Pause as PauseIcon, Pencil, Play, RefreshCw } from 'lucide-react'
import { useRef, useState } from 'react'
import { PUSHED } from '../../../../schemas/http/check-words.ts'
import { monitorQuery } from '../../api/lists.ts'
import { resumeMonitor } from '../../api/monitors.ts'
import { useMay } from '../../api/session.ts'
import type { Monitor } from '../../api/shapes.ts'
import { lateDialog } from '../../parts/late-dialog.tsx'
import { tellDone, tellRefused } from '../../parts/tell.ts'
import { useActions } from '../../shell/actions.ts'
import { useKeys } from '../../shell/keys.ts'
import { monitorPageText } from '../../texts/monitor-page.ts'
import { monitorsText } from '../../texts/monitors.ts'
import type { CheckNow } from './check-now.ts'

const PauseDialog = lateDialog(async () => (await import('./PauseDialog.tsx')).PauseDialog)

export function MonitorActions({ monitor, check }: { monitor: Monitor; check: CheckNow }) {
  const { id, name, status, type } = monitor
  const navigate = useNavigate()
  const queries = useQueryClient()
  const mayWrite = useMay('write')
  const [pausing, setPausing] = useState(false)
  const settle = (): void => {
    void queries.invalidateQueries({ queryKey: ['monitors'] })
    void queries.invalidateQueries({ queryKey: ['incidents'] })
  }
  const again = useRef<() => void>(() => undefined)
  const resume = useMutation({
    mutationFn: () => resumeMonitor(id),
    onSuccess: (resumed) => {
      queries.setQueryData(monitorQuery(id).queryKey, resumed)
      tellDone(monitorPageText('do.resumed', { name }))
    },
    onError: (error) => tellRefused(monitorPageText('do.resuming'), error, () => again.current()),
    onSettled: settle
  })
  again.current = resume.mutate
  const paused = status === 'paused'
  const toggle = (): void => (paused ? resume.mutate() : setPausing(true))
  useKeys({
    ...(mayWrite && { e: () => void navigate({ to: '/monitors/$id/edit', params: { id } }), p: toggle })
  })
  useActions(
    !mayWrite
      ? []
      : [
          ...(paused ? [] : [{ label: monitorsText('do.check', { name }), run: check.start }]),
          { label: monitorsText(paused ? 'do.resume' : 'do.pause', { name }), run: toggle },
          { label: monitorsText('do.edit', { name }), run: () => void navigate({ to: '/monitors/$id/edit', params: { id } }) },
          { label: monitorsText('do.clone', { name }), run: () => void navigate({ to: '/monitors/new', search: { from: id } }) }
        ]
  )
  if (!mayWrite) return null
  return (
    <>
      {!paused && type !== PUSHED && (
        <Button
          variant="default"
          leftSection={<RefreshCw size={15} aria-hidden />}
          loading={check.isAsking}
          disabled={check.isRunning && !check.isAsking}
          onClick={check.start}
        >
          {monitorPageText('do.check_now')}
        </Button>
      )}
      <Button
        variant={paused ? 'filled' : 'default'}
        leftSection={paused ? <Play size={15} aria-hidden /> : <PauseIcon size={15} aria-hidden />}
        loading={resume.isPending}
        aria-haspopup={paused ? undefined : 'dialog'}
        onClick={toggle}
      >
        {monitorPageText(paused ? 'do.resume' : 'do.pause')}
      </Button>
      <Button
        variant="default"
        leftSection={<Pencil size={15} aria-hidden />}
        renderRoot={(props) => <Link to="/monitors/$id/edit" params={{ id }} {...props} />}
      >
        {monitorPageText('do.edit')}
      </Button>
      <Button
        variant="default"
        leftSection={<Copy size={15} aria-hidden />}
        renderRoot={(props) => <Link to="/monitors/new" search={{ from: id }} {...props} />}
      >
        {monitorsText('clone.verb')}
      </Button>
      <PauseDialog monitor={monitor} opened={pausing} onClose={() => setPausing(false)} onPaused={settle} />
    </>
  )
}
