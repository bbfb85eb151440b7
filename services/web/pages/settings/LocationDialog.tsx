/** Creates a private location, or changes the label of one. */
import { Modal, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { changeLocation, createLocation, readLocationsAgain } from '../../api/locations.ts'
import type { Location, LocationWithToken } from '../../api/shapes.ts'
import { Form } from '../../forms/Form.tsx'
import { useForm } from '../../forms/useForm.ts'
import { tellDone } from '../../parts/tell.ts'
import { locationsText } from '../../texts/locations.ts'

export interface LocationDialogProps {
  opened: boolean
  /** The location to rename; undefined: a new one. */
  location: Location | undefined
  onClose: () => void
  onMade: (location: LocationWithToken) => void
}

export function LocationDialog({ opened, location, onClose, onMade }: LocationDialogProps) {
  const title = location ? locationsText('form.edit_title', { label: location.label }) : locationsText('form.create_title')
  return (
    <Modal opened={opened} onClose={onClose} title={title}>
      <LocationForm location={location} onClose={onClose} onMade={onMade} />
    </Modal>
  )
}

function LocationForm({ location, onClose, onMade }: Omit<LocationDialogProps, 'opened'>) {
  const queries = useQueryClient()
  const form = useForm({
    initial: { label: location?.label ?? '' },
    schema: async () => (await import('../../../../schemas/http/private-locations.ts')).CreateLocationBody,
    toBody: ({ label }) => ({ label: label.trim() }),
    save: async (body): Promise<{ made: LocationWithToken } | { saved: Location }> =>
      location ? { saved: await changeLocation(location.id, body) } : { made: await createLocation(body) },
    onSaved: (answer) => {
      void readLocationsAgain(queries)
      onClose()
      if ('made' in answer) onMade(answer.made)
      else tellDone(locationsText('form.saved', { label: answer.saved.label }))
    }
  })
  const { values, set, fault, left } = form
  return (
    <Form form={form} verb={location ? locationsText('form.save') : locationsText('form.create')} onCancel={onClose}>
      <TextInput
        label={locationsText('form.label')}
        description={locationsText('form.label_hint')}
        value={values.label}
        onChange={(event) => set({ label: event.currentTarget.value })}
        onBlur={() => values.label !== '' && left('label')}
        error={fault('label')}
        data-autofocus
      />
    </Form>
  )
}
