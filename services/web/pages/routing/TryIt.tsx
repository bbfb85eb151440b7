/**
 * A dry run: what the rules would do with an alert, which rule decided, and why. Nothing is stored.
 */
import { Button, NativeSelect, Textarea, TextInput } from '@mantine/core'
import { useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { alertQuery, alertsQuery } from '../../api/alerts.ts'
import { toRefusal } from '../../api/client.ts'
import { tryRules } from '../../api/routing.ts'
import { Refused } from '../../forms/Refused.tsx'
import { useJudge } from '../../forms/useJudge.ts'
import { PageHead } from '../../parts/Page.tsx'
import { routingText } from '../../texts/routing.ts'
import { instantOf } from './rule-values.ts'
import { example, parsed, sampleOf, written } from './sample.ts'
import { Trial } from './Trial.tsx'
import classes from './TryIt.module.css'

const back = { to: '/settings/routing', label: routingText('page.trail') }

export function TryRules() {
  const { alert: alert_id } = useSearch({ from: '/inside/settings/routing/try' })
  const { data: chosen } = useQuery({ ...alertQuery(alert_id ?? ''), enabled: alert_id !== undefined })
  return (
    <>
      <PageHead title={routingText('try.title')} answer={routingText('try.answer')} back={back} />
      <Tried key={chosen?.id} alert_id={alert_id} begin={chosen ? written(sampleOf(chosen)) : example} />
    </>
  )
}

function Tried({ alert_id, begin }: { alert_id: string | undefined; begin: string }) {
  const [typed, setTyped] = useState(begin)
  const [at, setAt] = useState('')
  const [faults, setFaults] = useState<readonly string[]>([])
  const trial = useMutation({ mutationFn: tryRules })
  const { want } = useJudge<null>(async () => (await import('../../../../schemas/http/routing.ts')).TestRulesBody)

  async function submit(): Promise<void> {
    const { alert, fault } = parsed(typed)
    const instant = instantOf(at)
    const body = { alert, ...(instant !== null && { at: instant }) }
    const judge = fault === null ? await want() : null
    const found = fault === null ? Object.entries(judge?.(null, body) ?? {}).map(([path, what]) => `${path}: ${what}`) : [fault]
    setFaults(found)
    if (found.length === 0) trial.mutate(body)
  }

  return (
    <div className={classes.columns}>
      <form
        className={classes.form}
        onSubmit={(event) => {
          event.preventDefault()
          void submit()
        }}
        noValidate
      >
        <Existing alert_id={alert_id} />
        <Textarea
          label={routingText('try.alert')}
          description={routingText('try.alert_hint')}
          classNames={{ input: classes.code ?? '' }}
          autosize
          minRows={8}
          maxRows={24}
          spellCheck={false}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          error={faults.length > 0 ? faults.join(' ') : undefined}
        />
        <TextInput
          type="datetime-local"
          label={routingText('try.at')}
          description={routingText('try.at_hint')}
          value={at}
          onChange={(event) => setAt(event.currentTarget.value)}
        />
        <Refused refusal={trial.error && toRefusal(trial.error)} />
        <div>
          <Button type="submit" loading={trial.isPending}>
            {routingText('try.verb')}
          </Button>
        </div>
      </form>
      <div aria-live="polite">{trial.data && <Trial answer={trial.data} />}</div>
    </div>
  )
}

/** Fills the form in with one of the newest alerts. */
function Existing({ alert_id }: { alert_id: string | undefined }) {
  const navigate = useNavigate({ from: '/settings/routing/try' })
  const { data } = useInfiniteQuery(alertsQuery({}))
  const alerts = data?.pages[0]?.items ?? []
  const known = alert_id === undefined || alerts.some(({ id }) => id === alert_id)
  return (
    <NativeSelect
      label={routingText('try.existing')}
      data={[
        { value: '', label: routingText('try.existing_none') },
        ...(known ? [] : [{ value: alert_id, label: alert_id }]),
        ...alerts.map(({ id, title }) => ({ value: id, label: title }))
      ]}
      value={alert_id ?? ''}
      onChange={(event) =>
        void navigate({ search: event.currentTarget.value === '' ? {} : { alert: event.currentTarget.value }, replace: true })
      }
    />
  )
}
