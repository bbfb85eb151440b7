/**
 * The page of one delivery: its result and the reason, every attempt, what was sent, and a button
 * to send it again.
 */
import { Checkbox } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { isGone } from '../../api/client.ts'
import { deliveryQuery, redeliver } from '../../api/deliveries.ts'
import { incidentQuery } from '../../api/lists.ts'
import { useMay } from '../../api/session.ts'
import type { LedgerDetail } from '../../api/shapes.ts'
import { Confirm } from '../../parts/Confirm.tsx'
import { CopyBlock } from '../../parts/Copy.tsx'
import { Facts, PageHead, Section } from '../../parts/Page.tsx'
import { RuleLink } from '../../parts/Rules.tsx'
import { exact, Second, Since } from '../../parts/Since.tsx'
import { Awaiting, Problem } from '../../parts/States.tsx'
import { Status } from '../../parts/Status.tsx'
import { tellDone } from '../../parts/tell.ts'
import { deliveriesText } from '../../texts/deliveries.ts'
import { deliveryPagesText } from '../../texts/delivery-pages.ts'
import classes from './Deliveries.module.css'
import { lookOf } from './looks.ts'
import { useKinds } from './names.ts'
import { heldInWords, outcomeInWords, problemOf, whyInWords } from './words.ts'

const back = { to: '/settings/deliveries', label: deliveryPagesText('page.title') } as const

export function DeliveryPage() {
  const { id } = useParams({ from: '/inside/settings/deliveries/$id' })
  const asked = useQuery(deliveryQuery(id))
  const { data, error } = asked
  const title = deliveryPagesText('page.one')
  if (isGone(error) || !data)
    return (
      <>
        <PageHead title={title} answer={title} back={back} />
        {isGone(error) ? <Problem error={error} /> : <Awaiting of={asked} rows={6} />}
      </>
    )
  return <Shown key={data.id} delivery={data} />
}

function Shown({ delivery }: { delivery: LedgerDetail }) {
  const { event, target_name, queued_at, state, attempts } = delivery
  const { kindOf } = useKinds()
  const name = target_name ?? deliveriesText('row.somebody')
  const answer = `${deliveriesText(`event.${event}`)}: ${name}`
  return (
    <>
      <PageHead title={answer} answer={answer} back={back} actions={<Again delivery={delivery} />}>
        <Status look={lookOf(delivery)} filled />
        <span>{kindOf(delivery)}</span>
        <Since at={queued_at} />
      </PageHead>
      <Why delivery={delivery} />
      <Section title={deliveryPagesText('page.one')}>
        <DeliveryFacts delivery={delivery} />
      </Section>
      <Section title={deliveryPagesText('one.attempts')}>
        {attempts.length === 0 ? (
          <p className={classes.quiet}>
            {deliveryPagesText(state === 'queued' || state === 'sending' ? 'one.no_attempts_yet' : 'one.no_attempts')}
          </p>
        ) : (
          <Attempts delivery={delivery} />
        )}
        <Payload delivery={delivery} />
      </Section>
    </>
  )
}

/** Why nobody got it. */
function Why({ delivery }: { delivery: LedgerDetail }) {
  const { suppressed_by, suppressed_cause } = delivery
  const problem = problemOf(delivery)
  if (suppressed_by === null) return problem !== null && <p className={classes.words}>{problem}</p>
  return (
    <p className={classes.words}>
      {heldInWords(suppressed_by, suppressed_cause)}{' '}
      {suppressed_cause !== null && suppressed_by === 'rule' && <RuleLink id={suppressed_cause} />}
      {suppressed_cause !== null && suppressed_by === 'maintenance' && (
        <Link to="/maintenance/$id" params={{ id: suppressed_cause }}>
          {deliveriesText('held.which_window')}
        </Link>
      )}
      {suppressed_cause !== null && suppressed_by === 'silence' && (
        <Link to="/silences/$id" params={{ id: suppressed_cause }}>
          {deliveriesText('held.which_silence')}
        </Link>
      )}
    </p>
  )
}

function DeliveryFacts({ delivery }: { delivery: LedgerDetail }) {
  const {
    state,
    channel_id,
    target_name,
    incident_id,
    event,
    manual,
    queued_at,
    first_sent_at,
    delivered_at,
    next_attempt_at,
    expires_at
  } = delivery
  const { kindOf } = useKinds()
  const name = target_name ?? deliveriesText('row.somebody')
  const why = whyInWords(delivery)
  return (
    <Facts
      facts={[
        [
          deliveryPagesText('fact.to'),
          channel_id === null ? (
            name
          ) : (
            <Link key="channel" to="/settings/channels/$id" params={{ id: channel_id }}>
              {name}
            </Link>
          )
        ],
        [deliveryPagesText('fact.by'), kindOf(delivery)],
        incident_id === null ? null : [deliveryPagesText('fact.about'), <IncidentLink key="incident" id={incident_id} />],
        why === null ? null : [deliveryPagesText('fact.why'), why],
        [deliveryPagesText('fact.queued'), exact(queued_at)],
        first_sent_at === null ? null : [deliveryPagesText('fact.first_sent'), exact(first_sent_at)],
        delivered_at === null ? null : [deliveryPagesText(state === 'delivered' ? 'fact.arrived' : 'fact.taken'), exact(delivered_at)],
        next_attempt_at === null ? null : [deliveryPagesText('fact.next'), <Since key="next" at={next_attempt_at} />],
        next_attempt_at === null || event === 'test' ? null : [deliveryPagesText('fact.expires'), <Since key="expires" at={expires_at} />],
        manual && event !== 'test' ? [deliveryPagesText('fact.manual'), deliveryPagesText('fact.yes')] : null
      ]}
    />
  )
}

function IncidentLink({ id }: { id: string }) {
  const { data } = useQuery(incidentQuery(id))
  return (
    <Link to="/incidents/$id" params={{ id }}>
      {data?.title ?? deliveryPagesText('one.incident')}
    </Link>
  )
}

function Attempts({ delivery: { attempts } }: { delivery: LedgerDetail }) {
  return (
    <ol className={classes.attempts} aria-label={deliveryPagesText('one.attempts')}>
      {attempts.toReversed().map(({ n, at, latency_ms, outcome, http_status, error, provider_message_id }) => (
        <li key={n}>
          <p>
            <b>{deliveryPagesText('one.nth', { n })}</b>
            <span>{outcomeInWords(outcome)}</span>
            {http_status !== null && <span>{deliveryPagesText('one.status', { status: http_status })}</span>}
          </p>
          <p className={classes.note}>
            <Second at={at} />
            {latency_ms !== null && <span>{deliveryPagesText('one.took', { ms: latency_ms })}</span>}
            {error !== null && <span>{error}</span>}
            {provider_message_id !== null && <span>{deliveryPagesText('one.id', { id: provider_message_id })}</span>}
          </p>
        </li>
      ))}
    </ol>
  )
}

/** Returns the request as it was sent: first line, headers, then the body. */
const asText = ({ method, url, headers, body }: NonNullable<LedgerDetail['request']>): string =>
  [`${method} ${url}`, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`), '', readable(body ?? '')]
    .join('\n')
    .trimEnd()

function readable(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body
  }
}

function Payload({ delivery: { attempts, request, reply } }: { delivery: LedgerDetail }) {
  if (attempts.length === 0) return null
  return (
    <div className={classes.payload}>
      {request === null ? (
        <p className={classes.quiet}>{deliveryPagesText('one.request_gone')}</p>
      ) : (
        <CopyBlock title={deliveryPagesText('one.request')} text={asText(request)} />
      )}
      {reply !== null && reply !== '' && <CopyBlock title={deliveryPagesText('one.reply')} text={reply} />}
    </div>
  )
}

const open: readonly string[] = ['queued', 'sending', 'retrying'] satisfies LedgerDetail['state'][]

function Again({ delivery: { id, event, state } }: { delivery: LedgerDetail }) {
  const may = useMay('write')
  const queries = useQueryClient()
  const [force, setForce] = useState(false)
  // A test is repeated from the page of its channel.
  if (!may || event === 'test' || open.includes(state)) return null
  async function send(): Promise<void> {
    queries.setQueryData(deliveryQuery(id).queryKey, await redeliver(id, force))
    void queries.invalidateQueries({ queryKey: ['deliveries'] })
    tellDone(deliveryPagesText('again.done'))
  }
  return (
    <Confirm
      label={deliveryPagesText('again.verb')}
      question={deliveryPagesText('again.question')}
      verb={deliveryPagesText('again.verb')}
      act={send}
      harmless
    >
      {deliveryPagesText('again.hint')}
      {(event === 'down' || event === 'degraded') && (
        <Checkbox
          mt="sm"
          label={deliveryPagesText('again.over')}
          checked={force}
          onChange={(change) => setForce(change.currentTarget.checked)}
        />
      )}
    </Confirm>
  )
}
