/** The dialog to declare an incident that no monitor or tool has reported. */
import { Modal, Select, Textarea, TextInput } from '@mantine/core'
import { useMounted } from '@mantine/hooks'
import { useNavigate } from '@tanstack/react-router'
import { declare, useShow } from '../../api/incidents.ts'
import type { NewIncident, Severity } from '../../api/shapes.ts'
import { Form } from '../../forms/Form.tsx'
import { TeamSelect } from '../../forms/TeamSelect.tsx'
import { textOrNull } from '../../forms/text-or-null.ts'
import { useForm } from '../../forms/useForm.ts'
import { severityLook } from '../../parts/Status.tsx'
import { incidentFormsText } from '../../texts/incident-forms.ts'
import { severities } from './search.ts'

export interface DeclareDialogProps {
  opened: boolean
  onClose: () => void
}

export function DeclareDialog({ opened, onClose }: DeclareDialogProps) {
  // Open only after the mount: otherwise the dialog does not know where the focus was before.
  const isThere = useMounted()
  return (
    <Modal opened={isThere && opened} onClose={onClose} title={incidentFormsText('declare.title')}>
      <DeclareForm onClose={onClose} />
    </Modal>
  )
}

function DeclareForm({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate()
  const show = useShow()
  const form = useForm({
    initial: { title: '', severity: 'critical' as Severity, summary: '', team_id: '' },
    schema: async () => (await import('../../../../schemas/http/incidents.ts')).DeclareBody,
    toBody: ({ title, severity, summary, team_id }): NewIncident => ({
      title: title.trim(),
      severity,
      summary: textOrNull(summary),
      ...(team_id !== '' && { team_id })
    }),
    save: declare,
    onSaved: (incident) => {
      show(incident)
      onClose()
      void navigate({ to: '/incidents/$id', params: { id: incident.key } })
    }
  })
  const { values, set, fault, left } = form
  return (
    <Form form={form} verb={incidentFormsText('verb.declare')} onCancel={onClose}>
      <TextInput
        label={incidentFormsText('field.title')}
        description={incidentFormsText('declare.title_hint')}
        value={values.title}
        onChange={(event) => set({ title: event.currentTarget.value })}
        onBlur={() => left('title')}
        error={fault('title')}
        data-autofocus
      />
      <Select
        label={incidentFormsText('field.severity')}
        data={severities.map((severity) => ({ value: severity, label: severityLook(severity).word }))}
        value={values.severity}
        onChange={(severity) => severity && set({ severity })}
        error={fault('severity')}
      />
      <TeamSelect value={values.team_id} onChange={(team_id) => set({ team_id })} error={fault('team_id')} />
      <Textarea
        label={incidentFormsText('field.summary')}
        description={incidentFormsText('reason.optional')}
        rows={3}
        value={values.summary}
        onChange={(event) => set({ summary: event.currentTarget.value })}
        error={fault('summary')}
      />
    </Form>
  )
}
