/**
 * The dialog that asks for details before an action on an incident. When the server refuses the
 * action, the dialog stays open and shows the server's message.
 */
import { Button, Checkbox, Modal, SegmentedControl, TextInput } from '@mantine/core'
import '@mantine/core/styles/FloatingIndicator.css'
import '@mantine/core/styles/SegmentedControl.css'
import { useMounted } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { channelsOf } from '../../api/channels.ts'
import { acknowledge, close, resolve, silence, unacknowledge, unsilence, useOfferUndo, useShow } from '../../api/incidents.ts'
import { useNames } from '../../api/names.ts'
import type { Incident } from '../../api/shapes.ts'
import { Form } from '../../forms/Form.tsx'
import { LongText } from '../../forms/LongText.tsx'
import { textOrNull } from '../../forms/text-or-null.ts'
import { useForm } from '../../forms/useForm.ts'
import { Around, HERE } from '../../parts/Said.tsx'
import { Since } from '../../parts/Since.tsx'
import { tellRefused } from '../../parts/tell.ts'
import { inSentence } from '../../parts/you.ts'
import { incidentFormsText } from '../../texts/incident-forms.ts'
import classes from './ActionDialog.module.css'
import { AssignForm } from './AssignForm.tsx'
import { EditForm } from './EditForm.tsx'
import { EscalateForm } from './EscalateForm.tsx'
import { MergeForm } from './MergeForm.tsx'
import { silenceSpans } from './silence-spans.ts'
import type { Done } from './undo-steps.ts'

export type Action = 'acknowledge' | 'unacknowledge' | 'resolve' | 'silence' | 'assign' | 'escalate' | 'close' | 'edit' | 'merge'

export interface ActionDialogProps {
  incident: Incident | null
  /** null: closed. */
  action: Action | null
  onClose: () => void
}

export function ActionDialog({ incident, action, onClose }: ActionDialogProps) {
  // While the dialog fades out, it keeps its last content.
  const shown = useRef<{ incident: Incident; action: Action } | null>(null)
  if (incident && action) shown.current = { incident, action }
  const asked = shown.current
  // Open only after the mount: otherwise the dialog does not know where the focus was before.
  const isThere = useMounted()
  return (
    <Modal
      opened={isThere && action !== null}
      onClose={onClose}
      title={asked ? incidentFormsText(`title.${asked.action}`, { key: asked.incident.key }) : ''}
    >
      {asked && (
        <>
          <p className={classes.title}>{asked.incident.title}</p>
          <ActionForm {...asked} onClose={onClose} />
        </>
      )}
    </Modal>
  )
}

interface ActionFormProps {
  incident: Incident
  onClose: () => void
}

function ActionForm({ action, ...props }: ActionFormProps & { action: Action }) {
  switch (action) {
    case 'acknowledge':
      return <AcknowledgeForm {...props} />
    case 'unacknowledge':
      return <HandBackForm {...props} />
    case 'edit':
      return <EditForm {...props} />
    case 'merge':
      return <MergeForm {...props} />
    case 'resolve':
      return <ResolveForm {...props} />
    case 'silence':
      return <SilenceForm {...props} />
    case 'assign':
      return <AssignForm {...props} />
    case 'escalate':
      return <EscalateForm {...props} />
    case 'close':
      return <CloseForm {...props} />
  }
}

/**
 * Returns the handler that shows the incident as the server answered it, and closes the dialog.
 * With `done` it also offers to undo the action.
 */
function useSaved(onClose: () => void, done?: Done): (saved: Incident) => void {
  const show = useShow()
  const offerUndo = useOfferUndo()
  return (saved) => {
    show(saved)
    onClose()
    if (done) offerUndo(done)
  }
}

function AcknowledgeForm({ incident, onClose }: ActionFormProps) {
  const form = useForm({
    initial: { comment: '' },
    schema: async () => (await import('../../../../schemas/http/incidents.ts')).AcknowledgeBody,
    toBody: ({ comment }) => ({ comment: textOrNull(comment) }),
    save: (body) => acknowledge(incident.id, body),
    onSaved: useSaved(onClose, { action: 'acknowledge', before: [incident] })
  })
  return (
    <Form form={form} verb={incidentFormsText('verb.acknowledge')} onCancel={onClose}>
      <LongText form={form} name="comment" label={incidentFormsText('comment.label')} hint={incidentFormsText('comment.hint')} />
    </Form>
  )
}

function HandBackForm({ incident, onClose }: ActionFormProps) {
  const form = useForm({
    initial: { reason: '' },
    schema: async () => (await import('../../../../schemas/http/incidents.ts')).UnacknowledgeBody,
    toBody: ({ reason }) => ({ reason: textOrNull(reason) }),
    save: (body) => unacknowledge(incident.id, body),
    onSaved: useSaved(onClose)
  })
  return (
    <Form form={form} verb={incidentFormsText('verb.hand_back')} onCancel={onClose}>
      <p className={classes.hint}>{incidentFormsText('hand_back.hint')}</p>
      <LongText form={form} name="reason" label={incidentFormsText('reason.label')} hint={incidentFormsText('reason.hint')} />
    </Form>
  )
}

function ResolveForm({ incident, onClose }: ActionFormProps) {
  const form = useForm({
    initial: { note: '', until_recovered: true },
    schema: async () => (await import('../../../../schemas/http/incidents.ts')).ResolveBody,
    toBody: ({ note, until_recovered }) => ({ note: textOrNull(note), until_recovered }),
    save: (body) => resolve(incident.id, body),
    onSaved: useSaved(onClose)
  })
  return (
    <Form form={form} verb={incidentFormsText('verb.resolve')} onCancel={onClose}>
      <LongText form={form} name="note" label={incidentFormsText('resolve.note')} hint={incidentFormsText('resolve.note_hint')} />
      <Checkbox
        label={incidentFormsText('resolve.until_recovered')}
        description={incidentFormsText('resolve.until_recovered_hint')}
        checked={form.values.until_recovered}
        onChange={(event) => form.set({ until_recovered: event.currentTarget.checked })}
      />
    </Form>
  )
}

function SilenceForm({ incident, onClose }: ActionFormProps) {
  const saved = useSaved(onClose)
  const nameOf = useNames()
  const [ending, setEnding] = useState(false)
  // With neither an escalation policy nor a channel nobody is notified, so a silence has no effect.
  const channels = useQuery(channelsOf({ per_page: 1 })).data?.total ?? 1
  const tells = incident.escalation_policy_id !== null || channels > 0
  const { silenced_until, silenced_by, silenced_by_name } = incident
  const form = useForm({
    initial: { span: '60', minutes: '', reason: '' },
    schema: async () => (await import('../../../../schemas/http/incidents.ts')).SilenceBody,
    toBody: ({ span, minutes, reason }) => ({ duration_minutes: Number(span === 'other' ? minutes : span), reason: textOrNull(reason) }),
    save: (body) => silence(incident.id, body),
    onSaved: useSaved(onClose, { action: 'silence', before: [incident] })
  })

  async function end(): Promise<void> {
    setEnding(true)
    try {
      saved(await unsilence(incident.id))
    } catch (error) {
      tellRefused(incidentFormsText('silence.ending', { key: incident.key }), error, () => void end())
    } finally {
      setEnding(false)
    }
  }

  return (
    <Form form={form} verb={incidentFormsText(silenced_until === null ? 'verb.silence' : 'verb.silence_again')} onCancel={onClose}>
      {silenced_until === null ? (
        <p className={classes.hint}>{incidentFormsText(tells ? 'silence.hint' : 'silence.hint_nobody')}</p>
      ) : (
        <div className={classes.standing}>
          <span>
            <Around text={incidentFormsText('silence.standing', { name: inSentence(nameOf(silenced_by, silenced_by_name)), at: HERE })}>
              <Since at={silenced_until} />
            </Around>
          </span>
          <Button variant="default" loading={ending} onClick={() => void end()}>
            {incidentFormsText('silence.end')}
          </Button>
        </div>
      )}
      <SegmentedControl
        fullWidth
        size="md"
        aria-label={incidentFormsText('silence.span')}
        data={[...silenceSpans, { value: 'other', label: incidentFormsText('silence.other') }]}
        value={form.values.span}
        onChange={(span) => form.set({ span })}
      />
      {form.values.span === 'other' && (
        <TextInput
          label={incidentFormsText('silence.minutes')}
          description={incidentFormsText('silence.minutes_hint')}
          inputMode="numeric"
          value={form.values.minutes}
          onChange={(event) => form.set({ minutes: event.currentTarget.value })}
          onBlur={() => form.left('duration_minutes')}
          error={form.fault('duration_minutes')}
        />
      )}
      <TextInput
        label={incidentFormsText('reason.label')}
        description={incidentFormsText('reason.optional')}
        value={form.values.reason}
        onChange={(event) => form.set({ reason: event.currentTarget.value })}
        error={form.fault('reason')}
      />
    </Form>
  )
}

function CloseForm({ incident, onClose }: ActionFormProps) {
  const form = useForm({
    initial: { note: '' },
    schema: async () => (await import('../../../../schemas/http/incidents.ts')).CloseBody,
    toBody: ({ note }) => ({ note: textOrNull(note) }),
    save: (body) => close(incident.id, body),
    onSaved: useSaved(onClose)
  })
  return (
    <Form form={form} verb={incidentFormsText('verb.close')} onCancel={onClose}>
      <p className={classes.hint}>{incidentFormsText(incident.status === 'ongoing' ? 'close.hint' : 'close.hint_ended')}</p>
      <LongText form={form} name="note" label={incidentFormsText('note.label')} hint={incidentFormsText('reason.optional')} />
    </Form>
  )
}
