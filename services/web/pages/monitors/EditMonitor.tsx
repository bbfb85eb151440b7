/** The page to change a monitor's settings. It sends only what differs. */
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { isGone, Refusal } from '../../api/client.ts'
import { monitorQuery } from '../../api/lists.ts'
import { useMay } from '../../api/session.ts'
import { lateForm } from '../../forms/late-form.tsx'
import { PageHead } from '../../parts/Page.tsx'
import { Awaiting, Problem } from '../../parts/States.tsx'
import { monitorFormText } from '../../texts/monitor-form.ts'
import { useChoicesCome } from './use-choices.ts'

/** Loaded late: the form contains the schemas of all monitor types. */
const Change = lateForm(async () => (await import('./Change.tsx')).Change)

export function EditMonitor() {
  const { id } = useParams({ from: '/inside/monitors/$id/edit' })
  const asked = useQuery(monitorQuery(id))
  const { data: monitor, error } = asked
  const mayWrite = useMay('write')
  const waits = useChoicesCome()
  if (isGone(error)) {
    const title = monitorFormText('page.back')
    return (
      <>
        <PageHead title={title} answer={title} back={{ to: '/monitors', label: title }} />
        <Problem error={error} />
      </>
    )
  }
  if (!monitor || waits) return <Awaiting of={asked} rows={10} />
  return (
    <>
      <PageHead
        title={monitorFormText('page.edit', { name: monitor.name })}
        back={{ to: `/monitors/${id}`, label: monitor.name }}
        answer={monitorFormText('page.edit_answer', { name: monitor.name })}
      />
      {mayWrite ? (
        <Change monitor={monitor} />
      ) : (
        <Problem error={new Refusal(403, { code: 'FORBIDDEN', error: monitorFormText('page.forbidden') })} />
      )}
    </>
  )
}
