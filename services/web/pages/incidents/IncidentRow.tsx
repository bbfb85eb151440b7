/**
 * One incident in the list: severity, title, team, source, who handles it, and for how long. It has
 * a button to take it with one tap, and a box to select it for an action on several.
 */
import { Button, UnstyledButton } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Suspense } from 'react'
import { useNames } from '../../api/names.ts'
import type { Incident } from '../../api/shapes.ts'
import { lazyPart } from '../../parts/part.ts'
import { rowClass } from '../../parts/Rows.tsx'
import { SelectBox } from '../../parts/SelectBox.tsx'
import { dayTime, durationInWords, exact, Since } from '../../parts/Since.tsx'
import { SourceName } from '../../parts/Source.tsx'
import { incidentLook, Status, severityLook } from '../../parts/Status.tsx'
import { TeamMark } from '../../parts/TeamMark.tsx'
import { inSentence, isYou } from '../../parts/you.ts'
import { incidentListText } from '../../texts/incident-list.ts'
import { incidentsText } from '../../texts/incidents.ts'
import classes from './IncidentRow.module.css'
import { membersInWords } from './member-words.ts'
import type { ListedIncident } from './repeats.ts'

/** Few incidents are held, so this part loads with the first one that is. */
const HeldMarks = lazyPart(async () => (await import('./Held.tsx')).HeldMarks)

export interface IncidentRowProps {
  row: ListedIncident
  /** Whether the earlier incidents of the same key are shown below it. */
  unfolded: boolean
  unfold: () => void
  may: boolean
  acknowledge: () => void
  selected: boolean
  select: (id: string, selected: boolean) => void
  onFocus: () => void
  onBlur: () => void
}

/** The column headings above the list. A phone shows each row as two lines, without headings. */
export function Columns({ may }: { may: boolean }) {
  return (
    <div className={`${classes.row} ${classes.head}`} data-may={may || undefined} aria-hidden>
      <span>{incidentListText('column.severity')}</span>
      <span>{incidentListText('column.key')}</span>
      <span>{incidentListText('column.title')}</span>
      <span>{incidentListText('column.source')}</span>
      <span>{incidentListText('column.state')}</span>
      <span className={classes.time}>{incidentListText('column.time')}</span>
    </div>
  )
}

export function IncidentRow({ row, unfolded, unfold, may, acknowledge, selected, select, onFocus, onBlur }: IncidentRowProps) {
  const { incident, count, isEarlier } = row
  const { key, title, severity, team_id, visibility, tags, dashboard_state, started_at, resolved_at, duration_seconds } = incident
  const members = membersInWords(incident)
  const waits = may && dashboard_state === 'Triggered'
  return (
    <>
      <Link
        to="/incidents/$id"
        params={{ id: key }}
        className={`${rowClass} ${classes.row}`}
        data-waits={waits || undefined}
        data-may={may || undefined}
        data-selected={selected || undefined}
        data-repeats={count > 1 || undefined}
        data-earlier={isEarlier || undefined}
        onFocus={onFocus}
        onBlur={onBlur}
      >
        <span className={classes.severity}>
          <Status look={severityLook(severity)} />
        </span>
        <span className={classes.key}>{key}</span>
        <span className={classes.title}>
          <span className={classes.words}>
            {title}
            {members !== null && <span className={classes.members}> · {members}</span>}
            {tags.length > 0 && <span className={classes.members}> · {tags.join(', ')}</span>}
          </span>
          {incident.held_by.length > 0 && (
            <Suspense fallback={null}>
              <HeldMarks incident={incident} />
            </Suspense>
          )}
        </span>
        <span className={classes.whence}>
          <span className={classes.source}>
            <SourceName of={incident} />
          </span>
          <TeamMark team_id={team_id} visibility={visibility} />
        </span>
        <span className={classes.state}>
          <StateInWords incident={incident} />
        </span>
        <span className={classes.time}>
          {resolved_at === null ? (
            <Since at={started_at} as="for" />
          ) : (
            <time dateTime={resolved_at} title={incidentListText('row.resolved_at', { time: exact(resolved_at) })}>
              {incidentListText('row.took', { time: durationInWords(duration_seconds ?? 0) })}
            </time>
          )}
        </span>
      </Link>
      {count > 1 && <Repeats row={row} unfolded={unfolded} unfold={unfold} may={may} />}
      {may && <SelectBox id={incident.id} name={key} selected={selected} select={select} />}
      {waits && (
        <Button
          variant="default"
          size="compact-sm"
          className={classes.take}
          onClick={acknowledge}
          aria-label={incidentsText('do.acknowledge', { key })}
        >
          {incidentListText('row.acknowledge')}
        </Button>
      )}
    </>
  )
}

/**
 * Shows how many incidents of the same key follow each other. A click shows or hides the earlier
 * ones.
 */
function Repeats({ row: { count, since }, unfolded, unfold, may }: Pick<IncidentRowProps, 'row' | 'unfolded' | 'unfold' | 'may'>) {
  return (
    <UnstyledButton
      className={classes.repeats}
      data-may={may || undefined}
      onClick={unfold}
      aria-expanded={unfolded}
      aria-label={incidentsText(unfolded ? 'repeats.hide' : 'repeats.show', { all: count, count: count - 1 })}
      title={incidentsText('repeats.since', { count, time: dayTime(since) })}
    >
      {incidentsText('repeats.count', { count })}
    </UnstyledButton>
  )
}

/** Shows the state and who handles the incident. */
function StateInWords({ incident }: { incident: Incident }) {
  const nameOf = useNames()
  const { dashboard_state, acknowledged_by, acknowledged_by_name, resolved_at } = incident
  const look = incidentLook(incident)
  const holder = dashboard_state === 'Acknowledged' ? nameOf(acknowledged_by, acknowledged_by_name) : null
  return (
    <Status look={look}>
      {resolved_at !== null ? (
        <>
          {look.word} <Since at={resolved_at} />
        </>
      ) : holder !== null ? (
        isYou(holder) ? (
          incidentListText('row.you_have')
        ) : (
          incidentListText('row.has', { name: inSentence(holder) })
        )
      ) : (
        look.word
      )}
    </Status>
  )
}
