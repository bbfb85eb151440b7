/** The dialog to create an alert by hand. The alert takes the same path as alerts from tools. */
import { Modal, Select, Textarea, TextInput } from '@mantine/core'
import { useMounted } from '@mantine/hooks'
import { useQueryClient } from '@tanstack/react-query'
import { sendAlert } from '../../api/alerts.ts'
import type { NewAlert, Severity } from '../../api/shapes.ts'
import { Form } from '../../forms/Form.tsx'
import { Pairs } from '../../forms/Pairs.tsx'
import { type Pair, recordOf } from '../../forms/pair-values.ts'
import { textOrNull } from '../../forms/text-or-null.ts'
import { useForm } from '../../forms/useForm.ts'
import { severityLook } from '../../parts/Status.tsx'
import { tellDone } from '../../parts/tell.ts'
import { alertsText } from '../../texts/alerts.ts'
import classes from '../incidents/ActionDialog.module.css'
import { severities } from '../incidents/search.ts'

export interface CreateDialogProps {
  opened: boolean
  onClose: () => void
}

export function CreateDialog({ opened, onClose }: CreateDialogProps) {
  // Open only after the mount: otherwise the dialog does not know where the focus was before.
  const isThere = useMounted()
  return (
    <Modal opened={isThere && opened} onClose={onClose} title={alertsText('create.open')}>
      <CreateForm onClose={onClose} />
    </Modal>
  )
}

/** Requires a title. Only an end of an alert may lack one, and this form sends no ends. */
async function titledBody() {
  const { CreateAlertBody } = await import('../../../../schemas/http/alerts.ts')
  return { ...CreateAlertBody, required: ['title'] }
}

function CreateForm({ onClose }: Pick<CreateDialogProps, 'onClose'>) {
  const queries = useQueryClient()
  const form = useForm({
    initial: { title: '', severity: 'critical' as Severity, description: '', dedup_key: '', labels: [] as readonly Pair[] },
    schema: titledBody,
    toBody: ({ title, severity, description, dedup_key, labels }): NewAlert => ({
      ...(title.trim() !== '' && { title: title.trim() }),
      severity,
      description: textOrNull(description),
      ...(dedup_key.trim() !== '' && { dedup_key: dedup_key.trim() }),
      labels: recordOf(labels)
    }),
    save: sendAlert,
    onSaved: () => {
      void queries.invalidateQueries({ queryKey: ['alerts'] })
      tellDone(alertsText('create.sent'))
      onClose()
    }
  })
  const { values, set, fault, left } = form
  return (
    <Form form={form} verb={alertsText('create.send')} onCancel={onClose}>
      <p className={classes.hint}>{alertsText('create.hint')}</p>
      <TextInput
        label={alertsText('create.title')}
        description={alertsText('create.title_hint')}
        value={values.title}
        onChange={(event) => set({ title: event.currentTarget.value })}
        onBlur={() => left('title')}
        error={fault('title')}
        data-autofocus
      />
      <Select
        label={alertsText('create.severity')}
        data={severities.map((severity) => ({ value: severity, label: severityLook(severity).word }))}
        value={values.severity}
        onChange={(severity) => severity && set({ severity })}
        error={fault('severity')}
      />
      <Textarea
        label={alertsText('create.description')}
        description={alertsText('create.optional')}
        rows={3}
        value={values.description}
        onChange={(event) => set({ description: event.currentTarget.value })}
        error={fault('description')}
      />
      <TextInput
        label={alertsText('create.key')}
        description={alertsText('create.key_hint')}
        value={values.dedup_key}
        onChange={(event) => set({ dedup_key: event.currentTarget.value })}
        onBlur={() => left('dedup_key')}
        error={fault('dedup_key')}
      />
      <Pairs
        label={alertsText('create.labels')}
        nameLabel={alertsText('create.label_name')}
        pairs={values.labels}
        onChange={(labels) => set({ labels })}
        fresh=""
        field={(value, onChange, label) => (
          <TextInput aria-label={label} value={value} onChange={(event) => onChange(event.currentTarget.value)} />
        )}
        addLabel={alertsText('create.label_add')}
        error={fault('labels')}
      />
    </Form>
  )
}
