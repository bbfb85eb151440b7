/**
 * What a person does to one monitor: check it now, pause it for a while, resume it, edit it, delete
 * it.
 */
import { Button, Checkbox, Group, Modal, NativeSelect, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { Pause as PauseIcon, Pencil, Play, RefreshCw } from 'lucide-react'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { client, Refusal, take, toRefusal } from '../../api/client.ts'
import { monitorQuery } from '../../api/lists.ts'
import { checkNow, deleteMonitor, type Pause, pauseMonitor, resumeMonitor } from '../../api/monitors.ts'
import { useMay } from '../../api/session.ts'
import type { Check, Monitor } from '../../api/shapes.ts'
import { Refused } from '../../forms/Refused.tsx'
import { Confirm } from '../../parts/Confirm.tsx'
import { tellDone, tellRefused } from '../../parts/tell.ts'
import { useKeys } from '../../shell/keys.ts'

/** A check may take a minute, and the log has it some seconds later; most are there soon. */
const RESULTS_WITHIN_MS = 75_000
const SOON_MS = 10_000
const pauses = { soon: 1_000, later: 3_000 } as const

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/**
 * The results of these checks, once all of them are there; null: they take longer than anybody
 * waits.
 */
async function resultsOf(id: string, check_ids: readonly string[], signal: AbortSignal): Promise<Check[] | null> {
  const began = Date.now()
  for (let waited = 0; waited < RESULTS_WITHIN_MS; waited = Date.now() - began) {
    await pause(waited < SOON_MS ? pauses.soon : pauses.later)
    try {
      const { items } = await take(
        client.GET('/api/v1/monitors/{id}/checks', { params: { path: { id }, query: { per_page: 50 } }, signal })
      )
      const found = items.filter(({ check_id }) => check_ids.includes(check_id))
      if (found.length === check_ids.length) return found
    } catch (error) {
      // The check runs all the same: what cannot be read just now is read a moment later.
      if (!(error instanceof Refusal) || !error.mayPass) throw error
    }
  }
  return null
}

const isGood = ({ outcome }: Check): boolean => outcome === 'success' || outcome === 'degraded'

function told(results: readonly Check[]): string {
  const good = results.filter(isGood).length
  const regions = `${results.length} ${results.length === 1 ? 'region' : 'regions'}`
  if (good === results.length) return `Checked from ${regions}: it answers as expected`
  const failed = results.find((result) => !isGood(result))
  return `Checked from ${regions}: ${results.length - good} failed${failed?.message ? `. ${failed.message}` : ''}`
}

function useCheckNow(id: string) {
  const queries = useQueryClient()
  const ending = useRef<AbortController>(null)
  useEffect(() => () => ending.current?.abort(), [])
  return useMutation({
    mutationFn: async () => {
      const { check_ids } = await checkNow(id)
      const controller = new AbortController()
      ending.current = controller
      return resultsOf(id, check_ids, controller.signal)
    },
    onSuccess: (results) => {
      tellDone(
        results ? told(results) : 'The check runs; its results will appear below',
        results && !results.every(isGood) ? 'bad' : 'good'
      )
      void queries.invalidateQueries({ queryKey: ['monitors', 'one', id] })
      void queries.invalidateQueries({ queryKey: ['analytics', 'uptime', id] })
    },
    onError: (error) => {
      if (!(error instanceof DOMException)) tellRefused('Checking now', error)
    }
  })
}

export function MonitorActions({ monitor }: { monitor: Monitor }) {
  const { id, name, status } = monitor
  const navigate = useNavigate()
  const queries = useQueryClient()
  const mayWrite = useMay('write')
  const [pausing, setPausing] = useState(false)
  const check = useCheckNow(id)
  const settle = (): void => {
    void queries.invalidateQueries({ queryKey: ['monitors'] })
    void queries.invalidateQueries({ queryKey: ['incidents'] })
  }
  const resume = useMutation({
    mutationFn: () => resumeMonitor(id),
    onSuccess: (resumed) => {
      queries.setQueryData(monitorQuery(id).queryKey, resumed)
      tellDone(`${name} is checked again`)
    },
    onError: (error) => tellRefused('Resuming', error),
    onSettled: settle
  })
  const paused = status === 'paused'
  const toggle = (): void => (paused ? resume.mutate() : setPausing(true))
  useKeys({
    ...(mayWrite && { e: () => void navigate({ to: '/monitors/$id/edit', params: { id } }), p: toggle })
  })
  if (!mayWrite) return null
  return (
    <>
      {!paused && (
        <Button
          variant="default"
          leftSection={<RefreshCw size={15} aria-hidden />}
          loading={check.isPending}
          onClick={() => check.mutate()}
        >
          Check now
        </Button>
      )}
      <Button
        variant={paused ? 'filled' : 'default'}
        leftSection={paused ? <Play size={15} aria-hidden /> : <PauseIcon size={15} aria-hidden />}
        loading={resume.isPending}
        onClick={toggle}
      >
        {paused ? 'Resume' : 'Pause'}
      </Button>
      <Button
        variant="default"
        leftSection={<Pencil size={15} aria-hidden />}
        renderRoot={(props) => <Link to="/monitors/$id/edit" params={{ id }} {...props} />}
      >
        Edit
      </Button>
      <Confirm
        label="Delete"
        question={`Delete ${name}?`}
        verb="Delete the monitor"
        act={async () => {
          await deleteMonitor(id)
          tellDone(`${name} is deleted`)
          void navigate({ to: '/monitors' })
          queries.removeQueries({ queryKey: ['monitors', 'one', id] })
          settle()
        }}
      >
        It is no longer checked, and its open incident is closed. What was recorded stays as long as the plan keeps it.
      </Confirm>
      <PauseDialog monitor={monitor} opened={pausing} onClose={() => setPausing(false)} onPaused={settle} />
    </>
  )
}

const lengths = [
  { value: '', label: 'Until somebody resumes it' },
  { value: '30', label: '30 minutes' },
  { value: '60', label: '1 hour' },
  { value: '240', label: '4 hours' },
  { value: '1440', label: '1 day' },
  { value: '10080', label: '7 days' }
]

interface PauseDialogProps {
  monitor: Monitor
  opened: boolean
  onClose: () => void
  onPaused: () => void
}

function PauseDialog({ monitor: { id, name, open_incident_id }, opened, onClose, onPaused }: PauseDialogProps) {
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
          description="For the others; may be empty"
          value={reason}
          maxLength={500}
          onChange={(event) => setReason(event.currentTarget.value)}
          data-autofocus
        />
        <NativeSelect mt="md" label="How long" value={minutes} data={lengths} onChange={(event) => setMinutes(event.currentTarget.value)} />
        {open_incident_id && (
          <Checkbox
            mt="md"
            label="Resolve its open incident"
            checked={resolve}
            onChange={(event) => setResolve(event.currentTarget.checked)}
          />
        )}
        <Refused refusal={refusal} />
        <Group justify="flex-end" mt="lg">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={paused.isPending}>
            Pause
          </Button>
        </Group>
      </form>
    </Modal>
  )
}
