/** Calendar app addresses that contain a secret: they are created, shown once and revoked here. */
import { Button, NativeSelect } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { calendarFeedsQuery, createCalendarFeed, revokeCalendarFeed } from '../../api/on-call.ts'
import type { Schedule } from '../../api/shapes.ts'
import { Form } from '../../forms/Form.tsx'
import { useForm } from '../../forms/useForm.ts'
import { Confirm } from '../../parts/Confirm.tsx'
import { Copyable } from '../../parts/Copy.tsx'
import { LateModal } from '../../parts/LateModal.tsx'
import { Section } from '../../parts/Page.tsx'
import { Since } from '../../parts/Since.tsx'
import { Awaiting } from '../../parts/States.tsx'
import { tellDone } from '../../parts/tell.ts'
import { onCallText } from '../../texts/on-call.ts'
import classes from '../settings/List.module.css'
import own from './OnCall.module.css'

type Named = Pick<Schedule, 'id' | 'name'>

export function CalendarFeeds({ schedules }: { schedules: readonly Named[] }) {
  const asked = useQuery(calendarFeedsQuery)
  const { data } = asked
  const [opened, setOpened] = useState(false)
  const nameOf = (id: string | null): string =>
    id === null ? onCallText('feed.mine') : (schedules.find((one) => one.id === id)?.name ?? onCallText('schedule.unknown'))
  return (
    <Section
      title={onCallText('feed.title')}
      aside={
        <Button variant="default" size="xs" aria-haspopup="dialog" onClick={() => setOpened(true)}>
          {onCallText('feed.open')}
        </Button>
      }
    >
      {!data ? (
        <Awaiting of={asked} rows={1} />
      ) : data.items.length === 0 ? (
        <p className={classes.note}>{onCallText('feed.none')}</p>
      ) : (
        <ul className={classes.list} aria-label={onCallText('feed.title')}>
          {data.items.map(({ id, schedule_id, created_at }) => (
            <li key={id} className={classes.row}>
              <div>
                <p className={classes.name}>{nameOf(schedule_id)}</p>
                <p className={classes.facts}>
                  <span>
                    {onCallText('feed.made')} <Since at={created_at} />
                  </span>
                </p>
              </div>
              <div className={classes.actions}>
                <Revoke id={id} name={nameOf(schedule_id)} />
              </div>
            </li>
          ))}
        </ul>
      )}
      <LateModal opened={opened} onClose={() => setOpened(false)} title={onCallText('feed.create_title')}>
        <Making schedules={schedules} onClose={() => setOpened(false)} />
      </LateModal>
    </Section>
  )
}

function Making({ schedules, onClose }: { schedules: readonly Named[]; onClose: () => void }) {
  const queries = useQueryClient()
  const [url, setUrl] = useState<string | null>(null)
  const form = useForm({
    initial: { schedule_id: '' },
    schema: async () => (await import('../../../../schemas/http/on-call.ts')).CreateCalendarLinkBody,
    toBody: ({ schedule_id }) => ({ schedule_id: schedule_id === '' ? null : schedule_id }),
    save: createCalendarFeed,
    onSaved: (made) => {
      void queries.invalidateQueries({ queryKey: calendarFeedsQuery.queryKey })
      setUrl(made.url)
    }
  })
  if (url !== null)
    return (
      <div role="status" className={own.once}>
        <strong>{onCallText('feed.once')}</strong>
        <Copyable text={url} what={onCallText('feed.address')} />
        <p>{onCallText('feed.use')}</p>
        <Button variant="default" onClick={onClose}>
          {onCallText('feed.done')}
        </Button>
      </div>
    )
  const { values, set, fault } = form
  return (
    <Form form={form} verb={onCallText('feed.create')} onCancel={onClose}>
      <NativeSelect
        label={onCallText('feed.of')}
        data={[{ value: '', label: onCallText('feed.mine') }, ...schedules.map(({ id, name }) => ({ value: id, label: name }))]}
        value={values.schedule_id}
        onChange={(event) => set({ schedule_id: event.currentTarget.value })}
        error={fault('schedule_id')}
        data-autofocus
      />
    </Form>
  )
}

function Revoke({ id, name }: { id: string; name: string }) {
  const queries = useQueryClient()
  return (
    <Confirm
      label={onCallText('feed.revoke')}
      aria-label={onCallText('feed.revoke_one', { name })}
      question={onCallText('feed.revoke_question')}
      verb={onCallText('feed.revoke')}
      act={async () => {
        try {
          await revokeCalendarFeed(id)
        } finally {
          await queries.invalidateQueries({ queryKey: calendarFeedsQuery.queryKey })
        }
        tellDone(onCallText('feed.revoked'))
      }}
    >
      {onCallText('feed.revoke_hint')}
    </Confirm>
  )
}
