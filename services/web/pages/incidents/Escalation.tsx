/** The escalation of an incident: how far it is, when it continues, and who was asked. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { policyQuery } from '../../api/escalation.ts'
import { timelineQuery } from '../../api/incidents.ts'
import { useNames } from '../../api/names.ts'
import type { Incident } from '../../api/shapes.ts'
import { Section } from '../../parts/Page.tsx'
import { dayTime, Since, useNow } from '../../parts/Since.tsx'
import { Loading } from '../../parts/States.tsx'
import { escalationText } from '../../texts/escalation.ts'
import classes from './Escalation.module.css'
import { nextInWords, stateInWords } from './escalation-words.ts'
import { sentenceOf } from './timeline-words.ts'

/** How many requests are shown, the newest first. The timeline has all of them. */
const SHOWN = 5

export function Escalation({ incident }: { incident: Incident }) {
  const { id, escalation, escalation_policy_id } = incident
  const { data: timeline, isPending } = useQuery(timelineQuery(id))
  const nameOf = useNames()
  const all = (timeline ?? []).filter(({ type, data }) => type === 'escalated' && data.outcome !== 'exhausted')
  const state = stateInWords(escalation)
  // Without a policy, only requests that a person made by hand matter.
  if (state === null && all.length === 0) return null
  // Show the whole section at once, so that what is below does not jump.
  if (isPending)
    return (
      <Section title={escalationText('run.title')}>
        <Loading rows={2} />
      </Section>
    )
  const shown = all.slice(-SHOWN).toReversed()
  return (
    <Section title={escalationText('run.title')}>
      {state !== null && (
        <p className={classes.state}>
          <strong>{state}</strong>
          <Next escalation={escalation} />
        </p>
      )}
      {escalation_policy_id !== null && <Policy id={escalation_policy_id} />}
      {timeline && shown.length === 0 && <p className={classes.quiet}>{escalationText('run.asked_none')}</p>}
      {shown.length > 0 && (
        <ol className={classes.list} aria-label={escalationText('run.asked')}>
          {shown.map((item) => (
            <li key={item.id}>
              <span>{sentenceOf(item, { nameOf, timeOf: dayTime })}</span>
              <Since at={item.at} />
            </li>
          ))}
        </ol>
      )}
      {all.length > SHOWN && <p className={classes.quiet}>{escalationText('run.asked_more', { count: SHOWN, all: all.length })}</p>}
    </Section>
  )
}

function Next({ escalation }: Pick<Incident, 'escalation'>) {
  const next = nextInWords(escalation, useNow(1))
  return next !== null && <span className={classes.next}>{next}</span>
}

function Policy({ id }: { id: string }) {
  const { data, isPending } = useQuery(policyQuery(id))
  return (
    <p className={classes.quiet}>
      {escalationText('run.policy')}{' '}
      {data ? (
        <Link to="/on-call/policies/$id" params={{ id }}>
          {data.name}
        </Link>
      ) : isPending ? (
        '…'
      ) : (
        escalationText('run.policy_unseen')
      )}
    </p>
  )
}
