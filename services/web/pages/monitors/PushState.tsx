/**
 * The state of a monitor that no prober checks: the address where a program pushes the state, and
 * buttons that set it by hand.
 */
import { Button, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { type PushedState, pushState } from '../../api/monitors.ts'
import { useMay } from '../../api/session.ts'
import type { Monitor } from '../../api/shapes.ts'
import { Copyable } from '../../parts/Copy.tsx'
import { Section } from '../../parts/Page.tsx'
import { tellDone, tellRefused } from '../../parts/tell.ts'
import { monitorsText } from '../../texts/monitors.ts'
import classes from './MonitorForm.module.css'

const states = [
  { state: 'up', text: 'pushed.up' },
  { state: 'degraded', text: 'pushed.degraded' },
  { state: 'down', text: 'pushed.down' }
] as const

export function PushState({ monitor: { id, status } }: { monitor: Monitor }) {
  const queries = useQueryClient()
  const mayWrite = useMay('write')
  const [message, setMessage] = useState('')
  const again = useRef<(body: PushedState) => void>(() => undefined)
  const { mutate, isPending } = useMutation({
    mutationFn: (body: PushedState) => pushState(id, body),
    onSuccess: () => {
      tellDone(monitorsText('pushed.done'))
      setMessage('')
      void queries.invalidateQueries({ queryKey: ['monitors', 'one', id] })
    },
    onError: (error, body) => tellRefused(monitorsText('pushed.doing'), error, () => again.current(body))
  })
  again.current = mutate
  return (
    <Section title={monitorsText('pushed.title')}>
      <p className={classes.words}>{monitorsText('pushed.hint')}</p>
      <Copyable
        text={`POST ${window.location.origin}/api/v1/monitors/${id}/results {"state": "down"}`}
        what={monitorsText('pushed.address')}
      />
      {mayWrite && status !== 'paused' && (
        <div className={classes.push}>
          <TextInput
            label={monitorsText('pushed.message')}
            description={monitorsText('pushed.message.hint')}
            value={message}
            maxLength={1000}
            onChange={(event) => setMessage(event.currentTarget.value)}
          />
          <div className={classes.pushButtons}>
            {states.map(({ state, text }) => (
              <Button
                key={state}
                variant="default"
                loading={isPending}
                onClick={() => mutate({ state, ...(message.trim() !== '' && { message: message.trim() }) })}
              >
                {monitorsText(text)}
              </Button>
            ))}
          </div>
        </div>
      )}
    </Section>
  )
}
