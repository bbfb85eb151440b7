/** The form to create a monitor. `like` is the monitor whose settings it starts from. */
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { createMonitor } from '../../api/monitors.ts'
import type { Monitor } from '../../api/shapes.ts'
import { useForm } from '../../forms/useForm.ts'
import { tellDone } from '../../parts/tell.ts'
import { monitorFormText } from '../../texts/monitor-form.ts'
import { monitorsText } from '../../texts/monitors.ts'
import { MonitorForm } from './MonitorForm.tsx'
import { trialOfNew } from './trial-body.ts'
import { blank, createBody, valuesOf } from './values.ts'

/** As the api takes it. */
const MAX_NAME = 200

export function Creation({ like, least }: { like: Monitor | null; least: number | null }) {
  const navigate = useNavigate()
  const queries = useQueryClient()
  const [initial] = useState(() =>
    like ? { ...valuesOf(like), name: monitorsText('clone.name', { name: like.name }).slice(0, MAX_NAME) } : blank(least)
  )
  const form = useForm({
    initial,
    schema: async () => {
      const { createBodyOf } = await import('../../../../schemas/http/monitors.ts')
      return ({ type }) => createBodyOf(type)
    },
    toBody: (values) => createBody(values, like),
    save: createMonitor,
    onSaved: ({ id, name }) => {
      tellDone(monitorFormText('page.created', { name }))
      void queries.invalidateQueries({ queryKey: ['monitors', 'list'] })
      void navigate({ to: '/monitors/$id', params: { id } })
    }
  })
  return (
    <MonitorForm
      form={form}
      before={null}
      verb={monitorFormText('page.create')}
      onCancel={() => void navigate({ to: '/monitors' })}
      trialOf={(values) => trialOfNew(values, like)}
    />
  )
}
