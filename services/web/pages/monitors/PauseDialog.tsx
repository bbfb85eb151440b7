/** Asks why and for how long to pause a monitor, and whether to resolve its open incident. */
import { Button, Checkbox, Modal, NativeSelect, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { type Refusal, toRefusal } from '../../api/client.ts'
import { monitorQuery } from '../../api/lists.ts'
import { type Pause, pauseMonitor } from '../../api/monitors.ts'
import type { Monitor } from '../../api/shapes.ts'
import { Buttons } from '../../forms/Form.tsx'
import { Refused } from '../../forms/Refused.tsx'
import { tellDone } from '../../parts/tell.ts'
import { monitorPageText } from '../../texts/monitor-page.ts'
import { pauseLengths } from './pause-lengths.ts'

export interface PauseDialogProps {
  monitor: Monitor
  opened: boolean
  onClose: () => void
  onPaused: () => void
}

export function PauseDialog({ monitor: { id, name, open_incident_id }, opened, onClose, onPaused }: PauseDialogProps) {
  const queries = useQueryClient()
  const [reason, setReason] = useState('')
  const [minutes, setMinutes] = useState('')
  const [resolve, setResolve] = useState(true)
  const [refusal, setRefusal] = useState<Refusal | null>(null)
  const paused = useMutation({
    mutationFn: (body: Pause) => pauseMonitor(id, body),
    onSuccess: (monitor) => {
      queries.setQueryData(monitorQuery(id).queryKey, monitor)
      tellDone(monitorPageText('pause.done', { name }))
      onPaused()
      onClose()
    },
    onError: (error) => setRefusal(toRefusal(error))
  })
  function submit(event: FormEvent): void {
    event.preventDefault()
    setRefusal(null)
    paused.mutate({
      ...(reason.trim() !== '' && { reason: reason.trim() }),
      ...(minutes !== '' && { minutes: Number(minutes) }),
      resolve_open: resolve
    })
  }
  return (
    <Modal opened={opened} onClose={onClose} title={monitorPageText('pause.title', { name })}>
      <form onSubmit={submit}>
        <TextInput
          label={monitorPageText('pause.reason')}
          description={monitorPageText('pause.reason_hint')}
          value={reason}
          maxLength={500}
          onChange={(event) => setReason(event.currentTarget.value)}
          data-autofocus
        />
        <NativeSelect
          mt="md"
          label={monitorPageText('pause.how_long')}
          value={minutes}
          data={pauseLengths()}
          onChange={(event) => setMinutes(event.currentTarget.value)}
        />
        {open_incident_id && (
          <Checkbox
            mt="md"
            label={monitorPageText('pause.resolve')}
            checked={resolve}
            onChange={(event) => setResolve(event.currentTarget.checked)}
          />
        )}
        <Refused refusal={refusal} />
        <Buttons>
          <Button type="submit" loading={paused.isPending}>
            {monitorPageText('pause.verb')}
          </Button>
          <Button variant="default" onClick={onClose}>
            {monitorPageText('pause.cancel')}
          </Button>
        </Buttons>
      </form>
    </Modal>
  )
}
