/**
 * Above the list: selecting all that is shown, and what is done to what is selected. What came of
 * it stays until it is dismissed, or something else is done; what was not changed stays selected.
 */
import { ActionIcon, Button, Checkbox } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { CircleCheck, TriangleAlert, X } from 'lucide-react'
import { useRef, useState } from 'react'
import { actOnMany, useOfferUndo } from '../../api/incidents.ts'
import type { BulkAction, BulkAnswer, Incident } from '../../api/shapes.ts'
import { tellRefused } from '../../parts/tell.ts'
import { incidentBulkText } from '../../texts/incident-bulk.ts'
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
  const offerUndo = useOfferUndo()
  const count = selected.size
  const ids = [...selected]

  function tell(answer: BulkAnswer): void {
    const keys = new Map(incidents.map(({ id, key }) => [id, key]))
    setOutcome({ words: outcomeInWords(answer, (id) => keys.get(id) ?? id), good: answer.failed.length === 0 })
    selectOnly(answer.failed.map(({ id }) => id))
    void queries.invalidateQueries({ queryKey: ['incidents'] })
  }
  /** As they are before something is done to them. */
  const before = incidents.filter(({ id }) => selected.has(id))
  const again = useRef<(body: BulkAction) => void>(() => undefined)
  const { mutate, isPending } = useMutation({
    mutationFn: (body: BulkAction) => actOnMany(body),
    onMutate: () => {
      setOutcome(null)
      return before
    },
    onSuccess: (answer, _body, then) => {
      tell(answer)
      undoable(answer, 'acknowledge', then)
    },
    onError: (error, body) => tellRefused(incidentBulkText('bulk.refused'), error, () => again.current(body))
  })
  again.current = mutate
  function undoable({ changed }: BulkAnswer, action: 'acknowledge' | 'silence' | 'assign' | 'take', then: readonly Incident[]): void {
    const done = then.filter(({ id }) => changed.includes(id))
    if (done.length > 0) offerUndo({ action, before: done })
  }
  const ask = (action: AskedInBulk['action']): void => {
    setOutcome(null)
    setAsked({ action, ids, before })
  }
  const words = count === 0 ? incidentBulkText('bulk.none') : incidentBulkText('bulk.count', { count })

  return (
    <div className={classes.place} data-any={count > 0 || undefined}>
      <div className={classes.bar}>
        <span className={classes.all}>
          <Checkbox
            size="xs"
            aria-label={incidentBulkText('bulk.all')}
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
          {selecting ? incidentBulkText('bulk.select_done') : incidentBulkText('bulk.select')}
        </Button>
        {count > 0 && (
          <fieldset className={classes.actions}>
            <legend className="unseen">{incidentBulkText('bulk.label')}</legend>
            <Button size="compact-sm" loading={isPending} onClick={() => mutate({ ids, action: 'acknowledge' })}>
              {incidentBulkText('bulk.acknowledge')}
            </Button>
            <Button size="compact-sm" variant="default" onClick={() => ask('resolve')}>
              {incidentBulkText('bulk.resolve')}
            </Button>
            <Button size="compact-sm" variant="default" onClick={() => ask('assign')}>
              {incidentBulkText('bulk.assign')}
            </Button>
            <Button size="compact-sm" variant="default" onClick={() => ask('silence')}>
              {incidentBulkText('bulk.silence')}
            </Button>
            <Button size="compact-sm" variant="default" onClick={() => ask('unacknowledge')}>
              {incidentBulkText('bulk.hand_back')}
            </Button>
            <Button size="compact-sm" variant="default" onClick={() => ask('close')}>
              {incidentBulkText('bulk.close')}
            </Button>
            <Button size="compact-sm" variant="subtle" color="gray" className={classes.clear} onClick={() => selectAll(false)}>
              {incidentBulkText('bulk.clear')}
            </Button>
          </fieldset>
        )}
      </div>
      <div role="status">
        {outcome && (
          <p className={classes.outcome} data-good={outcome.good || undefined}>
            {outcome.good ? <CircleCheck size={16} aria-hidden /> : <TriangleAlert size={16} aria-hidden />}
            <span>{outcome.words}</span>
            <ActionIcon aria-label={incidentBulkText('bulk.dismiss')} onClick={() => setOutcome(null)}>
              <X size={15} aria-hidden />
            </ActionIcon>
          </p>
        )}
      </div>
      <BulkDialog
        asked={asked}
        onClose={() => setAsked(null)}
        onDone={(answer, undo) => {
          tell(answer)
          if (asked && undo) undoable(answer, undo, asked.before)
        }}
      />
    </div>
  )
}
