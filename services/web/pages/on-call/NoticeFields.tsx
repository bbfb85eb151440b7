/** Channels that are notified of who is on call: on every change, or at a set hour. */
import { Button, NativeSelect, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { deafFamilies, MAX_NOTICES, noticeTimes } from '../../../../schemas/http/on-call-words.ts'
import { channelKindsQuery, channelsQuery } from '../../api/channels.ts'
import { Group } from '../../forms/Form.tsx'
import type { Form as FormState } from '../../forms/useForm.ts'
import { onCallText } from '../../texts/on-call.ts'
import { DaysField } from './DaysField.tsx'
import classes from './ScheduleForm.module.css'
import { type NoticeRow, newNotice, type ScheduleValues } from './schedule-values.ts'

interface Choice {
  value: string
  label: string
}

/** Returns the channels that people read. */
function useReaders(): Choice[] {
  const { data: kinds } = useQuery(channelKindsQuery)
  const { data: channels } = useQuery(channelsQuery)
  const deaf = new Set(kinds?.items.filter(({ family }) => deafFamilies.some((one) => one === family)).map(({ kind }) => kind))
  return (channels?.items ?? []).filter(({ kind }) => !deaf.has(kind)).map(({ id, name }) => ({ value: id, label: name }))
}

export function NoticeFields({ form: { values, set, fault } }: { form: FormState<ScheduleValues> }) {
  const { notices } = values
  const channels = useReaders()
  return (
    <Group title={onCallText('notice.title')} hint={onCallText('notice.hint')}>
      {notices.map((row, at) => (
        <Row
          key={row.key}
          label={onCallText('notice.number', { number: at + 1 })}
          row={row}
          channels={channels}
          onChange={(next) => set({ notices: notices.map((one) => (one.key === row.key ? next : one)) })}
          onRemove={() => set({ notices: notices.filter(({ key }) => key !== row.key) })}
          fault={(field) => fault(`notices[${at}].${field}`)}
        />
      ))}
      {notices.length < MAX_NOTICES && (
        <div>
          <Button
            variant="default"
            leftSection={<Plus size={16} aria-hidden />}
            onClick={() => set({ notices: [...notices, newNotice(channels[0]?.value ?? '')] })}
          >
            {onCallText('notice.add')}
          </Button>
        </div>
      )}
    </Group>
  )
}

interface RowProps {
  label: string
  row: NoticeRow
  channels: readonly Choice[]
  onChange: (row: NoticeRow) => void
  onRemove: () => void
  fault: (field: 'channel_id' | 'when' | 'at' | 'days') => string | undefined
}

function Row({ label, row, channels, onChange, onRemove, fault }: RowProps) {
  const { channel_id, when, at, days } = row
  const set = (change: Partial<NoticeRow>): void => onChange({ ...row, ...change })
  const isKnown = channels.some(({ value }) => value === channel_id)
  return (
    <fieldset className={classes.window} aria-label={label}>
      <div className={classes.fields}>
        <NativeSelect
          label={onCallText('notice.channel')}
          data={[
            ...(isKnown ? [] : [{ value: channel_id, label: onCallText(channel_id === '' ? 'notice.choose' : 'notice.unseen') }]),
            ...channels
          ]}
          value={channel_id}
          onChange={(event) => set({ channel_id: event.currentTarget.value })}
          error={fault('channel_id')}
        />
        <NativeSelect
          label={onCallText('notice.when')}
          data={noticeTimes.map((time) => ({ value: time, label: onCallText(`notice.${time}`) }))}
          value={when}
          onChange={(event) => set({ when: noticeTimes.find((time) => time === event.currentTarget.value) ?? 'on_change' })}
          error={fault('when')}
        />
        {when !== 'on_change' && (
          <TextInput
            type="time"
            label={onCallText('notice.at')}
            value={at}
            onChange={(event) => set({ at: event.currentTarget.value })}
            error={fault('at')}
          />
        )}
      </div>
      {when !== 'on_change' && (
        <DaysField
          label={onCallText('notice.days')}
          hint={onCallText(`notice.days_${when}`)}
          days={days}
          onChange={(next) => set({ days: next })}
          error={fault('days')}
        />
      )}
      <div>
        <Button variant="default" size="xs" onClick={onRemove} aria-label={onCallText('window.remove_one', { label })}>
          {onCallText('window.remove')}
        </Button>
      </div>
    </fieldset>
  )
}
