/** Creates a heartbeat. Its page then shows how to send the first ping. */
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { client, Refusal, take } from '../../api/client.ts'
import { readAgain } from '../../api/heartbeats.ts'
import { heartbeatQuery } from '../../api/lists.ts'
import { useMay } from '../../api/session.ts'
import { lateForm } from '../../forms/late-form.tsx'
import { useForm } from '../../forms/useForm.ts'
import { PageHead } from '../../parts/Page.tsx'
import { PlanLimit } from '../../parts/PlanLimit.tsx'
import { Problem } from '../../parts/States.tsx'
import { heartbeatsText } from '../../texts/heartbeats.ts'
import { fresh, toCreate } from './values.ts'

const HeartbeatForm = lateForm(async () => (await import('./HeartbeatForm.tsx')).HeartbeatForm)

/** The error shown to a person who may not write. */
export const notAllowed = new Refusal(403, { code: 'FORBIDDEN', details: [{ needed: { scope: 'write', role: 'editor' } }] })

export function NewHeartbeat() {
  const mayWrite = useMay('write')
  return (
    <>
      <PageHead
        title={heartbeatsText('do.new')}
        answer={heartbeatsText('do.new')}
        back={{ to: '/heartbeats', label: heartbeatsText('page.title') }}
      >
        <span>{heartbeatsText('new.hint')}</span>
      </PageHead>
      {mayWrite ? <Create /> : <Problem error={notAllowed} />}
    </>
  )
}

function Create() {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const form = useForm({
    initial: fresh,
    schema: async () => (await import('../../../../schemas/http/heartbeats.ts')).CreateHeartbeatBody,
    toBody: toCreate,
    save: (body) => take(client.POST('/api/v1/heartbeats', { body })),
    onSaved: async (made) => {
      queries.setQueryData(heartbeatQuery(made.id).queryKey, made)
      readAgain(queries)
      await navigate({ to: '/heartbeats/$id', params: { id: made.id } })
    }
  })
  return (
    <>
      <PlanLimit of="heartbeats" />
      <HeartbeatForm form={form} verb={heartbeatsText('new.verb')} before={null} onCancel={() => void navigate({ to: '/heartbeats' })} />
    </>
  )
}
