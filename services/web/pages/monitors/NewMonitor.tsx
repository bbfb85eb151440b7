/** A new monitor: name, address, how often and from where; the rest has good defaults. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { createBodyOf } from '../../../../schemas/http/monitors.ts'
import { Refusal } from '../../api/client.ts'
import { createMonitor } from '../../api/monitors.ts'
import { accountQuery, useMay } from '../../api/session.ts'
import { useForm } from '../../forms/useForm.ts'
import { PageHead } from '../../parts/Page.tsx'
import { PlanLimit } from '../../parts/PlanLimit.tsx'
import { Awaiting, Problem } from '../../parts/States.tsx'
import { tellDone } from '../../parts/tell.ts'
import { MonitorForm } from './MonitorForm.tsx'
import { blank, createBody } from './values.ts'

export function NewMonitor() {
  const asked = useQuery(accountQuery)
  const { data: account } = asked
  const mayWrite = useMay('write')
  return (
    <>
      <PageHead title="New monitor" back={{ to: '/monitors', label: 'Monitors' }} answer="What should be watched?" />
      {!mayWrite && <Problem error={new Refusal(403, { code: 'FORBIDDEN', error: 'It needs the role editor or above.' })} />}
      {mayWrite && !account && <Awaiting of={asked} rows={8} />}
      {mayWrite && account && (
        <>
          <PlanLimit of="monitors" />
          <Creation least={account.entitlements.min_interval_seconds ?? null} />
        </>
      )}
    </>
  )
}

function Creation({ least }: { least: number | null }) {
  const navigate = useNavigate()
  const queries = useQueryClient()
  const [initial] = useState(() => blank(least))
  const form = useForm({
    initial,
    schema: ({ type }) => createBodyOf(type),
    toBody: createBody,
    save: createMonitor,
    onSaved: ({ id, name }) => {
      tellDone(`${name} is watched; its first check is under way`)
      void queries.invalidateQueries({ queryKey: ['monitors', 'list'] })
      void navigate({ to: '/monitors/$id', params: { id } })
    }
  })
  return <MonitorForm form={form} before={null} verb="Create the monitor" onCancel={() => void navigate({ to: '/monitors' })} />
}
