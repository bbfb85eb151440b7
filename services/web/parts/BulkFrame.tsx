/**
 * The bar above a list for bulk actions: it selects all shown rows, offers actions on the selected
 * ones, and shows the outcome. The outcome stays until it is dismissed or another action runs.
 */
import { ActionIcon, Button, Checkbox } from '@mantine/core'
import { CircleCheck, TriangleAlert, X } from 'lucide-react'
import type { ReactNode } from 'react'
import { bulkText } from '../texts/bulk.ts'
import classes from './BulkFrame.module.css'
import type { Selection } from './selection.ts'

export interface Outcome {
  words: string
  good: boolean
}

export interface BulkFrameProps<Thing extends { id: string }> {
  selection: Selection<Thing>
  /** What the buttons are for, in words. */
  label: string
  outcome: Outcome | null
  dismiss: () => void
  /** The action buttons, shown while at least one row is selected. */
  children: ReactNode
}

export function BulkFrame<Thing extends { id: string }>({ selection, label, outcome, dismiss, children }: BulkFrameProps<Thing>) {
  const { things, selected, selectAll, selecting, setSelecting } = selection
  const count = selected.size
  const words = count === 0 ? bulkText('bulk.none') : bulkText('bulk.count', { count })
  return (
    <div className={classes.place} data-any={count > 0 || undefined}>
      <div className={classes.bar}>
        <span className={classes.all}>
          <Checkbox
            size="xs"
            aria-label={bulkText('bulk.all')}
            checked={count > 0 && count === things.length}
            indeterminate={count > 0 && count < things.length}
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
          {selecting ? bulkText('bulk.select_done') : bulkText('bulk.select')}
        </Button>
        {count > 0 && (
          <fieldset className={classes.actions}>
            <legend className="unseen">{label}</legend>
            {children}
            <Button size="compact-sm" variant="subtle" color="gray" className={classes.clear} onClick={() => selectAll(false)}>
              {bulkText('bulk.clear')}
            </Button>
          </fieldset>
        )}
      </div>
      <div role="status">
        {outcome && (
          <p className={classes.outcome} data-good={outcome.good || undefined}>
            {outcome.good ? <CircleCheck size={16} aria-hidden /> : <TriangleAlert size={16} aria-hidden />}
            <span>{outcome.words}</span>
            <ActionIcon aria-label={bulkText('bulk.dismiss')} onClick={dismiss}>
              <X size={15} aria-hidden />
            </ActionIcon>
          </p>
        )}
      </div>
    </div>
  )
}
