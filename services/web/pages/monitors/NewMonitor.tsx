/**
 * A new monitor: name, address, how often and from where; the rest has good defaults, or is as with
 * one that is there.
 */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { createBodyOf } from '../../../../schemas/http/monitors.ts'
import { Refusal } from '../../api/client.ts'
import { monitorQuery } from '../../api/lists.ts'
import { createMonitor } from '../../api/monitors.ts'
import { accountQuery, useMay } from '../../api/session.ts'
import type { Monitor } from '../../api/shapes.ts'
import { useForm } from '../../forms/useForm.ts'
import { PageHead } from '../../parts/Page.tsx'
import { PlanLimit } from '../../parts/PlanLimit.tsx'
import { Awaiting, Problem } from '../../parts/States.tsx'
import { tellDone } from '../../parts/tell.ts'
import { monitorsText } from '../../texts/monitors.ts'
import { MonitorForm } from './MonitorForm.tsx'
import { trialOfNew } from './trial-body.ts'
import { blank, createBody, valuesOf } from './values.ts'

/** As the api takes it. */
const MAX_NAME = 200

export function NewMonitor() {
  const asked = useQuery(accountQuery)
  const { data: account } = asked
  const { from } = useSearch({ from: '/inside/monitors/new' })
  const like = useQuery({ ...monitorQuery(from ?? ''), enabled: from !== undefined, refetchInterval: false })
  const mayWrite = useMay('write')
  const waits = !account || (from !== undefined && !like.data)
  return (
    <>
      <PageHead
        title="New monitor"
        back={{ to: '/monitors', label: 'Monitors' }}
        answer={like.data ? monitorsText('clone.answer', { name: like.data.name }) : 'What should be watched?'}
      >
        {like.data && hasSecrets(like.data) && <span>{monitorsText('clone.secrets')}</span>}
      </PageHead>
      {!mayWrite && <Problem error={new Refusal(403, { code: 'FORBIDDEN', error: 'It needs the role editor or above.' })} />}
      {mayWrite && waits && <Awaiting of={from === undefined ? asked : [asked, like]} rows={8} />}
      {mayWrite && account && !waits && (
        <>
          <PlanLimit of="monitors" />
          <Creation like={like.data ?? null} least={account.entitlements.min_interval_seconds ?? null} />
        </>
      )}
    </>
  )
}

/** What the api does not tell again: header values and passwords that are secret. */
const hasSecrets = ({ config: { headers = [], auth } }: Monitor): boolean =>
  headers.some(({ secret }) => secret) || auth?.type === 'basic' || auth?.type === 'bearer'

function Creation({ like, least }: { like: Monitor | null; least: number | null }) {
  const navigate = useNavigate()
  const queries = useQueryClient()
  const [initial] = useState(() =>
    like ? { ...valuesOf(like), name: monitorsText('clone.name', { name: like.name }).slice(0, MAX_NAME) } : blank(least)
  )
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
  return (
    <MonitorForm
      form={form}
      before={null}
      verb="Create the monitor"
      onCancel={() => void navigate({ to: '/monitors' })}
      trialOf={trialOfNew}
    />
  )
}
