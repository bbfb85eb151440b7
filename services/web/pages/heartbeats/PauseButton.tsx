/**
 * The button to pause or resume. Pausing asks for the duration and the reason; resuming asks
 * nothing.
 */
import { Button, Checkbox, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { Pause, Play } from 'lucide-react'
import { useState } from 'react'
import { foresee, pauseHeartbeat, readAgain, resumeHeartbeat } from '../../api/heartbeats.ts'
import type { Heartbeat } from '../../api/shapes.ts'
import { Form } from '../../forms/Form.tsx'
import { Select } from '../../forms/late-fields.tsx'
import { useForm } from '../../forms/useForm.ts'
import { LateModal } from '../../parts/LateModal.tsx'
import { tellDone, tellRefused } from '../../parts/tell.ts'
import { useKeys } from '../../shell/keys.ts'
import { heartbeatsText } from '../../texts/heartbeats.ts'
import classes from './PauseButton.module.css'

/** Minutes. */
const lengths = ['60', '240', '1440', '10080', '43200'] as const

export function PauseButton({ heartbeat }: { heartbeat: Heartbeat }) {
  const { id, name, phase } = heartbeat
  const queries = useQueryClient()
  const [asking, setAsking] = useState(false)
  const paused = phase === 'paused'

  async function resume(): Promise<void> {
    const takeBack = foresee(queries, id, { phase: 'waiting', paused_at: null, resume_at: null })
    try {
      await resumeHeartbeat(id)
      tellDone(heartbeatsText('pause.resumed', { name }))
    } catch (error) {
      takeBack()
      tellRefused(heartbeatsText('pause.resuming'), error, () => void resume())
    } finally {
      readAgain(queries)
    }
  }

  const act = (): void => (paused ? void resume() : setAsking(true))
  useKeys({ p: act })
  return (
    <>
      <Button
        variant="default"
        leftSection={paused ? <Play size={15} aria-hidden /> : <Pause size={15} aria-hidden />}
        aria-haspopup={paused ? undefined : 'dialog'}
        onClick={act}
      >
        {heartbeatsText(paused ? 'pause.resume' : 'pause.verb')}
      </Button>
      <LateModal opened={asking} onClose={() => setAsking(false)} title={heartbeatsText('pause.question', { name })}>
        <PauseForm
          heartbeat={heartbeat}
          onClose={() => setAsking(false)}
          onPaused={() => {
            setAsking(false)
            readAgain(queries)
            tellDone(heartbeatsText('pause.done', { name }))
          }}
        />
      </LateModal>
    </>
  )
}

interface PauseFormProps {
  heartbeat: Heartbeat
  onClose: () => void
  onPaused: () => void
}

function PauseForm({ heartbeat: { id, open_incident_id }, onClose, onPaused }: PauseFormProps) {
  const form = useForm({
    initial: { reason: '', minutes: '', unpause_on_ping: false },
    schema: async () => (await import('../../../../schemas/http/heartbeats.ts')).PauseHeartbeatBody,
    toBody: ({ reason, minutes, unpause_on_ping }) => ({
      reason: reason.trim() === '' ? null : reason.trim(),
      ...(minutes !== '' && { minutes: Number(minutes) }),
      unpause_on_ping
    }),
    save: (body) => pauseHeartbeat(id, { reason: body.reason, minutes: body.minutes ?? null, unpause_on_ping: body.unpause_on_ping }),
    onSaved: onPaused
  })
  const { values, set, fault, left } = form
  return (
    <Form form={form} verb={heartbeatsText('pause.verb')} onCancel={onClose}>
      <p className={classes.hint}>
        {heartbeatsText('pause.hint')} {open_incident_id && heartbeatsText('pause.resolves')}
      </p>
      <Select
        label={heartbeatsText('pause.length')}
        data={[
          { value: '', label: heartbeatsText('length.open') },
          ...lengths.map((value) => ({ value, label: heartbeatsText(`length.${value}`) }))
        ]}
        value={values.minutes}
        onChange={(minutes) => set({ minutes: minutes ?? '' })}
        error={fault('minutes')}
      />
      <Checkbox
        label={heartbeatsText('pause.by_ping')}
        description={heartbeatsText('pause.by_ping_hint')}
        checked={values.unpause_on_ping}
        onChange={(event) => set({ unpause_on_ping: event.currentTarget.checked })}
      />
      <TextInput
        label={heartbeatsText('pause.reason')}
        description={heartbeatsText('pause.reason_hint')}
        value={values.reason}
        maxLength={500}
        onChange={(event) => set({ reason: event.currentTarget.value })}
        onBlur={() => left('reason')}
        error={fault('reason')}
        data-autofocus
      />
    </Form>
  )
}
