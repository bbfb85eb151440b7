/**
 * Creates the first schedule in one dialog: people who take weekly turns. Everything else is edited
 * later.
 */
import { Modal, MultiSelect, NativeSelect, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { weekdays } from '../../../../schemas/http/routing-words.ts'
import { createSchedule, readSchedulesAgain } from '../../api/on-call.ts'
import { useSession } from '../../api/session.ts'
import { useManagedTeams } from '../../api/teams.ts'
import { Form } from '../../forms/Form.tsx'
import { TeamSelect } from '../../forms/TeamSelect.tsx'
import { useForm } from '../../forms/useForm.ts'
import { ZoneSelect } from '../../forms/ZoneSelect.tsx'
import { serverNow } from '../../live/server-clock.ts'
import { ownZone } from '../../parts/clock.ts'
import { tellDone } from '../../parts/tell.ts'
import { onCallText } from '../../texts/on-call.ts'
import { usePeople } from './people.ts'
import { weeklyBody } from './schedule-values.ts'
import { weekdayName } from './zone-days.ts'

export function NewSchedule({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <Modal opened={opened} onClose={onClose} title={onCallText('new.title')} size="lg">
      <Fields onClose={onClose} />
    </Modal>
  )
}

function Fields({ onClose }: { onClose: () => void }) {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const { user } = useSession()
  const people = usePeople()
  const teams = useManagedTeams()
  const form = useForm({
    initial: {
      name: '',
      team_id: '',
      time_zone: ownZone(),
      people: user ? [user.id] : [],
      handoff_day: 'mon' as (typeof weekdays)[number],
      handoff_time: '09:00'
    },
    schema: async () => (await import('../../../../schemas/http/on-call.ts')).CreateScheduleBody,
    toBody: (values) => weeklyBody(values, serverNow()),
    save: createSchedule,
    onSaved: ({ id, name }) => {
      void readSchedulesAgain(queries)
      tellDone(onCallText('new.created', { name }))
      void navigate({ to: '/on-call/schedules/$id', params: { id }, replace: true })
    }
  })
  const { values, set, fault, left } = form
  return (
    <Form
      form={form}
      verb={onCallText('new.create')}
      onCancel={onClose}
      aside={<Link to="/on-call/schedules/new">{onCallText('new.more')}</Link>}
    >
      <TextInput
        label={onCallText('new.name')}
        placeholder={onCallText('new.name_example')}
        value={values.name}
        onChange={(event) => set({ name: event.currentTarget.value })}
        onBlur={() => values.name !== '' && left('name')}
        error={fault('name')}
        data-autofocus
      />
      <MultiSelect
        label={onCallText('new.people')}
        description={onCallText('new.people_hint')}
        data={people}
        value={values.people}
        onChange={(chosen) => set({ people: chosen })}
        error={fault('layers[0].participants')}
        searchable
        hidePickedOptions
      />
      <NativeSelect
        label={onCallText('layer.handoff_day')}
        data={weekdays.map((day, index) => ({ value: day, label: weekdayName(index) }))}
        value={values.handoff_day}
        onChange={(event) => set({ handoff_day: weekdays.find((day) => day === event.currentTarget.value) ?? 'mon' })}
        error={fault('layers[0].handoff_day')}
      />
      <TextInput
        type="time"
        label={onCallText('layer.handoff_time')}
        value={values.handoff_time}
        onChange={(event) => set({ handoff_time: event.currentTarget.value })}
        error={fault('layers[0].handoff_time')}
      />
      <ZoneSelect value={values.time_zone} onChange={(time_zone) => set({ time_zone })} error={fault('time_zone')} />
      <TeamSelect value={values.team_id} onChange={(team_id) => set({ team_id })} error={fault('team_id')} offered={teams} />
    </Form>
  )
}
