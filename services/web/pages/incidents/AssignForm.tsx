/** Assigns an incident to a member, to nobody, or to whoever is on call in a schedule. */
import { Checkbox, SegmentedControl, Select } from '@mantine/core'
import '@mantine/core/styles/FloatingIndicator.css'
import '@mantine/core/styles/SegmentedControl.css'
import { useQuery } from '@tanstack/react-query'
import { schedulesToChoose } from '../../api/escalation.ts'
import { acknowledge, assign, useOfferUndo, useShow } from '../../api/incidents.ts'
import { useSession } from '../../api/session.ts'
import type { Incident } from '../../api/shapes.ts'
import { membersQuery } from '../../api/workspace.ts'
import { Form } from '../../forms/Form.tsx'
import { type Form as FormState, useForm } from '../../forms/useForm.ts'
import { escalationText } from '../../texts/escalation.ts'
import { incidentFormsText } from '../../texts/incident-forms.ts'
import { namesText } from '../../texts/names.ts'

const NOBODY = 'nobody'

interface Values {
  to: string
  user_id: string
  schedule_id: string
  acknowledges: boolean
}

export function AssignForm({ incident, onClose }: { incident: Incident; onClose: () => void }) {
  const { data: members } = useQuery(membersQuery)
  const { data: schedules } = useQuery(schedulesToChoose)
  const { user } = useSession()
  const show = useShow()
  const offerUndo = useOfferUndo()
  const waits = incident.dashboard_state === 'Triggered'
  const form: FormState<Values> = useForm({
    initial: { to: 'person', user_id: incident.assignee_id ?? user?.id ?? NOBODY, schedule_id: '', acknowledges: false as boolean },
    schema: async () => (await import('../../../../schemas/http/incidents.ts')).AssignBody,
    toBody: ({ to, user_id, schedule_id }) => (to === 'schedule' ? { schedule_id } : { user_id: user_id === NOBODY ? null : user_id }),
    save: async (body) => {
      // Acknowledge first, so that the escalation asks nobody else before the assignment is saved.
      if (form.values.acknowledges) await acknowledge(incident.id, {})
      return assign(incident.id, body)
    },
    onSaved: (saved) => {
      show(saved)
      onClose()
      offerUndo({ action: form.values.acknowledges ? 'take' : 'assign', before: [incident] })
    }
  })
  const people = (members?.items ?? []).map(({ user_id, name }) => ({
    value: user_id,
    label: user_id === user?.id ? namesText('person.you', { name }) : name
  }))
  const choices = (schedules?.items ?? []).map(({ id, name }) => ({ value: id, label: name }))
  return (
    <Form form={form} verb={incidentFormsText('verb.assign')} onCancel={onClose}>
      {choices.length > 0 && (
        <SegmentedControl
          fullWidth
          size="md"
          aria-label={escalationText('assign.to')}
          data={[
            { value: 'person', label: escalationText('assign.person') },
            { value: 'schedule', label: escalationText('assign.schedule') }
          ]}
          value={form.values.to}
          onChange={(to) => form.set({ to, schedule_id: form.values.schedule_id || (choices[0]?.value ?? '') })}
        />
      )}
      {form.values.to === 'schedule' ? (
        <Select
          label={escalationText('assign.schedule_label')}
          description={escalationText('assign.schedule_hint')}
          data={choices}
          value={form.values.schedule_id}
          onChange={(schedule_id) => form.set({ schedule_id: schedule_id ?? form.values.schedule_id })}
          error={form.fault('schedule_id')}
          searchable
          openOnFocus={false}
        />
      ) : (
        <Select
          label={incidentFormsText('assign.member')}
          data={[...people, { value: NOBODY, label: incidentFormsText('assign.nobody') }]}
          value={form.values.user_id}
          onChange={(user_id) => form.set({ user_id: user_id ?? NOBODY })}
          error={form.fault('user_id')}
          searchable
          openOnFocus={false}
          data-autofocus
        />
      )}
      {waits && (
        <Checkbox
          label={incidentFormsText('assign.acknowledges')}
          description={incidentFormsText('assign.acknowledges_hint')}
          checked={form.values.acknowledges}
          onChange={(event) => form.set({ acknowledges: event.currentTarget.checked })}
        />
      )}
    </Form>
  )
}
