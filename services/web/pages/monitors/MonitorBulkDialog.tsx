/** The dialog that asks for details before a change of several monitors. */
import { Modal, NativeSelect, TextInput } from '@mantine/core'
import { useMounted } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useRef } from 'react'
import { teamsQuery } from '../../api/lists.ts'
import { monitorGroupsQuery } from '../../api/monitor-groups.ts'
import { changeMonitors } from '../../api/monitors.ts'
import { accountQuery } from '../../api/session.ts'
import type { MonitorBulk, MonitorBulkAnswer } from '../../api/shapes.ts'
import { Form } from '../../forms/Form.tsx'
import { TeamSelect } from '../../forms/TeamSelect.tsx'
import { textOrNull } from '../../forms/text-or-null.ts'
import { useForm } from '../../forms/useForm.ts'
import { durationInWords } from '../../parts/duration-words.ts'
import { monitorBulkText } from '../../texts/monitor-bulk.ts'
import { countedMonitors } from './counted-monitors.ts'
import { GroupSelect } from './GroupSelect.tsx'
import { intervals } from './intervals.ts'
import classes from './MonitorForm.module.css'
import { pauseLengths } from './pause-lengths.ts'

/** Loads when the dialog opens. */
const bulkForm = async () => (await import('../../../../schemas/http/monitors.ts')).MonitorBulkForm

export interface AskedOfMonitors {
  action: 'pause' | 'tags' | 'team' | 'group' | 'interval' | 'delete'
  ids: string[]
}

export interface MonitorBulkDialogProps {
  /** null: closed. */
  asked: AskedOfMonitors | null
  onClose: () => void
  onDone: (answer: MonitorBulkAnswer) => void
}

export function MonitorBulkDialog({ asked, onClose, onDone }: MonitorBulkDialogProps) {
  // While the dialog fades out, it keeps its last content.
  const shown = useRef<AskedOfMonitors | null>(null)
  if (asked) shown.current = asked
  const last = shown.current
  // Open only after the mount: otherwise the dialog does not know where the focus was before.
  const isThere = useMounted()
  const titleOf = ({ action, ids }: AskedOfMonitors): string =>
    monitorBulkText(`${action}.title`, { monitors: countedMonitors(ids.length) })
  const rest = {
    onClose,
    onDone: (answer: MonitorBulkAnswer): void => {
      onDone(answer)
      onClose()
    }
  }
  return (
    <Modal opened={isThere && asked !== null} onClose={onClose} title={last ? titleOf(last) : ''}>
      {last?.action === 'pause' && <PauseForm ids={last.ids} {...rest} />}
      {last?.action === 'tags' && <TagsForm ids={last.ids} {...rest} />}
      {last?.action === 'team' && <TeamForm ids={last.ids} {...rest} />}
      {last?.action === 'group' && <GroupForm ids={last.ids} {...rest} />}
      {last?.action === 'interval' && <IntervalForm ids={last.ids} {...rest} />}
      {last?.action === 'delete' && <DeleteForm ids={last.ids} {...rest} />}
    </Modal>
  )
}

interface FormProps {
  ids: string[]
  onClose: () => void
  onDone: (answer: MonitorBulkAnswer) => void
}

function PauseForm({ ids, onClose, onDone }: FormProps) {
  const form = useForm({
    initial: { reason: '', minutes: '' },
    schema: bulkForm,
    toBody: ({ reason, minutes }): MonitorBulk => ({
      ids,
      action: 'pause',
      reason: textOrNull(reason),
      ...(minutes !== '' && { minutes: Number(minutes) })
    }),
    save: changeMonitors,
    onSaved: onDone
  })
  return (
    <Form form={form} verb={monitorBulkText('pause.verb')} onCancel={onClose}>
      <p className={classes.words}>{monitorBulkText('pause.hint')}</p>
      <TextInput
        label={monitorBulkText('pause.reason')}
        description={monitorBulkText('pause.reason_hint')}
        value={form.values.reason}
        onChange={(event) => form.set({ reason: event.currentTarget.value })}
        error={form.fault('reason')}
        data-autofocus
      />
      <NativeSelect
        label={monitorBulkText('pause.minutes')}
        data={pauseLengths()}
        value={form.values.minutes}
        onChange={(event) => form.set({ minutes: event.currentTarget.value })}
        error={form.fault('minutes')}
      />
    </Form>
  )
}

const tagsIn = (text: string): string[] =>
  text
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '')

function TagsForm({ ids, onClose, onDone }: FormProps) {
  const form = useForm({
    initial: { add: '', remove: '' },
    schema: bulkForm,
    toBody: ({ add, remove }): MonitorBulk => {
      const [add_tags, remove_tags] = [tagsIn(add), tagsIn(remove)]
      return {
        ids,
        action: 'patch',
        patch: { ...((add_tags.length > 0 || remove_tags.length === 0) && { add_tags }), ...(remove_tags.length > 0 && { remove_tags }) }
      }
    },
    save: changeMonitors,
    onSaved: onDone
  })
  return (
    <Form form={form} verb={monitorBulkText('tags.verb')} onCancel={onClose}>
      <TextInput
        label={monitorBulkText('tags.add')}
        description={monitorBulkText('tags.hint')}
        value={form.values.add}
        onChange={(event) => form.set({ add: event.currentTarget.value })}
        error={form.fault('patch.add_tags')}
        data-autofocus
      />
      <TextInput
        label={monitorBulkText('tags.remove')}
        description={monitorBulkText('tags.hint')}
        value={form.values.remove}
        onChange={(event) => form.set({ remove: event.currentTarget.value })}
        error={form.fault('patch.remove_tags')}
      />
    </Form>
  )
}

function TeamForm({ ids, onClose, onDone }: FormProps) {
  const { data } = useQuery(teamsQuery)
  const form = useForm({
    initial: { team_id: '' },
    schema: bulkForm,
    toBody: ({ team_id }): MonitorBulk => ({ ids, action: 'patch', patch: { team_id: team_id === '' ? null : team_id } }),
    save: changeMonitors,
    onSaved: onDone
  })
  return (
    <Form form={form} verb={monitorBulkText('team.verb')} onCancel={onClose}>
      <p className={classes.words}>{monitorBulkText(data?.items.length === 0 ? 'team.none' : 'team.hint')}</p>
      <TeamSelect value={form.values.team_id} onChange={(team_id) => form.set({ team_id })} error={form.fault('patch.team_id')} />
    </Form>
  )
}

function GroupForm({ ids, onClose, onDone }: FormProps) {
  const { data } = useQuery(monitorGroupsQuery)
  const form = useForm({
    initial: { group_id: '' },
    schema: bulkForm,
    toBody: ({ group_id }): MonitorBulk => ({ ids, action: 'patch', patch: { group_id: group_id === '' ? null : group_id } }),
    save: changeMonitors,
    onSaved: onDone
  })
  if (data?.items.length === 0)
    return (
      <p className={classes.words}>
        {monitorBulkText('group.none')} <Link to="/monitors/groups">{monitorBulkText('group.first')}</Link>
      </p>
    )
  return (
    <Form form={form} verb={monitorBulkText('group.verb')} onCancel={onClose}>
      <p className={classes.words}>{monitorBulkText('group.hint')}</p>
      <GroupSelect value={form.values.group_id} onChange={(group_id) => form.set({ group_id })} error={form.fault('patch.group_id')} />
    </Form>
  )
}

function IntervalForm({ ids, onClose, onDone }: FormProps) {
  const { data: account } = useQuery(accountQuery)
  const least = account?.entitlements.min_interval_seconds ?? 0
  const form = useForm({
    initial: { interval: String(intervals.find((seconds) => seconds >= Math.max(60, least)) ?? 60) },
    schema: bulkForm,
    toBody: ({ interval }): MonitorBulk => ({ ids, action: 'patch', patch: { interval_seconds: Number(interval) } }),
    save: changeMonitors,
    onSaved: onDone
  })
  return (
    <Form form={form} verb={monitorBulkText('interval.verb')} onCancel={onClose}>
      <NativeSelect
        label={monitorBulkText('interval.label')}
        data={intervals
          .filter((seconds) => seconds >= least)
          .map((seconds) => ({ value: String(seconds), label: durationInWords(seconds) }))}
        value={form.values.interval}
        onChange={(event) => form.set({ interval: event.currentTarget.value })}
        error={form.fault('patch.interval_seconds')}
        data-autofocus
      />
    </Form>
  )
}

function DeleteForm({ ids, onClose, onDone }: FormProps) {
  const form = useForm({
    initial: {},
    schema: bulkForm,
    toBody: (): MonitorBulk => ({ ids, action: 'delete' }),
    save: changeMonitors,
    onSaved: onDone
  })
  return (
    <Form form={form} verb={monitorBulkText('delete.verb')} danger onCancel={onClose}>
      <p className={classes.words}>{monitorBulkText('delete.hint')}</p>
    </Form>
  )
}
