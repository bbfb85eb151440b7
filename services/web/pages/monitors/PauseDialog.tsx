/** Asks why and for how long a monitor rests, and whether its open incident ends. */
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
      tellDone(`${name} is paused`)
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
    <Modal opened={opened} onClose={onClose} title={`Pause ${name}`}>
      <form onSubmit={submit}>
        <TextInput
          label="Reason"
          description="For other people. Can be empty"
          value={reason}
          maxLength={500}
          onChange={(event) => setReason(event.currentTarget.value)}
          data-autofocus
        />
        <NativeSelect
          mt="md"
          label="How long"
          value={minutes}
          data={pauseLengths}
          onChange={(event) => setMinutes(event.currentTarget.value)}
        />
        {open_incident_id && (
          <Checkbox
            mt="md"
            label="Resolve its open incident"
            checked={resolve}
            onChange={(event) => setResolve(event.currentTarget.checked)}
          />
        )}
        <Refused refusal={refusal} />
        <Buttons>
          <Button type="submit" loading={paused.isPending}>
            Pause
          </Button>
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
        </Buttons>
      </form>
    </Modal>
  )
}
