/**
 * The part of an incident's page that says who was notified, when and how, or why not. It starts
 * with the person who is looking.
 */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { deliveriesOfQuery, OF_INCIDENT } from '../../api/deliveries.ts'
import { useSession } from '../../api/session.ts'
import type { Incident, LedgerItem } from '../../api/shapes.ts'
import { Section } from '../../parts/Page.tsx'
import { dayTime, Second } from '../../parts/Since.tsx'
import { Awaiting } from '../../parts/States.tsx'
import { Status } from '../../parts/Status.tsx'
import { deliveriesText } from '../../texts/deliveries.ts'
import { incidentsText } from '../../texts/incidents.ts'
import classes from './Deliveries.module.css'
import { lookOf } from './looks.ts'
import { useKinds } from './names.ts'
import { byTarget, heldInWords, mineInWords, problemOf, type Target, toldCount } from './words.ts'

export function Told({ incident }: { incident: Incident }) {
  const { user } = useSession()
  const { kindOf } = useKinds()
  const asked = useQuery(deliveriesOfQuery(incident.id))
  const items = asked.data?.items
  if (!items)
    return (
      <Section title={deliveriesText('told.title')}>
        <Awaiting of={asked} rows={2} />
      </Section>
    )
  const targets = byTarget(items)
  const mine = items.filter(({ user_id }) => user_id !== null && user_id === user?.id)
  return (
    <Section
      title={deliveriesText('told.title')}
      aside={
        targets.length > 0 && (
          <>
            <span>{deliveriesText('told.counts', { told: toldCount(targets), all: targets.length })}</span>
            <Link to="/settings/deliveries" search={{ incident_id: incident.id }}>
              {deliveriesText('told.all')}
            </Link>
          </>
        )
      }
    >
      {user && (
        <p className={classes.mine}>
          <b>{deliveriesText('mine.title')}</b>{' '}
          {mineInWords(incident, mine, {
            kindOf,
            timeOf: dayTime,
            heldBy: (kind) => incidentsText(`held.${kind}`)
          })}
        </p>
      )}
      {targets.length === 0 ? (
        <p className={classes.quiet}>{deliveriesText('told.none')}</p>
      ) : (
        <ul className={classes.told} aria-label={deliveriesText('told.title')}>
          {targets.map((target) => (
            <OneTarget key={target.id} target={target} />
          ))}
        </ul>
      )}
      {items.length === OF_INCIDENT && <p className={classes.quiet}>{deliveriesText('told.more', { count: OF_INCIDENT })}</p>}
    </Section>
  )
}

function OneTarget({ target: { name, items } }: { target: Target }) {
  const { kindOf } = useKinds()
  const kinds = [...new Set(items.map(kindOf))]
  return (
    <li>
      <h3>
        {name ?? deliveriesText('row.somebody')}
        <span>{kinds.join(', ')}</span>
      </h3>
      <ul className={classes.messages}>
        {items.map((item) => (
          <li key={item.id}>
            <Message item={item} kind={kinds.length > 1 ? kindOf(item) : null} />
          </li>
        ))}
      </ul>
    </li>
  )
}

function Message({ item, kind }: { item: LedgerItem; kind: string | null }) {
  const { id, event, suppressed_by, suppressed_cause, attempts, queued_at, first_sent_at, delivered_at } = item
  const at = delivered_at ?? first_sent_at ?? queued_at
  const why = suppressed_by === null ? problemOf(item) : heldInWords(suppressed_by, suppressed_cause)
  return (
    <Link to="/settings/deliveries/$id" params={{ id }} className={classes.message}>
      <span>{deliveriesText(`event.${event}`)}</span>
      <Status look={lookOf(item)} />
      {kind !== null && <span>{kind}</span>}
      <Second at={at} />
      {attempts.length > 1 && <span>{deliveriesText('row.attempts', { count: attempts.length })}</span>}
      {why !== null && <small>{why}</small>}
    </Link>
  )
}
