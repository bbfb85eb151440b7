/** The bar above the list of monitors, with the actions on the selected ones. */
import { Button } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Suspense, useRef, useState } from 'react'
import { changeMonitors } from '../../api/monitors.ts'
import type { Monitor, MonitorBulkAnswer } from '../../api/shapes.ts'
import { BulkFrame, type Outcome } from '../../parts/BulkFrame.tsx'
import { outcomeInWords } from '../../parts/bulk-words.ts'
import { lazyPart } from '../../parts/part.ts'
import type { Selection } from '../../parts/selection.ts'
import { tellRefused } from '../../parts/tell.ts'
import { useWanted } from '../../parts/use-wanted.ts'
import { monitorBulkText } from '../../texts/monitor-bulk.ts'
import type { AskedOfMonitors } from './MonitorBulkDialog.tsx'

const Dialog = lazyPart(() => import('./MonitorBulkDialog.tsx').then(({ MonitorBulkDialog }) => MonitorBulkDialog))

export function MonitorBulkBar({ selection }: { selection: Selection<Monitor> }) {
  const { things, selected, selectOnly } = selection
  const queries = useQueryClient()
  const [asked, setAsked] = useState<AskedOfMonitors | null>(null)
  const [outcome, setOutcome] = useState<Outcome | null>(null)
  const wanted = useWanted(asked !== null)
  const ids = [...selected]

  function tell(answer: MonitorBulkAnswer): void {
    const names = new Map(things.map(({ id, name }) => [id, name]))
    setOutcome({ words: outcomeInWords(answer, (id) => names.get(id) ?? id), good: answer.failed.length === 0 })
    selectOnly(answer.failed.map(({ id }) => id))
    void queries.invalidateQueries({ queryKey: ['monitors'] })
    void queries.invalidateQueries({ queryKey: ['incidents'] })
  }
  const again = useRef<() => void>(() => undefined)
  const resume = useMutation({
    mutationFn: () => changeMonitors({ ids, action: 'resume' }),
    onMutate: () => setOutcome(null),
    onSuccess: tell,
    onError: (error) => tellRefused(monitorBulkText('many.refused'), error, () => again.current())
  })
  again.current = resume.mutate
  const ask = (action: AskedOfMonitors['action']): void => {
    setOutcome(null)
    setAsked({ action, ids })
  }
  return (
    <>
      <BulkFrame selection={selection} label={monitorBulkText('many.label')} outcome={outcome} dismiss={() => setOutcome(null)}>
        <Button size="compact-sm" variant="default" aria-haspopup="dialog" onClick={() => ask('pause')}>
          {monitorBulkText('many.pause')}
        </Button>
        <Button size="compact-sm" variant="default" loading={resume.isPending} onClick={() => resume.mutate()}>
          {monitorBulkText('many.resume')}
        </Button>
        <Button size="compact-sm" variant="default" aria-haspopup="dialog" onClick={() => ask('tags')}>
          {monitorBulkText('many.tags')}
        </Button>
        <Button size="compact-sm" variant="default" aria-haspopup="dialog" onClick={() => ask('team')}>
          {monitorBulkText('many.team')}
        </Button>
        <Button size="compact-sm" variant="default" aria-haspopup="dialog" onClick={() => ask('group')}>
          {monitorBulkText('many.group')}
        </Button>
        <Button size="compact-sm" variant="default" aria-haspopup="dialog" onClick={() => ask('interval')}>
          {monitorBulkText('many.interval')}
        </Button>
        <Button size="compact-sm" variant="default" color="red.9" aria-haspopup="dialog" onClick={() => ask('delete')}>
          {monitorBulkText('many.delete')}
        </Button>
      </BulkFrame>
      {wanted && (
        <Suspense fallback={null}>
          <Dialog asked={asked} onClose={() => setAsked(null)} onDone={tell} />
        </Suspense>
      )}
    </>
  )
}
