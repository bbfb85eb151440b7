/**
 * Puts another person, or nobody, on call for a while. It has two fields for the times, which a
 * span marked in the calendar fills in. A person who may not write can only take shifts over
 * themselves.
 */
import { NativeSelect, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { createOverride, readSchedulesAgain } from '../../api/on-call.ts'
import { useMay, useSession } from '../../api/session.ts'
import type { Schedule } from '../../api/shapes.ts'
import { Form } from '../../forms/Form.tsx'
import { useForm } from '../../forms/useForm.ts'
import { LateModal } from '../../parts/LateModal.tsx'
import { tellDone } from '../../parts/tell.ts'
import { onCallText } from '../../texts/on-call.ts'
import { useNameOf, usePeople } from './people.ts'
import { dayTimeIn, fieldOf, knownZone } from './zone-days.ts'

/** What the dialog starts with. Times are epoch ms. */
export interface Asked {
  from: number
  to: number
  /** Who is to be replaced; null: whoever is on call. */
  replaces?: string | null
}

const NOBODY = 'nobody'

export interface OverrideDialogProps {
  schedule: Schedule
  /** null: it is closed. */
  asked: Asked | null
  onClose: () => void
}

export function OverrideDialog({ schedule, asked, onClose }: OverrideDialogProps) {
  return (
    <LateModal opened={asked !== null} onClose={onClose} title={onCallText('override.title')}>
      {asked && <OverrideForm schedule={schedule} asked={asked} onClose={onClose} />}
    </LateModal>
  )
}

function OverrideForm({ schedule: { id, time_zone, layers }, asked, onClose }: OverrideDialogProps & { asked: Asked }) {
  const queries = useQueryClient()
  const { user } = useSession()
  const mayWrite = useMay('write')
  const nameOf = useNameOf()
  const people = usePeople()
  const zone = knownZone(time_zone)
  const form = useForm({
    initial: {
      user_id: user?.id ?? '',
      starts: fieldOf(zone, asked.from),
      ends: fieldOf(zone, asked.to),
      replaces: asked.replaces ?? '',
      layer: '',
      reason: ''
    },
    schema: async () => (await import('../../../../schemas/http/on-call.ts')).CreateOverrideBody,
    toBody: ({ user_id, starts, ends, replaces, layer, reason }) => ({
      schedule_id: id,
      user_id: user_id === NOBODY ? null : user_id,
      starts_at: starts,
      ends_at: ends,
      time_zone: zone,
      replaces_user_id: replaces === '' ? null : replaces,
      layer: layer === '' ? null : layer,
      reason: reason.trim()
    }),
    save: createOverride,
    onSaved: ({ user_id, starts_at, ends_at }) => {
      void readSchedulesAgain(queries)
      const values = { from: dayTimeIn(zone, starts_at), to: dayTimeIn(zone, ends_at) }
      tellDone(
        user_id === null ? onCallText('override.done_nobody', values) : onCallText('override.done', { ...values, name: nameOf(user_id) })
      )
      onClose()
    }
  })
  const { values, set, fault } = form
  const named = [...new Set(layers.flatMap(({ participants }) => participants.flatMap((one) => [one ?? []].flat())))]
  return (
    <Form form={form} verb={onCallText('override.create')} onCancel={onClose}>
      {mayWrite ? (
        <NativeSelect
          label={onCallText('override.who')}
          data={[...people, { value: NOBODY, label: onCallText('override.nobody') }]}
          value={values.user_id}
          onChange={(event) => set({ user_id: event.currentTarget.value })}
          error={fault('user_id')}
          data-autofocus
        />
      ) : (
        <p>{onCallText('override.self')}</p>
      )}
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
      <NativeSelect
        label={onCallText('override.replaces')}
        description={onCallText('override.replaces_hint')}
        data={[
          { value: '', label: onCallText('override.everybody') },
          ...[...new Set([...named, ...(values.replaces === '' ? [] : [values.replaces])])].map((person) => ({
            value: person,
            label: nameOf(person)
          }))
        ]}
        value={values.replaces}
        onChange={(event) => set({ replaces: event.currentTarget.value })}
        error={fault('replaces_user_id')}
      />
      {layers.length > 1 && (
        <NativeSelect
          label={onCallText('override.layer')}
          data={[{ value: '', label: onCallText('override.all_layers') }, ...layers.map(({ name }) => ({ value: name, label: name }))]}
          value={values.layer}
          onChange={(event) => set({ layer: event.currentTarget.value })}
          error={fault('layer')}
        />
      )}
      <TextInput
        label={onCallText('override.reason')}
        value={values.reason}
        maxLength={500}
        onChange={(event) => set({ reason: event.currentTarget.value })}
        error={fault('reason')}
      />
    </Form>
  )
}
