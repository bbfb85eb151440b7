/** The form to change a heartbeat. It sends only the fields that were changed. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { client, isGone, take } from '../../api/client.ts'
import { readAgain } from '../../api/heartbeats.ts'
import { heartbeatQuery } from '../../api/lists.ts'
import { useMay } from '../../api/session.ts'
import type { HeartbeatWithSchedule } from '../../api/shapes.ts'
import { lateForm } from '../../forms/late-form.tsx'
import { useForm } from '../../forms/useForm.ts'
import { PageHead } from '../../parts/Page.tsx'
import { Awaiting, Problem } from '../../parts/States.tsx'
import { tellDone } from '../../parts/tell.ts'
import { heartbeatsText } from '../../texts/heartbeats.ts'
import { notAllowed } from './NewHeartbeat.tsx'
import { toChange, valuesOf } from './values.ts'

const HeartbeatForm = lateForm(async () => (await import('./HeartbeatForm.tsx')).HeartbeatForm)

export function EditHeartbeat() {
  const { id } = useParams({ from: '/inside/heartbeats/$id/edit' })
  const mayWrite = useMay('write')
  const asked = useQuery(heartbeatQuery(id))
  const { error } = asked
  const gone = isGone(error)
  const heartbeat = gone ? undefined : asked.data
  const title = heartbeat ? heartbeatsText('do.edit', { name: heartbeat.name }) : heartbeatsText('edit.title')
  return (
    <>
      <PageHead title={title} answer={title} back={{ to: `/heartbeats/${id}`, label: heartbeat?.name ?? heartbeatsText('page.one') }} />
      {!mayWrite && <Problem error={notAllowed} />}
      {mayWrite && heartbeat && <Edit key={id} heartbeat={heartbeat} />}
      {mayWrite && !heartbeat && (gone ? <Problem error={error} /> : <Awaiting of={asked} rows={8} />)}
    </>
  )
}

function Edit({ heartbeat: { id, ...rest } }: { heartbeat: HeartbeatWithSchedule }) {
  const queries = useQueryClient()
  const navigate = useNavigate()
  // The values at the time the form was opened. Data that is loaded later does not change the form.
  const [before] = useState(() => valuesOf({ id, ...rest }))
  const toPage = (): Promise<void> => navigate({ to: '/heartbeats/$id', params: { id } })
  const form = useForm({
    initial: before,
    schema: async () => (await import('../../../../schemas/http/heartbeats.ts')).UpdateHeartbeatBody,
    toBody: (values) => toChange(before, values),
    save: async (body) =>
      Object.keys(body).length === 0 ? null : take(client.PATCH('/api/v1/heartbeats/{id}', { params: { path: { id } }, body })),
    onSaved: async (saved) => {
      if (saved) {
        queries.setQueryData(heartbeatQuery(id).queryKey, saved)
        readAgain(queries)
        tellDone(heartbeatsText('edit.done', { name: saved.name }))
      }
      await toPage()
    }
  })
  return <HeartbeatForm form={form} verb={heartbeatsText('edit.verb')} before={before} onCancel={() => void toPage()} />
}
