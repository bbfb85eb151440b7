/** Deletes a schedule. If something still names it, shows what does, with links. */
import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { type Refusal, toRefusal } from '../../api/client.ts'
import { deleteSchedule, readSchedulesAgain } from '../../api/on-call.ts'
import type { Schedule } from '../../api/shapes.ts'
import { Buttons } from '../../forms/Form.tsx'
import { Refused } from '../../forms/Refused.tsx'
import { LateModal } from '../../parts/LateModal.tsx'
import { tellDone } from '../../parts/tell.ts'
import { onCallText } from '../../texts/on-call.ts'

/** A place that names the schedule. `id` is empty if the person cannot see that place. */
interface Place {
  path?: string
  message?: string
  id?: string
}

const addresses: Readonly<Record<string, string>> = { schedules: '/on-call/schedules', escalation_policies: '/on-call/policies' }
const kinds = { schedules: 'delete.schedule', escalation_policies: 'delete.policy' } as const

export function DeleteSchedule({ schedule }: { schedule: Schedule }) {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const [opened, setOpened] = useState(false)
  const [acting, setActing] = useState(false)
  const [refusal, setRefusal] = useState<Refusal | null>(null)

  async function act(): Promise<void> {
    setActing(true)
    try {
      await deleteSchedule(schedule)
      tellDone(onCallText('delete.done', { name: schedule.name }))
      await navigate({ to: '/on-call' })
      await readSchedulesAgain(queries)
    } catch (error) {
      setRefusal(toRefusal(error))
    } finally {
      setActing(false)
    }
  }

  return (
    <>
      <Button
        variant="default"
        aria-haspopup="dialog"
        onClick={() => {
          setRefusal(null)
          setOpened(true)
        }}
      >
        {onCallText('delete.label')}
      </Button>
      <LateModal opened={opened} onClose={() => setOpened(false)} title={onCallText('delete.question', { name: schedule.name })}>
        <p>{onCallText('delete.hint')}</p>
        {refusal?.code === 'IN_USE' ? <Places places={refusal.details as readonly Place[]} /> : <Refused refusal={refusal} />}
        <Buttons>
          <Button color="red.9" loading={acting} onClick={() => void act()}>
            {onCallText('delete.verb')}
          </Button>
          <Button variant="default" onClick={() => setOpened(false)} data-autofocus>
            {onCallText('delete.cancel')}
          </Button>
        </Buttons>
      </LateModal>
    </>
  )
}

function Places({ places }: { places: readonly Place[] }) {
  return (
    <div role="alert">
      <p>{onCallText('delete.in_use')}</p>
      <ul>
        {places.map(({ path = '', message = '', id = '' }) => {
          const kind = path === 'schedules' || path === 'escalation_policies' ? onCallText(kinds[path]) : path
          const base = addresses[path]
          const href: string = `${base}/${id}`
          return (
            <li key={`${path} ${id} ${message}`}>
              {kind} {id !== '' && base !== undefined ? <Link to={href}>{message}</Link> : message}
            </li>
          )
        })}
      </ul>
    </div>
  )
}
