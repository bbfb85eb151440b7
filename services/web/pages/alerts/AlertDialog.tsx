/**
 * The dialog that asks for details before an action on an alert. When the server refuses the
 * action, the dialog stays open and shows the server's message.
 */
import { Checkbox, Modal } from '@mantine/core'
import { useMounted } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useRef } from 'react'
import { acknowledgeAlert, closeAlert, resolveAlert } from '../../api/alerts.ts'
import { incidentQuery } from '../../api/lists.ts'
import type { Alert } from '../../api/shapes.ts'
import { Form } from '../../forms/Form.tsx'
import { LongText } from '../../forms/LongText.tsx'
import { textOrNull } from '../../forms/text-or-null.ts'
import { useForm } from '../../forms/useForm.ts'
import { alertsText } from '../../texts/alerts.ts'
import classes from '../incidents/ActionDialog.module.css'
import { PromoteForms } from './PromoteForms.tsx'
import { useSaved } from './saved.ts'
import { isItsIncident } from './words.ts'

export type AlertAction = 'acknowledge' | 'resolve' | 'close' | 'promote'

const titles: Readonly<Record<AlertAction, string>> = {
  acknowledge: alertsText('act.acknowledge_title'),
  resolve: alertsText('act.resolve_title'),
  close: alertsText('act.close_title'),
  promote: alertsText('act.promote_title')
}

export interface AlertDialogProps {
  alert: Alert
  /** null: closed. */
  action: AlertAction | null
  onClose: () => void
}

export function AlertDialog({ alert, action, onClose }: AlertDialogProps) {
  // While the dialog fades out, it keeps its last content.
  const asked = useRef(action)
  if (action) asked.current = action
  // Open only after the mount: otherwise the dialog does not know where the focus was before.
  const isThere = useMounted()
  const shown = asked.current
  return (
    <Modal opened={isThere && action !== null} onClose={onClose} title={shown ? titles[shown] : ''}>
      <p className={classes.title}>{alert.title}</p>
      {shown === 'acknowledge' && <AcknowledgeForm alert={alert} onClose={onClose} />}
      {shown === 'resolve' && <ResolveForm alert={alert} onClose={onClose} />}
      {shown === 'close' && <CloseForm alert={alert} onClose={onClose} />}
      {shown === 'promote' && <PromoteForms alert={alert} onClose={onClose} />}
    </Modal>
  )
}

interface ActionFormProps {
  alert: Alert
  onClose: () => void
}

/** Warns that ending the last alert also ends its incident. */
function LastOne({ alert }: { alert: Alert }) {
  const { incident_id, status } = alert
  const { data } = useQuery({ ...incidentQuery(incident_id ?? ''), enabled: incident_id !== null })
  if (!data || status !== 'ongoing' || isItsIncident(alert) || data.ongoing_alerts !== 1) return null
  return <p className={classes.hint}>{alertsText('act.last_hint')}</p>
}

function AcknowledgeForm({ alert, onClose }: ActionFormProps) {
  const form = useForm({
    initial: { comment: '' },
    schema: async () => (await import('../../../../schemas/http/incidents.ts')).AcknowledgeBody,
    toBody: ({ comment }) => ({ comment: textOrNull(comment) }),
    save: (body) => acknowledgeAlert(alert.id, body),
    onSaved: useSaved(onClose, alertsText('act.acknowledged'))
  })
  return (
    <Form form={form} verb={alertsText('act.acknowledge')} onCancel={onClose}>
      <LongText form={form} name="comment" label={alertsText('act.comment')} hint={alertsText('act.comment_hint')} />
    </Form>
  )
}

function ResolveForm({ alert, onClose }: ActionFormProps) {
  const form = useForm({
    initial: { note: '', until_recovered: true },
    schema: async () => (await import('../../../../schemas/http/incidents.ts')).ResolveBody,
    toBody: ({ note, until_recovered }) => ({ note: textOrNull(note), until_recovered }),
    save: (body) => resolveAlert(alert.id, body),
    onSaved: useSaved(onClose, alertsText('act.resolved'))
  })
  return (
    <Form form={form} verb={alertsText('act.resolve')} onCancel={onClose}>
      <LastOne alert={alert} />
      <LongText form={form} name="note" label={alertsText('act.note')} hint={alertsText('act.note_hint')} />
      <Checkbox
        label={alertsText('act.until_recovered')}
        description={alertsText('act.until_recovered_hint')}
        checked={form.values.until_recovered}
        onChange={(event) => form.set({ until_recovered: event.currentTarget.checked })}
      />
    </Form>
  )
}

function CloseForm({ alert, onClose }: ActionFormProps) {
  const form = useForm({
    initial: { note: '' },
    schema: async () => (await import('../../../../schemas/http/incidents.ts')).CloseBody,
    toBody: ({ note }) => ({ note: textOrNull(note) }),
    save: (body) => closeAlert(alert.id, body),
    onSaved: useSaved(onClose, alertsText('act.closed'))
  })
  return (
    <Form form={form} verb={alertsText('act.close')} onCancel={onClose}>
      <p className={classes.hint}>{alert.status === 'ongoing' ? alertsText('act.close_hint') : alertsText('act.close_ended_hint')}</p>
      <LastOne alert={alert} />
      <LongText form={form} name="note" label={alertsText('act.note')} hint={alertsText('act.note_hint')} />
    </Form>
  )
}
