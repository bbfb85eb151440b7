/** Pausing asks for how long and why; resuming asks nothing. */
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

const spans: readonly [minutes: string, words: string][] = [
  ['', 'Until somebody resumes it'],
  ['60', 'For an hour'],
  ['240', 'For 4 hours'],
  ['1440', 'For a day'],
  ['10080', 'For a week'],
  ['43200', 'For 30 days']
]

export function PauseButton({ heartbeat }: { heartbeat: Heartbeat }) {
  const { id, name, phase } = heartbeat
  const queries = useQueryClient()
  const [asking, setAsking] = useState(false)
  const paused = phase === 'paused'

  async function resume(): Promise<void> {
    const takeBack = foresee(queries, id, { phase: 'waiting', paused_at: null, resume_at: null })
    try {
      await resumeHeartbeat(id)
      tellDone(`${name} is resumed and waits for its next ping`)
    } catch (error) {
      takeBack()
      tellRefused('Resuming', error, () => void resume())
    } finally {
      readAgain(queries)
    }
  }

  const act = (): void => (paused ? void resume() : setAsking(true))
  useKeys({ p: act })
  return (
    <>
      <Button variant="default" leftSection={paused ? <Play size={15} aria-hidden /> : <Pause size={15} aria-hidden />} onClick={act}>
        {paused ? 'Resume' : 'Pause'}
      </Button>
      <LateModal opened={asking} onClose={() => setAsking(false)} title={`Pause ${name}?`}>
        <PauseForm
          heartbeat={heartbeat}
          onClose={() => setAsking(false)}
          onPaused={() => {
            setAsking(false)
            readAgain(queries)
            tellDone(`${name} is paused`)
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
    <Form form={form} verb="Pause" onCancel={onClose}>
      <p className={classes.hint}>
        Pings are still logged, but nothing counts as missed.
        {open_incident_id && ' Its open incident is resolved.'}
      </p>
      <Select
        label="How long"
        data={spans.map(([value, label]) => ({ value, label }))}
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
        label="Reason"
        description="For people who wonder why it is paused. Can be empty."
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
