/**
 * The page of a new monitor: name, address, how often and from where. The rest has good defaults,
 * or is copied from an existing monitor.
 */
import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { Refusal } from '../../api/client.ts'
import { monitorQuery } from '../../api/lists.ts'
import { accountQuery, useMay } from '../../api/session.ts'
import type { Monitor } from '../../api/shapes.ts'
import { lateForm } from '../../forms/late-form.tsx'
import { PageHead } from '../../parts/Page.tsx'
import { PlanLimit } from '../../parts/PlanLimit.tsx'
import { Awaiting, Problem } from '../../parts/States.tsx'
import { monitorFormText } from '../../texts/monitor-form.ts'
import { monitorsText } from '../../texts/monitors.ts'
import { useChoicesCome } from './use-choices.ts'

/** Loaded late, because it includes the schemas of all monitor types. */
const Creation = lateForm(async () => (await import('./Creation.tsx')).Creation)

export function NewMonitor() {
  const asked = useQuery(accountQuery)
  const { data: account } = asked
  const { from } = useSearch({ from: '/inside/monitors/new' })
  const like = useQuery({ ...monitorQuery(from ?? ''), enabled: from !== undefined, refetchInterval: false })
  const mayWrite = useMay('write')
  const waits = useChoicesCome() || !account || (from !== undefined && !like.data)
  return (
    <>
      <PageHead
        title={monitorFormText('page.new')}
        back={{ to: '/monitors', label: monitorFormText('page.back') }}
        answer={like.data ? monitorsText('clone.answer', { name: like.data.name }) : monitorFormText('page.new_answer')}
      >
        {like.data && hasSecrets(like.data) && <span>{monitorsText('clone.secrets')}</span>}
      </PageHead>
      {!mayWrite && <Problem error={new Refusal(403, { code: 'FORBIDDEN', error: monitorFormText('page.forbidden') })} />}
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

/**
 * Whether the monitor has secrets that the API does not return: secret header values, passwords or
 * tokens.
 */
const hasSecrets = ({ config: { headers = [], auth } }: Monitor): boolean =>
  headers.some(({ secret }) => secret) || auth?.type === 'basic' || auth?.type === 'bearer'
