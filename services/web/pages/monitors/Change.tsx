/** The form to change an existing monitor. */
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { monitorQuery } from '../../api/lists.ts'
import { changeMonitor } from '../../api/monitors.ts'
import type { Monitor } from '../../api/shapes.ts'
import { useForm } from '../../forms/useForm.ts'
import { tellDone } from '../../parts/tell.ts'
import { monitorFormText } from '../../texts/monitor-form.ts'
import { MonitorForm } from './MonitorForm.tsx'
import { changesOf, valuesOf } from './values.ts'

export function Change({ monitor }: { monitor: Monitor }) {
  const { id } = monitor
  const navigate = useNavigate()
  const queries = useQueryClient()
  // Data that loads while somebody types does not change the form.
  const [initial] = useState(() => valuesOf(monitor))
  const toMonitor = (): void => void navigate({ to: '/monitors/$id', params: { id } })
  const form = useForm({
    initial,
    schema: async () => (await import('../../../../schemas/http/monitors.ts')).updateBodyOf(initial.type),
    toBody: (values) => changesOf(initial, values),
    save: (body) => changeMonitor(id, body),
    onSaved: (saved) => {
      queries.setQueryData(monitorQuery(id).queryKey, saved)
      void queries.invalidateQueries({ queryKey: ['monitors', 'list'] })
      tellDone(monitorFormText('page.saved', { name: saved.name }))
      toMonitor()
    }
  })
  return (
    <MonitorForm
      form={form}
      before={initial}
      verb={monitorFormText('page.save')}
      onCancel={toMonitor}
      trialOf={(values) => ({ ...changesOf(initial, values), monitor_id: id })}
    />
  )
}
