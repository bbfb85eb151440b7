/**
 * The page of one incident: what is wrong, for how long, who handles it, which actions are
 * possible, what happened, and its facts.
 */
import { useMediaQuery } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { Link2 } from 'lucide-react'
import { Suspense, useCallback, useState } from 'react'
import { isGone } from '../../api/client.ts'
import { incidentQuery } from '../../api/lists.ts'
import { useNames } from '../../api/names.ts'
import { useMay, useSession } from '../../api/session.ts'
import type { Incident, IncidentInFull } from '../../api/shapes.ts'
import { Copyable, CopyButton } from '../../parts/Copy.tsx'
import classes from '../../parts/Detail.module.css'
import { Markdown } from '../../parts/Markdown.tsx'
import { PageHead, Section } from '../../parts/Page.tsx'
import { latePart, lazyPart } from '../../parts/part.ts'
import { durationInWords, Second, Since } from '../../parts/Since.tsx'
import { Awaiting, Loading, Problem } from '../../parts/States.tsx'
import { incidentLook, Status, severityLook } from '../../parts/Status.tsx'
import { TeamMark } from '../../parts/TeamMark.tsx'
import { Together } from '../../parts/Together.tsx'
import { inSentence, isYou } from '../../parts/you.ts'
import { incidentListText } from '../../texts/incident-list.ts'
import { incidentPageText } from '../../texts/incident-page.ts'
import { Actions } from './Actions.tsx'
import { Escalation } from './Escalation.tsx'
import { isIncidentKey, useIdInAddress } from './id-in-address.ts'
import { membersInWords } from './member-words.ts'
import { Timeline } from './Timeline.tsx'

/** Loaded late, so that the first view of an incident is small. */
const Cause = lazyPart(async () => (await import('./Cause.tsx')).Cause)
const IncidentFacts = lazyPart(async () => (await import('./IncidentFacts.tsx')).IncidentFacts)
const Held = lazyPart(async () => (await import('./Held.tsx')).Held)
const Why = latePart(async () => (await import('../why/Why.tsx')).Why)
const IncidentAlerts = latePart(async () => (await import('./IncidentAlerts.tsx')).IncidentAlerts)
const Told = lazyPart(async () => (await import('../deliveries/Told.tsx')).Told)
const WarRoom = latePart(async () => (await import('./WarRoom.tsx')).WarRoom)
const MergedMark = lazyPart(async () => (await import('./Related.tsx')).MergedMark)
const Related = latePart(async () => (await import('./Related.tsx')).Related)
const Similar = latePart(async () => (await import('./Similar.tsx')).Similar)
const PostmortemSection = latePart(async () => (await import('./PostmortemSection.tsx')).PostmortemSection)
const Changes = latePart(async () => (await import('./Changes.tsx')).Changes)

const back = { to: '/incidents', label: incidentListText('page.title') }

export function IncidentPage() {
  const { id: reference } = useParams({ from: '/inside/incidents/$id' })
  // The address may hold the key, but live frames name the incident by its id. So the id is looked
  // up first.
  const named = useQuery({ ...incidentQuery(reference), refetchInterval: false, staleTime: Number.POSITIVE_INFINITY })
  const { data: incident, error } = useQuery({
    ...incidentQuery(named.data?.id ?? ''),
    enabled: named.data !== undefined,
    ...(named.data && { placeholderData: named.data })
  })
  const isNamedById = useIdInAddress(reference, named.data, '/incidents/$id')
  // When an incident moves to a private team, people outside the team get "not found" for it.
  const gone = [error, named.error].find(isGone)
  if (!incident || gone || !isNamedById) {
    const name = isIncidentKey(reference) ? reference : back.label
    return (
      <>
        <PageHead title={name} answer={name} back={back} />
        {gone ? <Problem error={gone} /> : <Awaiting of={named} rows={8} />}
      </>
    )
  }
  return <Shown key={incident.id} incident={incident} />
}

function Side({ incident }: { incident: IncidentInFull }) {
  return (
    <div className={classes.side}>
      <Section title={incidentPageText('facts.title')}>
        <Suspense fallback={<Loading rows={8} height={36} />}>
          <IncidentFacts incident={incident} />
        </Suspense>
      </Section>
      {/** Shown all at once, so that nothing is pushed down by what loads later. */}
      <Suspense fallback={null}>
        <WarRoom incident={incident} />
        <PostmortemSection incident={incident} />
        <Changes incident={incident} />
        <Related incident={incident} />
        <Similar incident={incident} />
      </Suspense>
    </div>
  )
}

function Shown({ incident }: { incident: IncidentInFull }) {
  const { key, title, summary, severity, started_at, resolved_at, duration_seconds } = incident
  const ongoing = incident.status === 'ongoing'
  // On a narrow screen the facts come last. They wait for the part above, which would push them
  // down.
  const below = useMediaQuery('(max-width: 1099px)', undefined, { getInitialValueInEffect: false })
  const [above, setAbove] = useState(false)
  const showBelow = useCallback(() => setAbove(true), [])
  const cause = (incident.monitor_id !== null || incident.heartbeat_id !== null) && <Cause incident={incident} />
  return (
    <div className={classes.page}>
      <PageHead title={`${key} ${title}`} answer={title} back={back} actions={<Actions incident={incident} />}>
        <Status look={incidentLook(incident)} filled />
        <Status look={severityLook(severity)} />
        <TeamMark team_id={incident.team_id} visibility={incident.visibility} />
        <span>
          {resolved_at === null ? (
            <>
              {incidentPageText('head.for')} <Since at={started_at} as="for" />
            </>
          ) : (
            incidentListText('row.took', { time: durationInWords(duration_seconds ?? 0) })
          )}
        </span>
        {membersInWords(incident) !== null && <span>{membersInWords(incident)}</span>}
        <Holder incident={incident} />
        {(incident.merged_into !== null || incident.resolution?.reason === 'merged') && (
          <Suspense fallback={null}>
            <MergedMark incident={incident} />
          </Suspense>
        )}
        {incident.held_by.length > 0 && (
          <Suspense fallback={null}>
            <Held incident={incident} />
          </Suspense>
        )}
        <span className={classes.copies}>
          <Copyable text={key} what={incidentPageText('copy.key')} />
          <CopyButton text={`${location.origin}/incidents/${incident.id}`} what={incidentPageText('copy.link')} icon={Link2} />
        </span>
      </PageHead>
      <MayNot />
      {summary !== null && (
        <div className={classes.summary}>
          <Markdown text={summary} />
        </div>
      )}
      <div className={classes.columns}>
        <div className={classes.main}>
          <Suspense fallback={<Loading rows={8} />}>
            <Together meanwhile={<Loading rows={8} />}>
              {ongoing && <Escalation incident={incident} />}
              {ongoing && cause}
              <Told incident={incident} />
              <Timeline incident={incident} />
            </Together>
          </Suspense>
          <Suspense fallback={null}>
            <Together meanwhile={null} onShown={showBelow}>
              <IncidentAlerts incident={incident} />
              {!ongoing && cause}
              <Why kind="incidents" id={incident.id} />
            </Together>
          </Suspense>
        </div>
        {(!below || above) && <Side incident={incident} />}
      </div>
    </div>
  )
}

/** Shows who handles the incident, or who ended it. */
function Holder({ incident }: { incident: Incident }) {
  const nameOf = useNames()
  const { dashboard_state, acknowledged_at, acknowledged_by, acknowledged_by_name } = incident
  const { resolved_at, resolved_by, resolved_by_name, resolution, assignee_id } = incident
  const assigned = assignee_id === null ? '' : incidentPageText('holder.assigned', { name: inSentence(nameOf(`user:${assignee_id}`)) })
  if (resolved_at !== null) {
    const how =
      resolved_by !== null
        ? incidentPageText('holder.ended_by', { name: inSentence(nameOf(resolved_by, resolved_by_name)) })
        : incidentPageText(resolution?.reason === 'recovered' ? 'holder.recovered' : 'holder.ended')
    return (
      <span>
        {how} <Since at={resolved_at} />
      </span>
    )
  }
  if (dashboard_state === 'Triggered' || acknowledged_at === null)
    return (
      <span>
        {incidentPageText('holder.nobody')}
        {assigned}
      </span>
    )
  const holder = nameOf(acknowledged_by, acknowledged_by_name)
  return (
    <span>
      {isYou(holder) ? incidentPageText('holder.you_since') : incidentPageText('holder.has_since', { name: inSentence(holder) })}{' '}
      <Second at={acknowledged_at} />
      {assigned}
    </span>
  )
}

/** Stands where a person would look for the buttons and says why there are none. */
function MayNot() {
  const { role } = useSession()
  if (useMay('act')) return null
  return <p className={classes.mayNot}>{incidentPageText('head.may_not', { role })}</p>
}
