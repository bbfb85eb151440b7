/** Saves the current filters of the list as a named view. */
import { Modal, TextInput } from '@mantine/core'
import { useMounted } from '@mantine/hooks'
import { useQueryClient } from '@tanstack/react-query'
import { saveView } from '../../api/views.ts'
import { Form } from '../../forms/Form.tsx'
import { useForm } from '../../forms/useForm.ts'
import { tellDone } from '../../parts/tell.ts'
import { incidentListText } from '../../texts/incident-list.ts'

export interface SaveViewProps {
  opened: boolean
  search: Record<string, string>
  onClose: () => void
}

export function SaveView({ opened, search, onClose }: SaveViewProps) {
  // Open only after the mount: otherwise the dialog does not know where the focus was before.
  const isThere = useMounted()
  return (
    <Modal opened={isThere && opened} onClose={onClose} title={incidentListText('view.save_title')}>
      {opened && <Fields search={search} onClose={onClose} />}
    </Modal>
  )
}

function Fields({ search, onClose }: Omit<SaveViewProps, 'opened'>) {
  const queries = useQueryClient()
  const form = useForm({
    initial: { name: '' },
    schema: async () => (await import('../../../../schemas/http/views.ts')).SaveViewBody,
    toBody: ({ name }) => ({ page: 'incidents' as const, name: name.trim(), search }),
    save: saveView,
    onSaved: ({ name }) => {
      void queries.invalidateQueries({ queryKey: ['views'] })
      tellDone(incidentListText('view.saved', { name }))
      onClose()
    }
  })
  return (
    <Form form={form} verb={incidentListText('view.save_verb')} onCancel={onClose}>
      <TextInput
        label={incidentListText('view.name')}
        description={incidentListText('view.name_hint')}
        value={form.values.name}
        maxLength={80}
        onChange={(event) => form.set({ name: event.currentTarget.value })}
        onBlur={() => form.left('name')}
        error={form.fault('name')}
        data-autofocus
      />
    </Form>
  )
}
