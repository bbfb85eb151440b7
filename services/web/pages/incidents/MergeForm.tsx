/** Chooses the incident into which this one is merged. */
import { useNavigate } from '@tanstack/react-router'
import { useShow } from '../../api/incidents.ts'
import { merge } from '../../api/postmortems.ts'
import type { Incident } from '../../api/shapes.ts'
import { Form } from '../../forms/Form.tsx'
import { useForm } from '../../forms/useForm.ts'
import { postmortemsText } from '../../texts/postmortems.ts'
import classes from './ActionDialog.module.css'
import { type ChosenIncident, IncidentSelect } from './IncidentSelect.tsx'

export function MergeForm({ incident, onClose }: { incident: Incident; onClose: () => void }) {
  const show = useShow()
  const navigate = useNavigate()
  const isOngoing = incident.status === 'ongoing'
  const form = useForm({
    initial: { into: null as ChosenIncident | null },
    schema: async () => (await import('../../../../schemas/http/incidents.ts')).MergeBody,
    toBody: ({ into }) => ({ ...(into && { into_id: into.value }) }),
    save: (body) => merge(incident.id, body as { into_id: string }),
    onSaved: (target) => {
      show(target)
      onClose()
      void navigate({ to: '/incidents/$id', params: { id: target.key } })
    }
  })
  const { into } = form.values
  return (
    <Form form={form} verb={postmortemsText('merge.verb')} onCancel={onClose}>
      <p className={classes.hint}>{postmortemsText(isOngoing ? 'merge.explained' : 'merge.explained_resolved')}</p>
      <IncidentSelect
        label={postmortemsText('merge.into')}
        hint={postmortemsText('merge.hint')}
        nothing={postmortemsText('merge.nothing')}
        chosen={into}
        onChoose={(chosen) => form.set({ into: chosen })}
        onlyOngoing={isOngoing}
        of={incident}
        but={incident.id}
        error={form.fault('into_id') && (into ? form.fault('into_id') : postmortemsText('merge.into_missing'))}
      />
    </Form>
  )
}
