/** Overrides of a schedule that have not ended, and shifts that somebody wants to give away. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { endOverride, overridesQuery, readSchedulesAgain } from '../../api/on-call.ts'
import { useMay, useSession } from '../../api/session.ts'
import type { Override, Schedule } from '../../api/shapes.ts'
import { serverNow } from '../../live/server-clock.ts'
import { Confirm } from '../../parts/Confirm.tsx'
import { Section } from '../../parts/Page.tsx'
import { useNow } from '../../parts/Since.tsx'
import { Awaiting } from '../../parts/States.tsx'
import { tellDone } from '../../parts/tell.ts'
import { onCallText } from '../../texts/on-call.ts'
import classes from '../settings/List.module.css'
import { useNameOf } from './people.ts'
import { OpenSwaps } from './Swaps.tsx'
import { DAY_MS, dayTimeIn, knownZone } from './zone-days.ts'

const AHEAD_MS = 366 * DAY_MS

export function Changes({ schedule }: { schedule: Schedule }) {
  return (
    <>
      <Overrides schedule={schedule} />
      <OpenSwaps schedule={schedule} />
    </>
  )
}

function Overrides({ schedule: { id, time_zone } }: { schedule: Schedule }) {
  // The span is fixed when the page opens: a query key that moves with time would ask again each
  // time.
  const [from] = useState(serverNow)
  const asked = useQuery(overridesQuery(id, { from, to: from + AHEAD_MS }))
  const { data } = asked
  const now = useNow()
  const more = data ? data.total - data.items.length : 0
  // An override that ended a moment ago still overlaps the span.
  const items = data?.items.filter(({ ends_at }) => Date.parse(ends_at) > now)
  return (
    <Section title={onCallText('override.list')}>
      {!items ? (
        <Awaiting of={asked} rows={1} />
      ) : items.length === 0 ? (
        <p className={classes.note}>{onCallText('override.none')}</p>
      ) : (
        <ul className={classes.list} aria-label={onCallText('override.list')}>
          {items.map((override) => (
            <Row key={override.id} override={override} zone={knownZone(time_zone)} />
          ))}
        </ul>
      )}
      {more > 0 && <p className={classes.note}>{onCallText('override.more', { count: more })}</p>}
    </Section>
  )
}

function Row({ override, zone }: { override: Override; zone: string }) {
  const { id, user_id, starts_at, ends_at, replaces_user_id, layer, reason, swap_id } = override
  const nameOf = useNameOf()
  const { user } = useSession()
  const mayWrite = useMay('write')
  const mayAct = useMay('act')
  const who = user_id === null ? onCallText('row.nobody') : nameOf(user_id)
  return (
    <li className={classes.row}>
      <div>
        <p className={classes.name}>
          {replaces_user_id === null ? who : onCallText('override.instead', { who, whom: nameOf(replaces_user_id) })}
        </p>
        <p className={classes.facts}>
          <span>{onCallText('shift.span', { from: dayTimeIn(zone, starts_at), to: dayTimeIn(zone, ends_at) })}</span>
          {layer !== null && <span>{onCallText('override.only_layer', { layer })}</span>}
          {swap_id !== null && <span>{onCallText('origin.swap')}</span>}
          {reason !== '' && <span className={classes.line}>{reason}</span>}
        </p>
      </div>
      {(mayWrite || (mayAct && user_id === user?.id)) && (
        <div className={classes.actions}>
          <EndOverride id={id} what={who} />
        </div>
      )}
    </li>
  )
}

export function EndOverride({ id, what, onDone }: { id: string; what: string; onDone?: () => void }) {
  const queries = useQueryClient()
  return (
    <Confirm
      label={onCallText('override.end')}
      aria-label={onCallText('override.end_one', { what })}
      question={onCallText('override.end_question')}
      verb={onCallText('override.end')}
      act={async () => {
        try {
          await endOverride(id)
        } finally {
          void readSchedulesAgain(queries)
        }
        tellDone(onCallText('override.ended'))
        onDone?.()
      }}
    >
      {onCallText('override.end_hint')}
    </Confirm>
  )
}
