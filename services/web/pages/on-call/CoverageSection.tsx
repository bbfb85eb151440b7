/**
 * Problems of the next four weeks: times without anybody, times with too few people, and people who
 * are alone.
 */
import { useQuery } from '@tanstack/react-query'
import { CircleCheck, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { coverageQuery } from '../../api/on-call.ts'
import type { Schedule } from '../../api/shapes.ts'
import { Section } from '../../parts/Page.tsx'
import { Awaiting } from '../../parts/States.tsx'
import { Status } from '../../parts/Status.tsx'
import { onCallText } from '../../texts/on-call.ts'
import classes from './Calendar.module.css'
import { useNameOf } from './people.ts'
import { dayTimeIn, knownZone } from './zone-days.ts'

/** How many of each kind are shown; the first ones already show a pattern. */
const SHOWN = 5

const good = { tone: 'good', icon: CircleCheck, word: '' } as const
const bad = { tone: 'bad', icon: TriangleAlert, word: '' } as const
const warn = { tone: 'warn', icon: TriangleAlert, word: '' } as const

export function CoverageSection({ schedule: { id, time_zone } }: { schedule: Schedule }) {
  const asked = useQuery(coverageQuery(id))
  const nameOf = useNameOf()
  const zone = knownZone(time_zone)
  const { data } = asked
  const span = ({ starts_at, ends_at }: { starts_at: string; ends_at: string }) => ({
    from: dayTimeIn(zone, starts_at),
    to: dayTimeIn(zone, ends_at)
  })
  return (
    <Section title={onCallText('coverage.title')}>
      {!data ? (
        <Awaiting of={asked} rows={2} />
      ) : (
        <ul className={classes.warnings} aria-label={onCallText('coverage.title')}>
          {data.gaps.length + data.warnings.length + data.single_points.length + data.unreachable.length === 0 && (
            <li>
              <Status look={good}>{onCallText('coverage.good')}</Status>
            </li>
          )}
          {data.gaps.slice(0, SHOWN).map((gap) => (
            <Line key={gap.starts_at} look={bad}>
              {onCallText('coverage.gap', span(gap))}
            </Line>
          ))}
          {data.gaps.length > SHOWN && <Line look={bad}>{onCallText('coverage.more_gaps', { count: data.gaps.length - SHOWN })}</Line>}
          {data.unreachable.map(({ user_id, reason }) => (
            <Line key={user_id} look={bad}>
              {onCallText(`unreachable.${reason}`, { name: nameOf(user_id) })}
            </Line>
          ))}
          {data.warnings.slice(0, SHOWN).map((one) => (
            <Line key={one.starts_at} look={warn}>
              {onCallText('coverage.few', { ...span(one), count: one.people })}
            </Line>
          ))}
          {data.warnings.length > SHOWN && (
            <Line look={warn}>{onCallText('coverage.more_few', { count: data.warnings.length - SHOWN })}</Line>
          )}
          {data.single_points.map(({ user_id }) => (
            <Line key={user_id} look={warn}>
              {onCallText('coverage.single', { name: nameOf(user_id) })}
            </Line>
          ))}
        </ul>
      )}
    </Section>
  )
}

const Line = ({ look, children }: { look: typeof bad | typeof warn; children: ReactNode }) => (
  <li>
    <Status look={look}>{children}</Status>
  </li>
)
