/** The dialog to create a group of monitors, or to change its name, description and position. */
import { Modal, Textarea, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { changeMonitorGroup, createMonitorGroup } from '../../api/monitor-groups.ts'
import type { MonitorGroup } from '../../api/shapes.ts'
import { differing } from '../../forms/differing.ts'
import { Form } from '../../forms/Form.tsx'
import { useForm } from '../../forms/useForm.ts'
import { tellDone } from '../../parts/tell.ts'
import { monitorGroupsText } from '../../texts/monitor-groups.ts'

export interface GroupDialogProps {
  opened: boolean
  /** The group to change. Undefined for a new one. */
  group: MonitorGroup | undefined
  onClose: () => void
}

export function GroupDialog({ opened, group, onClose }: GroupDialogProps) {
  const title = group ? monitorGroupsText('group.edit_title', { name: group.name }) : monitorGroupsText('group.create_title')
  return (
    <Modal opened={opened} onClose={onClose} title={title}>
      <GroupForm group={group} onClose={onClose} />
    </Modal>
  )
}

interface Values {
  name: string
  description: string
  order: string
}

/** Text that is not a number becomes -1. That is below the minimum, so the field shows a fault. */
const bodyOf = ({ name, description, order }: Values) => ({
  name: name.trim(),
  description,
  order: /^\d{1,6}$/.test(order.trim()) ? Number(order) : -1
})

function GroupForm({ group, onClose }: Omit<GroupDialogProps, 'opened'>) {
  const queries = useQueryClient()
  const [initial] = useState({ name: group?.name ?? '', description: group?.description ?? '', order: String(group?.order ?? 0) })
  const form = useForm({
    initial,
    schema: async () => (await import('../../../../schemas/http/monitor-groups.ts')).CreateGroupBody,
    toBody: bodyOf,
    save: (body) => (group ? changeMonitorGroup(group.id, differing(bodyOf(initial), body)) : createMonitorGroup(body)),
    onSaved: ({ name }) => {
      tellDone(monitorGroupsText('groups.saved', { name }))
      void queries.invalidateQueries({ queryKey: ['monitors'] })
      onClose()
    }
  })
  const { values, set, fault, left } = form
  return (
    <Form form={form} verb={monitorGroupsText(group ? 'group.save_verb' : 'group.create_verb')} onCancel={onClose}>
      <TextInput
        label={monitorGroupsText('group.name')}
        required
        value={values.name}
        onChange={(event) => set({ name: event.currentTarget.value })}
        onBlur={() => values.name !== '' && left('name')}
        error={fault('name')}
        data-autofocus
      />
      <Textarea
        label={monitorGroupsText('group.description')}
        autosize
        minRows={2}
        value={values.description}
        onChange={(event) => set({ description: event.currentTarget.value })}
        onBlur={() => left('description')}
        error={fault('description')}
      />
      <TextInput
        label={monitorGroupsText('group.order')}
        description={monitorGroupsText('group.order_hint')}
        inputMode="numeric"
        value={values.order}
        onChange={(event) => set({ order: event.currentTarget.value })}
        onBlur={() => left('order')}
        error={fault('order')}
      />
    </Form>
  )
}
