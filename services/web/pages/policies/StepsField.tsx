/**
 * The steps of a policy in their order. A step is moved with its buttons, or dragged by its handle.
 * Screen readers are told its new place.
 */
import { ActionIcon, Button } from '@mantine/core'
import { ChevronDown, ChevronUp, GripVertical, Plus, X } from 'lucide-react'
import { type DragEvent, useState } from 'react'
import { MAX_STEPS } from '../../../../schemas/http/escalation-words.ts'
import { Group } from '../../forms/Form.tsx'
import { ownZone } from '../../parts/clock.ts'
import { policiesText } from '../../texts/policies.ts'
import classes from './PolicyForm.module.css'
import type { PolicyFormState } from './PolicyForm.tsx'
import { newStep, offsetsOf, placed, type StepRow } from './policy-values.ts'
import { dueInWords } from './policy-words.ts'
import { StepFields } from './StepFields.tsx'
import { useTargets } from './targets.ts'

export function StepsField({ form }: { form: PolicyFormState }) {
  const { steps } = form.values
  const [said, setSaid] = useState('')
  const [dragged, setDragged] = useState<number | null>(null)
  const targets = useTargets()
  const offsets = offsetsOf(steps)
  const set = (next: readonly StepRow[]): void => form.set({ steps: next })

  function move(from: number, to: number): void {
    const next = placed(steps, from, to)
    if (next === steps) return
    set(next)
    setSaid(policiesText('form.moved', { from: from + 1, to: to + 1, count: steps.length }))
  }
  function drop(event: DragEvent, to: number): void {
    event.preventDefault()
    if (dragged !== null) move(dragged, to)
    setDragged(null)
  }
  return (
    <Group title={policiesText('form.steps')} hint={policiesText('form.steps_hint', { count: MAX_STEPS })}>
      <ol className={classes.steps} aria-label={policiesText('form.steps')}>
        {steps.map((step, at) => (
          <li
            key={step.key}
            className={classes.step}
            data-dragged={dragged === at || undefined}
            onDragOver={(event) => dragged !== null && event.preventDefault()}
            onDrop={(event) => drop(event, at)}
          >
            <Head
              at={at}
              offset={offsets[at] ?? Number.NaN}
              count={steps.length}
              move={(to) => move(at, to)}
              remove={() => set(steps.filter((one) => one !== step))}
              drag={(isDragged) => setDragged(isDragged ? at : null)}
            />
            <StepFields
              step={step}
              at={at}
              targets={targets}
              fault={(field) => form.fault(`steps[${at}].${field}`)}
              left={(field) => form.left(`steps[${at}].${field}`)}
              onChange={(change) => set(steps.map((one) => (one === step ? { ...one, ...change } : one)))}
            />
          </li>
        ))}
      </ol>
      <p className="unseen" role="status">
        {said}
      </p>
      {steps.length < MAX_STEPS ? (
        <div>
          <Button
            variant="default"
            leftSection={<Plus size={15} aria-hidden />}
            onClick={() => set([...steps, newStep(steps.length === 0, ownZone())])}
          >
            {policiesText('form.add_step')}
          </Button>
        </div>
      ) : (
        <p className={classes.hint} role="status">
          {policiesText('form.steps_full', { count: MAX_STEPS })}
        </p>
      )}
    </Group>
  )
}

interface HeadProps {
  at: number
  /** Seconds after the incident opens; NaN while that is not known. */
  offset: number
  count: number
  move: (to: number) => void
  remove: () => void
  drag: (isDragged: boolean) => void
}

function Head({ at, offset, count, move, remove, drag }: HeadProps) {
  const step = at + 1
  return (
    <div className={classes.head}>
      {count > 1 && (
        // biome-ignore lint/a11y/noStaticElementInteractions: the buttons beside it do the same by the keyboard
        <span
          className={classes.handle}
          draggable
          title={policiesText('form.drag', { step })}
          onDragStart={(event) => {
            event.dataTransfer.effectAllowed = 'move'
            event.dataTransfer.setData('text/plain', String(step))
            drag(true)
          }}
          onDragEnd={() => drag(false)}
        >
          <GripVertical size={17} aria-hidden />
        </span>
      )}
      <h3>{policiesText('step.name', { step })}</h3>
      <span className={classes.due}>{Number.isNaN(offset) ? '' : dueInWords({ offset_seconds: offset, cycle: 0 })}</span>
      {count > 1 && (
        <span className={classes.moves}>
          <ActionIcon aria-label={policiesText('form.up', { step })} disabled={at === 0} onClick={() => move(at - 1)}>
            <ChevronUp size={17} aria-hidden />
          </ActionIcon>
          <ActionIcon aria-label={policiesText('form.down', { step })} disabled={step === count} onClick={() => move(at + 1)}>
            <ChevronDown size={17} aria-hidden />
          </ActionIcon>
          <ActionIcon aria-label={policiesText('form.remove', { step })} onClick={remove}>
            <X size={16} aria-hidden />
          </ActionIcon>
        </span>
      )}
    </div>
  )
}
