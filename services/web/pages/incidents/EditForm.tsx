/** The form to edit an incident by hand. */
import { Checkbox, Select, TagsInput, Textarea, TextInput } from '@mantine/core'
import { useRef, useState } from 'react'
import { priorities } from '../../../../schemas/http/incidents.ts'
import { edit, useOfferUndo, useShow } from '../../api/incidents.ts'
import type { Incident, IncidentChange } from '../../api/shapes.ts'
import { Form } from '../../forms/Form.tsx'
import { TeamSelect } from '../../forms/TeamSelect.tsx'
import { textOrNull } from '../../forms/text-or-null.ts'
import { useForm } from '../../forms/useForm.ts'
import { severityLook } from '../../parts/Status.tsx'
import { incidentFormsText } from '../../texts/incident-forms.ts'
import { postmortemsText } from '../../texts/postmortems.ts'
import { severities } from './search.ts'

const NONE = 'none'

/** Sends only the changed fields, so that changes made by others in the meantime stay. */
export function EditForm({ incident, onClose }: { incident: Incident; onClose: () => void }) {
  const show = useShow()
  const offerUndo = useOfferUndo()
  const sent = useRef<IncidentChange>({})
  // The page reads the incident again while a person types.
  const [before] = useState(incident)
  const { title, summary, severity, priority, is_major, original_title } = before
  const form = useForm({
    initial: {
      title,
      summary: summary ?? '',
      severity: severity as string,
      priority: priority ?? NONE,
      is_major,
      tags: before.tags,
      team_id: before.team_id ?? ''
    },
    schema: async () => (await import('../../../../schemas/http/incidents.ts')).EditIncidentBody,
    toBody: (values) => ({
      ...(values.title !== title && { title: values.title.trim() }),
      ...(values.summary !== (summary ?? '') && { summary: textOrNull(values.summary) }),
      ...(values.severity !== severity && { severity: values.severity }),
      ...(values.priority !== (priority ?? NONE) && { priority: values.priority === NONE ? null : values.priority }),
      ...(values.is_major !== is_major && { is_major: values.is_major }),
      ...(values.tags !== before.tags && { tags: values.tags }),
      ...(values.team_id !== (before.team_id ?? '') && { team_id: values.team_id || null })
    }),
    // The schema has already checked the values of the two choices.
    save: (body) => {
      sent.current = body as IncidentChange
      return edit(before.id, sent.current)
    },
    onSaved: (saved) => {
      show(saved)
      onClose()
      offerUndo({ action: 'edit', before: [before], sent: sent.current })
    }
  })
  return (
    <Form form={form} verb={incidentFormsText('verb.save')} onCancel={onClose}>
      <TextInput
        label={incidentFormsText('field.title')}
        description={original_title === null ? undefined : incidentFormsText('edit.original', { title: original_title })}
        value={form.values.title}
        onChange={(event) => form.set({ title: event.currentTarget.value })}
        onBlur={() => form.left('title')}
        error={form.fault('title')}
        data-autofocus
      />
      <Textarea
        label={incidentFormsText('field.summary')}
        description={incidentFormsText('field.markdown')}
        autosize
        minRows={3}
        maxRows={10}
        value={form.values.summary}
        onChange={(event) => form.set({ summary: event.currentTarget.value })}
        error={form.fault('summary')}
      />
      <Select
        label={incidentFormsText('field.severity')}
        data={severities.map((one) => ({ value: one, label: severityLook(one).word }))}
        value={form.values.severity}
        onChange={(value) => value && form.set({ severity: value })}
        error={form.fault('severity')}
        allowDeselect={false}
      />
      <Select
        label={incidentFormsText('field.priority')}
        data={[{ value: NONE, label: incidentFormsText('field.no_priority') }, ...priorities.map((one) => ({ value: one, label: one }))]}
        value={form.values.priority}
        onChange={(value) => form.set({ priority: value ?? NONE })}
        error={form.fault('priority')}
        allowDeselect={false}
      />
      <TagsInput
        label={postmortemsText('tags.label')}
        description={postmortemsText('tags.hint')}
        value={form.values.tags}
        onChange={(tags) => form.set({ tags })}
        error={form.fault('tags')}
        maxTags={20}
      />
      <TeamSelect value={form.values.team_id} onChange={(team_id) => form.set({ team_id })} error={form.fault('team_id')} />
      <Checkbox
        label={incidentFormsText('field.major')}
        checked={form.values.is_major}
        onChange={(event) => form.set({ is_major: event.currentTarget.checked })}
      />
    </Form>
  )
}
