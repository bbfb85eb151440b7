/**
 * Shifts that somebody wants to give away: a person asks, takes one over, or withdraws the request.
 */
import { Button, TextInput } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { askSwap, readSchedulesAgain, swapsQuery, takeSwap, withdrawSwap } from '../../api/on-call.ts'
import { useMay, useSession } from '../../api/session.ts'
import type { Schedule, ShiftItem, Swap } from '../../api/shapes.ts'
import { Form } from '../../forms/Form.tsx'
import { useForm } from '../../forms/useForm.ts'
import { serverNow } from '../../live/server-clock.ts'
import { Confirm } from '../../parts/Confirm.tsx'
import { LateModal } from '../../parts/LateModal.tsx'
import { Section } from '../../parts/Page.tsx'
import { tellDone } from '../../parts/tell.ts'
import { onCallText } from '../../texts/on-call.ts'
import classes from '../settings/List.module.css'
import { useNameOf } from './people.ts'
import { dayTimeIn, fieldOf, knownZone, ofField } from './zone-days.ts'

/** Shows nothing if there are no open swaps. */
export function OpenSwaps({ schedule: { id, time_zone } }: { schedule: Schedule }) {
  const { data } = useQuery(swapsQuery(id))
  if (!data || data.items.length === 0) return null
  return (
    <Section title={onCallText('swap.list')}>
      <ul className={classes.list} aria-label={onCallText('swap.list')}>
        {[...data.items].reverse().map((swap) => (
          <SwapRow key={swap.id} swap={swap} zone={knownZone(time_zone)} />
        ))}
      </ul>
    </Section>
  )
}

/** `schedule` is its name, given where the list has swaps of several schedules. */
export function SwapRow({ swap, zone, schedule }: { swap: Swap; zone: string; schedule?: string }) {
  const { id, user_id, starts_at, ends_at, note } = swap
  const nameOf = useNameOf()
  const { user } = useSession()
  const mayWrite = useMay('write')
  const mayAct = useMay('act')
  const mine = user_id === user?.id
  const name = nameOf(user_id)
  return (
    <li className={classes.row}>
      <div>
        <p className={classes.name}>{mine ? onCallText('swap.you_ask') : onCallText('swap.asks', { name })}</p>
        <p className={classes.facts}>
          {schedule !== undefined && <span>{schedule}</span>}
          <span>{onCallText('shift.span', { from: dayTimeIn(zone, starts_at), to: dayTimeIn(zone, ends_at) })}</span>
          {note !== '' && <span className={classes.line}>{note}</span>}
        </p>
      </div>
      <div className={classes.actions}>
        {!mine && mayAct && <Act id={id} verb="take" name={name} />}
        {(mine || mayWrite) && <Act id={id} verb="withdraw" name={name} />}
      </div>
    </li>
  )
}

function Act({ id, verb, name }: { id: string; verb: 'take' | 'withdraw'; name: string }) {
  const queries = useQueryClient()
  return (
    <Confirm
      label={onCallText(`swap.${verb}`)}
      aria-label={onCallText(`swap.${verb}_one`, { name })}
      question={onCallText(`swap.${verb}_question`)}
      verb={onCallText(`swap.${verb}`)}
      act={async () => {
        try {
          await (verb === 'take' ? takeSwap(id) : withdrawSwap(id))
        } finally {
          // If the request was refused, somebody was quicker: the lists are read again.
          void readSchedulesAgain(queries)
        }
        tellDone(onCallText(`swap.${verb}_done`))
      }}
    >
      {onCallText(`swap.${verb}_hint`)}
    </Confirm>
  )
}

export interface AskSwapProps {
  schedule: Pick<Schedule, 'id' | 'time_zone'>
  shift: Pick<ShiftItem, 'starts_at' | 'ends_at'>
  onDone?: () => void
}

export function AskSwap({ schedule, shift, onDone }: AskSwapProps) {
  const [opened, setOpened] = useState(false)
  return (
    <>
      <Button variant="default" aria-haspopup="dialog" onClick={() => setOpened(true)}>
        {onCallText('swap.open')}
      </Button>
      <LateModal opened={opened} onClose={() => setOpened(false)} title={onCallText('swap.title')}>
        <AskForm
          schedule={schedule}
          shift={shift}
          onClose={() => setOpened(false)}
          onDone={() => {
            setOpened(false)
            onDone?.()
          }}
        />
      </LateModal>
    </>
  )
}

function AskForm({ schedule, shift, onClose, onDone }: AskSwapProps & { onClose: () => void; onDone: () => void }) {
  const queries = useQueryClient()
  const zone = knownZone(schedule.time_zone)
  const instant = (field: string): string => {
    const at = ofField(zone, field)
    return at === null ? '' : new Date(at).toISOString()
  }
  const form = useForm({
    initial: {
      starts: fieldOf(zone, Math.max(Date.parse(shift.starts_at), serverNow())),
      ends: fieldOf(zone, Date.parse(shift.ends_at)),
      note: ''
    },
    schema: async () => (await import('../../../../schemas/http/on-call.ts')).CreateSwapBody,
    toBody: ({ starts, ends, note }) => ({
      schedule_id: schedule.id,
      starts_at: instant(starts),
      ends_at: instant(ends),
      note: note.trim()
    }),
    save: askSwap,
    onSaved: () => {
      void readSchedulesAgain(queries)
      tellDone(onCallText('swap.asked'))
      onDone()
    }
  })
  const { values, set, fault } = form
  return (
    <Form form={form} verb={onCallText('swap.ask')} onCancel={onClose}>
      <p className={classes.note}>{onCallText('swap.how')}</p>
      <TextInput
        type="datetime-local"
        label={onCallText('override.from')}
        description={onCallText('override.zone', { zone })}
        value={values.starts}
        onChange={(event) => set({ starts: event.currentTarget.value })}
        error={fault('starts_at')}
      />
      <TextInput
        type="datetime-local"
        label={onCallText('override.to')}
        value={values.ends}
        onChange={(event) => set({ ends: event.currentTarget.value })}
        error={fault('ends_at')}
      />
      <TextInput
        label={onCallText('swap.note')}
        value={values.note}
        maxLength={500}
        onChange={(event) => set({ note: event.currentTarget.value })}
        error={fault('note')}
        data-autofocus
      />
    </Form>
  )
}
