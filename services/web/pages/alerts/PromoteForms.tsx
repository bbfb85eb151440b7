/** The forms that give an alert without an incident a new one, or add it to an existing one. */
import { SegmentedControl, TextInput } from '@mantine/core'
import '@mantine/core/styles/FloatingIndicator.css'
import '@mantine/core/styles/SegmentedControl.css'
import { useState } from 'react'
import { promoteAlert } from '../../api/alerts.ts'
import type { Alert } from '../../api/shapes.ts'
import { Form } from '../../forms/Form.tsx'
import { useForm } from '../../forms/useForm.ts'
import { alertsText } from '../../texts/alerts.ts'
import classes from '../incidents/ActionDialog.module.css'
import { type ChosenIncident, IncidentSelect } from '../incidents/IncidentSelect.tsx'
import { useSaved } from './saved.ts'

interface FormProps {
  alert: Alert
  onClose: () => void
}

export function PromoteForms({ alert, onClose }: FormProps) {
  const [how, setHow] = useState('new')
  return (
    <>
      <SegmentedControl
        fullWidth
        mb="md"
        aria-label={alertsText('act.promote_how')}
        value={how}
        onChange={setHow}
        data={[
          { value: 'new', label: alertsText('act.promote_new') },
          { value: 'join', label: alertsText('act.promote_join') }
        ]}
      />
      {how === 'new' ? <OpenForm alert={alert} onClose={onClose} /> : <JoinForm alert={alert} onClose={onClose} />}
    </>
  )
}

function OpenForm({ alert, onClose }: FormProps) {
  const form = useForm({
    initial: { title: alert.title },
    schema: async () => (await import('../../../../schemas/http/alerts.ts')).PromoteBody,
    toBody: ({ title }) => (title.trim() === '' ? {} : { title: title.trim() }),
    save: (body) => promoteAlert(alert.id, body),
    onSaved: useSaved(onClose, alertsText('act.promoted'))
  })
  return (
    <Form form={form} verb={alertsText('act.promote')} onCancel={onClose}>
      <p className={classes.hint}>{alertsText('act.promote_hint')}</p>
      <TextInput
        label={alertsText('act.name')}
        value={form.values.title}
        onChange={(event) => form.set({ title: event.currentTarget.value })}
        onBlur={() => form.left('title')}
        error={form.fault('title')}
        data-autofocus
      />
    </Form>
  )
}

/** The incident is required here: without it the api would open a new one. */
async function joinBody() {
  const { PromoteBody } = await import('../../../../schemas/http/alerts.ts')
  return { ...PromoteBody, required: ['incident_id'] }
}

function JoinForm({ alert, onClose }: FormProps) {
  const form = useForm({
    initial: { into: null as ChosenIncident | null },
    schema: joinBody,
    toBody: ({ into }) => ({ ...(into && { incident_id: into.value }) }),
    save: (body) => promoteAlert(alert.id, body),
    onSaved: useSaved(onClose, alertsText('act.joined'))
  })
  const { into } = form.values
  return (
    <Form form={form} verb={alertsText('act.join')} onCancel={onClose}>
      <p className={classes.hint}>{alertsText('act.join_hint')}</p>
      <IncidentSelect
        label={alertsText('act.join_into')}
        hint={alertsText('act.join_search')}
        nothing={alertsText('act.join_nothing')}
        chosen={into}
        onChoose={(chosen) => form.set({ into: chosen })}
        onlyOngoing
        of={alert}
        error={form.fault('incident_id') && (into ? form.fault('incident_id') : alertsText('act.join_missing'))}
      />
    </Form>
  )
}
