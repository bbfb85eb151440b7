/**
 * Above the list: selecting all that is shown, and what is done to what is selected. What came of
 * it stays until it is dismissed, or something else is done; what was not changed stays selected.
 */
import { ActionIcon, Button, Checkbox } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { CircleCheck, TriangleAlert, X } from 'lucide-react'
import { useRef, useState } from 'react'
import { actOnMany } from '../../api/incidents.ts'
import type { BulkAction, BulkAnswer } from '../../api/shapes.ts'
import { tellRefused } from '../../parts/tell.ts'
import { incidentsText } from '../../texts/incidents.ts'
import classes from './BulkBar.module.css'
import type { AskedInBulk } from './BulkDialog.tsx'
import { outcomeInWords } from './bulk-words.ts'
import { BulkDialog } from './dialogs.tsx'
import type { Selection } from './selection.ts'

interface Outcome {
  words: string
  good: boolean
}

export function BulkBar({ selection }: { selection: Selection }) {
  const { incidents, selected, selectAll, selectOnly, selecting, setSelecting } = selection
  const queries = useQueryClient()
  const [asked, setAsked] = useState<AskedInBulk | null>(null)
  const [outcome, setOutcome] = useState<Outcome | null>(null)
  const count = selected.size
  const ids = [...selected]

  function tell(answer: BulkAnswer): void {
    const keys = new Map(incidents.map(({ id, key }) => [id, key]))
    setOutcome({ words: outcomeInWords(answer, (id) => keys.get(id) ?? id), good: answer.failed.length === 0 })
    selectOnly(answer.failed.map(({ id }) => id))
    void queries.invalidateQueries({ queryKey: ['incidents'] })
  }
  const again = useRef<(body: BulkAction) => void>(() => undefined)
  const { mutate, isPending } = useMutation({
    mutationFn: (body: BulkAction) => actOnMany(body),
    onMutate: () => setOutcome(null),
    onSuccess: tell,
    onError: (error, body) => tellRefused(incidentsText('bulk.refused'), error, () => again.current(body))
  })
  again.current = mutate
  const ask = (action: AskedInBulk['action']): void => {
    setOutcome(null)
    setAsked({ action, ids })
  }
  const words = count === 0 ? incidentsText('bulk.none') : incidentsText('bulk.count', { count })

  return (
    <div className={classes.place} data-any={count > 0 || undefined}>
      <div className={classes.bar}>
        <span className={classes.all}>
          <Checkbox
            size="xs"
            aria-label={incidentsText('bulk.all')}
            checked={count > 0 && count === incidents.length}
            indeterminate={count > 0 && count < incidents.length}
            onChange={(event) => selectAll(event.currentTarget.checked)}
          />
          <span aria-live="polite">{words}</span>
        </span>
        <Button
          variant="default"
          className={classes.toggle}
          aria-pressed={selecting}
          onClick={() => {
            setSelecting(!selecting)
            if (selecting) selectAll(false)
          }}
        >
          {selecting ? incidentsText('bulk.select_done') : incidentsText('bulk.select')}
        </Button>
        {count > 0 && (
          <fieldset className={classes.actions}>
            <legend className="unseen">{incidentsText('bulk.label')}</legend>
            <Button size="compact-sm" loading={isPending} onClick={() => mutate({ ids, action: 'acknowledge' })}>
              {incidentsText('bulk.acknowledge')}
            </Button>
            <Button size="compact-sm" variant="default" onClick={() => ask('resolve')}>
              {incidentsText('bulk.resolve')}
            </Button>
            <Button size="compact-sm" variant="default" onClick={() => ask('assign')}>
              {incidentsText('bulk.assign')}
            </Button>
            <Button size="compact-sm" variant="default" onClick={() => ask('unacknowledge')}>
              {incidentsText('bulk.hand_back')}
            </Button>
            <Button size="compact-sm" variant="subtle" color="gray" className={classes.clear} onClick={() => selectAll(false)}>
              {incidentsText('bulk.clear')}
            </Button>
          </fieldset>
        )}
      </div>
      <div role="status">
        {outcome && (
          <p className={classes.outcome} data-good={outcome.good || undefined}>
            {outcome.good ? <CircleCheck size={16} aria-hidden /> : <TriangleAlert size={16} aria-hidden />}
            <span>{outcome.words}</span>
            <ActionIcon aria-label={incidentsText('bulk.dismiss')} onClick={() => setOutcome(null)}>
              <X size={15} aria-hidden />
            </ActionIcon>
          </p>
        )}
      </div>
      <BulkDialog asked={asked} onClose={() => setAsked(null)} onDone={tell} />
    </div>
  )
}
