/** When and why a monitor changed its status, by which votes, and which incident resulted. */
import { Button } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { statusChangesQuery } from '../../api/monitors.ts'
import type { Monitor, StatusChange } from '../../api/shapes.ts'
import { Section } from '../../parts/Page.tsx'
import { Since } from '../../parts/Since.tsx'
import { Awaiting } from '../../parts/States.tsx'
import { type Look, monitorLook, monitorPhases, Status } from '../../parts/Status.tsx'
import { wordOf } from '../../search.ts'
import { monitorDetailsText } from '../../texts/monitor-details.ts'
import classes from './Monitor.module.css'
import { regionLabel } from './region-label.ts'

const statuses = ['up', 'down', 'paused'] as const

const lookOf = ({ to, phase }: StatusChange): Look =>
  monitorLook({ status: wordOf(to, statuses) ?? 'up', phase: wordOf(phase, monitorPhases) ?? 'no_data' })

const wordBefore = ({ from, previous_phase }: StatusChange): string =>
  monitorLook({ status: wordOf(from, statuses) ?? 'up', phase: wordOf(previous_phase, monitorPhases) ?? 'no_data' }).word

export function StatusChanges({ monitor }: { monitor: Monitor }) {
  const asked = useInfiniteQuery(statusChangesQuery(monitor.id, monitor.last_status_change_at))
  const { data, hasNextPage, fetchNextPage, isFetchingNextPage } = asked
  const changes = data?.pages.flatMap(({ items }) => items) ?? []
  return (
    <Section title={monitorDetailsText('changes.title')}>
      {!data && <Awaiting of={asked} rows={3} />}
      {data && changes.length === 0 && <p className={classes.quiet}>{monitorDetailsText('changes.none')}</p>}
      {changes.length > 0 && (
        <ul className={classes.lines} aria-label={monitorDetailsText('changes.list')}>
          {changes.map((change) => (
            <li key={change.id} className={classes.change}>
              <Status look={lookOf(change)} />
              <span className={classes.why}>
                {change.message ?? monitorDetailsText('changes.before', { status: wordBefore(change) })}
                <span className={classes.votes}>
                  {Object.entries(change.votes)
                    .map(([region, said]) => `${regionLabel(monitor, region)} ${said}`)
                    .join(', ')}
                </span>
              </span>
              <span>
                {change.incident_id && (
                  <Link to="/incidents/$id" params={{ id: change.incident_id }}>
                    {monitorDetailsText('changes.incident')}
                  </Link>
                )}
              </span>
              <span className={classes.when}>
                <Since at={change.at} />
              </span>
            </li>
          ))}
        </ul>
      )}
      {hasNextPage && (
        <Button variant="subtle" color="gray" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {monitorDetailsText('changes.older')}
        </Button>
      )}
    </Section>
  )
}
