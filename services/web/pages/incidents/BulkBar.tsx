/**
 * The bar above the list: it selects all incidents shown and acts on the selected ones. The result
 * stays until it is dismissed or the next action is done. Incidents that were not changed stay
 * selected.
 */
import { Button } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { actOnMany, useOfferUndo } from '../../api/incidents.ts'
import type { BulkAction, BulkAnswer, Incident } from '../../api/shapes.ts'
import { BulkFrame, type Outcome } from '../../parts/BulkFrame.tsx'
import { outcomeInWords } from '../../parts/bulk-words.ts'
import type { Selection } from '../../parts/selection.ts'
import { tellRefused } from '../../parts/tell.ts'
import { incidentBulkText } from '../../texts/incident-bulk.ts'
import type { AskedInBulk } from './BulkDialog.tsx'
import { BulkDialog } from './dialogs.tsx'

export function BulkBar({ selection }: { selection: Selection<Incident> }) {
  const { things: incidents, selected, selectOnly } = selection
  const queries = useQueryClient()
  const [asked, setAsked] = useState<AskedInBulk | null>(null)
  const [outcome, setOutcome] = useState<Outcome | null>(null)
  const offerUndo = useOfferUndo()
  const ids = [...selected]

  function tell(answer: BulkAnswer): void {
    const keys = new Map(incidents.map(({ id, key }) => [id, key]))
    setOutcome({ words: outcomeInWords(answer, (id) => keys.get(id) ?? id), good: answer.failed.length === 0 })
    selectOnly(answer.failed.map(({ id }) => id))
    void queries.invalidateQueries({ queryKey: ['incidents'] })
  }
  /** The incidents as they are before the action. */
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

  return (
    <>
      <BulkFrame selection={selection} label={incidentBulkText('bulk.label')} outcome={outcome} dismiss={() => setOutcome(null)}>
        <Button size="compact-sm" loading={isPending} onClick={() => mutate({ ids, action: 'acknowledge' })}>
          {incidentBulkText('bulk.acknowledge')}
        </Button>
        <Button size="compact-sm" variant="default" aria-haspopup="dialog" onClick={() => ask('resolve')}>
          {incidentBulkText('bulk.resolve')}
        </Button>
        <Button size="compact-sm" variant="default" aria-haspopup="dialog" onClick={() => ask('assign')}>
          {incidentBulkText('bulk.assign')}
        </Button>
        <Button size="compact-sm" variant="default" aria-haspopup="dialog" onClick={() => ask('silence')}>
          {incidentBulkText('bulk.silence')}
        </Button>
        <Button size="compact-sm" variant="default" aria-haspopup="dialog" onClick={() => ask('unacknowledge')}>
          {incidentBulkText('bulk.hand_back')}
        </Button>
        <Button size="compact-sm" variant="default" aria-haspopup="dialog" onClick={() => ask('close')}>
          {incidentBulkText('bulk.close')}
        </Button>
      </BulkFrame>
      <BulkDialog
        asked={asked}
        onClose={() => setAsked(null)}
        onDone={(answer, undo) => {
          tell(answer)
          if (asked && undo) undoable(answer, undo, asked.before)
        }}
      />
    </>
  )
}
