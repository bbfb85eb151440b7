/**
 * What an action on an incident asks before it is done; the dialog stays, with the server's words,
 * when it was refused.
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
import { Since } from '../../parts/Since.tsx'
import { tellRefused } from '../../parts/tell.ts'
import { escalationText } from '../../texts/escalation.ts'
import { incidentsText } from '../../texts/incidents.ts'
import { postmortemsText } from '../../texts/postmortems.ts'
import classes from './ActionDialog.module.css'
import { AssignForm } from './AssignForm.tsx'
import { EditForm } from './EditForm.tsx'
import { EscalateForm } from './EscalateForm.tsx'
import { MergeForm } from './MergeForm.tsx'
import { silenceSpans } from './silence-spans.ts'
import type { Done } from './undo-steps.ts'

export type Action = 'acknowledge' | 'unacknowledge' | 'resolve' | 'silence' | 'assign' | 'escalate' | 'close' | 'edit' | 'merge'

const titles: Readonly<Record<Action, string>> = {
  acknowledge: 'Acknowledge',
  unacknowledge: 'Hand back',
  resolve: 'Resolve',
  silence: 'Silence',
  assign: 'Assign',
  escalate: escalationText('now.title'),
  close: 'Close',
  edit: 'Edit',
  merge: postmortemsText('merge.title')
}

export interface ActionDialogProps {
  incident: Incident | null
  /** null: closed. */
  action: Action | null
  onClose: () => void
}

export function ActionDialog({ incident, action, onClose }: ActionDialogProps) {
  // What fades away is what was there.
  const shown = useRef<{ incident: Incident; action: Action } | null>(null)
  if (incident && action) shown.current = { incident, action }
  const asked = shown.current
  // Where the focus was is only known to a dialog that opens after it is there.
  const isThere = useMounted()
  return (
    <Modal opened={isThere && action !== null} onClose={onClose} title={asked ? `${titles[asked.action]} ${asked.incident.key}` : ''}>
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
 * What the server answered is shown, and the dialog has done its work. `done`: it can be taken
 * back.
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
    <Form form={form} verb="Acknowledge" onCancel={onClose}>
      <LongText form={form} name="comment" label="Comment" hint="Appears in the timeline, for the next person who looks." />
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
    <Form form={form} verb="Hand back" onCancel={onClose}>
      <p className={classes.hint}>The incident is no longer acknowledged and needs someone again.</p>
      <LongText form={form} name="reason" label="Reason" hint="Appears in the timeline. Optional." />
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
    <Form form={form} verb="Resolve" onCancel={onClose}>
      <LongText form={form} name="note" label={incidentsText('resolve.note')} hint={incidentsText('resolve.note_hint')} />
      <Checkbox
        label={incidentsText('resolve.until_recovered')}
        description={incidentsText('resolve.until_recovered_hint')}
        checked={form.values.until_recovered}
        onChange={(event) => form.set({ until_recovered: event.currentTarget.checked })}
      />
    </Form>
  )
}

const spans = [...silenceSpans, { value: 'other', label: 'Other' }]

function SilenceForm({ incident, onClose }: ActionFormProps) {
  const saved = useSaved(onClose)
  const nameOf = useNames()
  const [ending, setEnding] = useState(false)
  // Where nothing tells anybody, a silence keeps nobody from being told.
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
      tellRefused(`Ending the silence of ${incident.key}`, error, () => void end())
    } finally {
      setEnding(false)
    }
  }

  return (
    <Form form={form} verb={silenced_until === null ? 'Silence' : 'Silence again'} onCancel={onClose}>
      {silenced_until === null ? (
        <p className={classes.hint}>{incidentsText(tells ? 'silence.hint' : 'silence.hint_nobody')}</p>
      ) : (
        <div className={classes.standing}>
          <span>
            {nameOf(silenced_by, silenced_by_name)} silenced it; it ends <Since at={silenced_until} />.
          </span>
          <Button variant="default" loading={ending} onClick={() => void end()}>
            End the silence now
          </Button>
        </div>
      )}
      <SegmentedControl
        fullWidth
        size="md"
        aria-label="For how long"
        data={spans}
        value={form.values.span}
        onChange={(span) => form.set({ span })}
      />
      {form.values.span === 'other' && (
        <TextInput
          label="Minutes"
          description="Up to 10,080: seven days."
          inputMode="numeric"
          value={form.values.minutes}
          onChange={(event) => form.set({ minutes: event.currentTarget.value })}
          onBlur={() => form.left('duration_minutes')}
          error={form.fault('duration_minutes')}
        />
      )}
      <TextInput
        label="Reason"
        description="Optional."
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
    <Form form={form} verb="Close" onCancel={onClose}>
      <p className={classes.hint}>
        {incident.status === 'ongoing'
          ? 'The incident is resolved and marked as closed by you. No new incident opens until it recovers.'
          : 'It is resolved already; closing marks it as dealt with.'}
      </p>
      <LongText form={form} name="note" label="Note" hint="Optional." />
    </Form>
  )
}
