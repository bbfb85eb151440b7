/** Escalates now: to chosen people, or to a step of the incident's policy. */
import { MultiSelect, SegmentedControl, Select, Textarea } from '@mantine/core'
import '@mantine/core/styles/FloatingIndicator.css'
import '@mantine/core/styles/SegmentedControl.css'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { escalate, policyQuery, schedulesToChoose } from '../../api/escalation.ts'
import { useSession } from '../../api/session.ts'
import type { Incident } from '../../api/shapes.ts'
import { membersQuery } from '../../api/workspace.ts'
import { Form } from '../../forms/Form.tsx'
import { textOrNull } from '../../forms/text-or-null.ts'
import { useForm } from '../../forms/useForm.ts'
import { tellDone } from '../../parts/tell.ts'
import { escalationText } from '../../texts/escalation.ts'
import { namesText } from '../../texts/names.ts'
import classes from './ActionDialog.module.css'

export function EscalateForm({ incident, onClose }: { incident: Incident; onClose: () => void }) {
  const { key, escalation_policy_id } = incident
  const { data: members } = useQuery(membersQuery)
  const { data: schedules } = useQuery(schedulesToChoose)
  const { data: policy } = useQuery({ ...policyQuery(escalation_policy_id ?? ''), enabled: escalation_policy_id !== null })
  const { user } = useSession()
  const queries = useQueryClient()
  const form = useForm({
    initial: { way: 'people', user_ids: [] as string[], schedule_ids: [] as string[], step: '0', message: '' },
    schema: async () => (await import('../../../../schemas/http/escalation.ts')).EscalateBody,
    toBody: ({ way, user_ids, schedule_ids, step, message }) => ({
      ...(way === 'step' && { step: Number(step) }),
      ...(way === 'people' && user_ids.length > 0 && { user_ids }),
      ...(way === 'people' && schedule_ids.length > 0 && { schedule_ids }),
      message: textOrNull(message)
    }),
    save: (body) => escalate(incident.id, body),
    onSaved: ({ intents }) => {
      const count = intents.filter(({ suppressed_by }) => suppressed_by === null).length
      if (count === 0) tellDone(escalationText('now.done_none', { key }), 'bad')
      else tellDone(escalationText('now.done', { key, count }))
      void queries.invalidateQueries({ queryKey: ['incidents'] })
      onClose()
    }
  })
  const { way, user_ids, schedule_ids, step, message } = form.values
  const people = (members?.items ?? []).map(({ user_id, name }) => ({
    value: user_id,
    label: user_id === user?.id ? namesText('person.you', { name }) : name
  }))
  const places = (schedules?.items ?? []).map(({ id, name }) => ({ value: id, label: name }))
  const nobody = way === 'people' && user_ids.length + schedule_ids.length === 0
  return (
    <Form form={form} verb={escalationText('now.verb')} onCancel={onClose}>
      <p className={classes.hint}>{escalationText('now.explained')}</p>
      {policy && (
        <SegmentedControl
          fullWidth
          size="md"
          aria-label={escalationText('now.way')}
          data={[
            { value: 'people', label: escalationText('now.way_people') },
            { value: 'step', label: escalationText('now.way_step') }
          ]}
          value={way}
          onChange={(chosen) => form.set({ way: chosen })}
        />
      )}
      {way === 'step' ? (
        <Select
          label={escalationText('now.step')}
          description={escalationText('now.step_hint')}
          data={(policy?.steps ?? []).map((_, at) => ({ value: String(at), label: escalationText('now.step_name', { step: at + 1 }) }))}
          value={step}
          onChange={(chosen) => form.set({ step: chosen ?? step })}
          error={form.fault('step')}
          openOnFocus={false}
        />
      ) : (
        <>
          <MultiSelect
            label={escalationText('now.people')}
            data={people}
            value={user_ids}
            onChange={(chosen) => form.set({ user_ids: chosen })}
            // When nothing is chosen, the api reports the fault at `step`.
            error={form.fault('user_ids') ?? (nobody && form.fault('step') ? escalationText('now.nobody') : undefined)}
            searchable
            openOnFocus={false}
            data-autofocus
          />
          <MultiSelect
            label={escalationText('now.schedules')}
            description={places.length === 0 ? escalationText('now.schedules_none') : undefined}
            disabled={places.length === 0}
            data={places}
            value={schedule_ids}
            onChange={(chosen) => form.set({ schedule_ids: chosen })}
            error={form.fault('schedule_ids')}
            searchable
            openOnFocus={false}
          />
        </>
      )}
      <Textarea
        label={escalationText('now.message')}
        description={escalationText('now.message_hint')}
        rows={3}
        value={message}
        onChange={(event) => form.set({ message: event.currentTarget.value })}
        error={form.fault('message')}
      />
    </Form>
  )
}
