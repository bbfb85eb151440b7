/**
 * The signals of an alert, and those that came after a person ended it, newest first. Each shows
 * what it reported and what it changed.
 */
import { Button, UnstyledButton } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { ChevronRight } from 'lucide-react'
import { useState } from 'react'
import { signalsQuery } from '../../api/alerts.ts'
import type { Signal } from '../../api/shapes.ts'
import { Labels, Links } from '../../parts/Labels.tsx'
import { Facts, Section } from '../../parts/Page.tsx'
import { exact, Second, Since } from '../../parts/Since.tsx'
import { Awaiting } from '../../parts/States.tsx'
import { Status, severityLook } from '../../parts/Status.tsx'
import { alertsText } from '../../texts/alerts.ts'
import classes from './Signals.module.css'

export interface SignalsProps {
  alert_id: string
  /**
   * The alert is itself the incident, so the timeline of the incident already says what each signal
   * did.
   */
  isIncident: boolean
}

export function Signals({ alert_id, isIncident }: SignalsProps) {
  const asked = useInfiniteQuery(signalsQuery(alert_id))
  const { data, hasNextPage, fetchNextPage, isFetchingNextPage } = asked
  const signals = data?.pages.flatMap(({ items }) => items) ?? []
  return (
    <Section
      title={alertsText('signal.title')}
      aside={
        data && (
          <span>
            {hasNextPage ? alertsText('signal.some', { count: signals.length }) : alertsText('signal.all', { count: signals.length })}
          </span>
        )
      }
    >
      {!data ? (
        <Awaiting of={asked} rows={2} />
      ) : signals.length === 0 ? (
        <p className={classes.none}>{alertsText('signal.none')}</p>
      ) : (
        <ul className={classes.signals}>
          {signals.map((signal) => (
            <SignalRow key={signal.id} signal={signal} isIncident={isIncident} />
          ))}
        </ul>
      )}
      {hasNextPage && (
        <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {alertsText('signal.older')}
        </Button>
      )}
    </Section>
  )
}

const changes = [
  'opened',
  'reopened',
  'severity_changed',
  'updated',
  'recovered',
  'comment',
  'alerts_changed',
  'flapping_on',
  'flapping_off'
] as const

/** A change that only a newer server version knows is shown by its api name. */
function changeInWords(type: string): string {
  const known = changes.find((one) => one === type)
  return known ? alertsText(`did.${known}`) : type.replaceAll('_', ' ')
}

const changedNothing: Readonly<Record<NonNullable<Signal['accepted_as']>, () => string>> = {
  repeat: () => alertsText('signal.repeat'),
  older: () => alertsText('signal.older_than'),
  suppressed: () => alertsText('signal.suppressed'),
  applied: () => alertsText('signal.applied')
}

function effectOf({ caused, accepted_as }: Signal, isIncident: boolean): string {
  if (caused !== null) return changeInWords(caused.type)
  if (accepted_as === 'applied' && !isIncident) return alertsText('signal.taken')
  return accepted_as === null ? alertsText('signal.unknown') : changedNothing[accepted_as]()
}

function SignalRow({ signal, isIncident }: { signal: Signal; isIncident: boolean }) {
  const [opened, setOpened] = useState(false)
  return (
    <li>
      <UnstyledButton className={classes.row} aria-expanded={opened} onClick={() => setOpened(!opened)}>
        <ChevronRight className={classes.chevron} size={15} aria-hidden />
        <span className={classes.said}>
          <b>{alertsText(`said.${signal.action}`)}</b> <span className={classes.effect}>· {effectOf(signal, isIncident)}</span>
        </span>
        <span className={classes.when}>
          <Since at={signal.at} />
        </span>
      </UnstyledButton>
      {opened && (
        <div className={classes.detail}>
          <Facts
            facts={[
              [alertsText('fact.title'), signal.title],
              [alertsText('fact.severity'), <Status key="severity" look={severityLook(signal.severity)} />],
              signal.source_severity === null ? null : [alertsText('fact.their_severity'), signal.source_severity],
              signal.source_dedup_key === null ? null : [alertsText('fact.their_key'), <code key="key">{signal.source_dedup_key}</code>],
              [alertsText('fact.received'), exact(signal.at)],
              [alertsText('fact.their_time'), <Second key="their" at={signal.occurred_at} />],
              Object.keys(signal.labels).length > 0 ? [alertsText('fact.labels'), <Labels key="labels" labels={signal.labels} />] : null,
              signal.links.length > 0 ? [alertsText('fact.links'), <Links key="links" links={signal.links} />] : null
            ]}
          />
        </div>
      )}
    </li>
  )
}
