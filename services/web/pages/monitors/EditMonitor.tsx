/** A monitor's settings, changed: only what differs is sent. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { updateBodyOf } from '../../../../schemas/http/monitors.ts'
import { Refusal } from '../../api/client.ts'
import { monitorQuery } from '../../api/lists.ts'
import { changeMonitor } from '../../api/monitors.ts'
import { useMay } from '../../api/session.ts'
import type { Monitor } from '../../api/shapes.ts'
import { useForm } from '../../forms/useForm.ts'
import { PageHead } from '../../parts/Page.tsx'
import { Awaiting, Problem } from '../../parts/States.tsx'
import { tellDone } from '../../parts/tell.ts'
import { MonitorForm } from './MonitorForm.tsx'
import { changesOf, valuesOf } from './values.ts'

export function EditMonitor() {
  const { id } = useParams({ from: '/inside/monitors/$id/edit' })
  const asked = useQuery(monitorQuery(id))
  const { data: monitor } = asked
  const mayWrite = useMay('write')
  if (!monitor) return <Awaiting of={asked} rows={10} />
  return (
    <>
      <PageHead
        title={`Edit ${monitor.name}`}
        back={{ to: `/monitors/${id}`, label: monitor.name }}
        answer={`How is ${monitor.name} checked?`}
      />
      {mayWrite ? (
        <Change monitor={monitor} />
      ) : (
        <Problem error={new Refusal(403, { code: 'FORBIDDEN', error: 'It needs the role editor or above.' })} />
      )}
    </>
  )
}

function Change({ monitor }: { monitor: Monitor }) {
  const { id } = monitor
  const navigate = useNavigate()
  const queries = useQueryClient()
  // What comes in while somebody types does not change the form.
  const [initial] = useState(() => valuesOf(monitor))
  const toMonitor = (): void => void navigate({ to: '/monitors/$id', params: { id } })
  const form = useForm({
    initial,
    schema: updateBodyOf(initial.type),
    toBody: (values) => changesOf(initial, values),
    save: (body) => changeMonitor(id, body),
    onSaved: (saved) => {
      queries.setQueryData(monitorQuery(id).queryKey, saved)
      void queries.invalidateQueries({ queryKey: ['monitors', 'list'] })
      tellDone(`${saved.name} is saved`)
      toMonitor()
    }
  })
  return (
    <MonitorForm
      form={form}
      before={initial}
      verb="Save"
      onCancel={toMonitor}
      trialOf={(values) => ({ ...changesOf(initial, values), monitor_id: id })}
    />
  )
}
