/**
 * After an action on incidents, shows a message with an undo button for ten seconds. Loaded after
 * the first such action.
 */
import { Button } from '@mantine/core'
import type { QueryClient } from '@tanstack/react-query'
import { actOnMany, edit } from '../../api/incidents.ts'
import type { BulkAnswer } from '../../api/shapes.ts'
import { hideNotice, showNotice } from '../../parts/notices.ts'
import { tellDone, tellRefused } from '../../parts/tell.ts'
import { statesText } from '../../texts/states.ts'
import { undoText } from '../../texts/undo.ts'
import classes from './undo.module.css'
import { type Done, type Step, undoSteps } from './undo-steps.ts'

/** Enough time to read the message, understand it, and reach for the button. */
const OFFERED_MS = 10_000

const whatOf = ({ before }: Done): string => {
  const [first] = before
  return before.length === 1 && first ? first.key : undoText('done.some', { count: before.length })
}

/** Returns the refusals, in the server's words. */
async function perform(step: Step): Promise<BulkAnswer['failed']> {
  if ('bulk' in step) return (await actOnMany(step.bulk)).failed
  await edit(step.id, step.edit)
  return []
}

async function undo(queries: QueryClient, steps: readonly Step[]): Promise<void> {
  try {
    const failed: BulkAnswer['failed'] = []
    for (const step of steps) failed.push(...(await perform(step)))
    if (failed.length === 0) tellDone(undoText('undo.done'))
    else tellDone(undoText('undo.partly', { reasons: failed.map(({ error }) => error).join(', ') }), 'bad')
  } catch (error) {
    tellRefused(undoText('undo.refused'), error)
  } finally {
    void queries.invalidateQueries({ queryKey: ['incidents'] })
    void queries.invalidateQueries({ queryKey: ['alerts'] })
  }
}

export function offerUndo(queries: QueryClient, done: Done): void {
  const steps = undoSteps(done, Date.now())
  if (steps.length === 0) return
  const id = `undo-${crypto.randomUUID()}`
  showNotice({
    id,
    message: (
      <span className={classes.line}>
        <span>{undoText(`done.${done.action}`, { what: whatOf(done) })}</span>
        <Button
          variant="default"
          size="compact-sm"
          onClick={() => {
            hideNotice(id)
            void undo(queries, steps)
          }}
        >
          {undoText('undo.verb')}
        </Button>
      </span>
    ),
    color: 'green',
    autoClose: OFFERED_MS,
    closeButtonProps: { 'aria-label': statesText('toast.dismiss') }
  })
}
