/** One heartbeat in the list: a link, and beside it the button that copies its ping address. */
import { Link } from '@tanstack/react-router'
import type { Heartbeat } from '../../api/shapes.ts'
import { CopyButton } from '../../parts/Copy.tsx'
import { rowClass } from '../../parts/Rows.tsx'
import { Since } from '../../parts/Since.tsx'
import { heartbeatLook, Status } from '../../parts/Status.tsx'
import { Strip } from '../../parts/Strip.tsx'
import { TeamMark } from '../../parts/TeamMark.tsx'
import { heartbeatsText } from '../../texts/heartbeats.ts'
import classes from './Heartbeats.module.css'
import { ScheduleWords } from './ScheduleWords.tsx'
import type { Phase } from './words.ts'

interface DueProps extends Pick<Heartbeat, 'next_expected_at' | 'resume_at' | 'missed_since'> {
  phase: Phase
}

function Due({ phase, next_expected_at, resume_at, missed_since }: DueProps) {
  if ((phase === 'missed' || phase === 'failed') && missed_since !== null)
    return (
      <>
        {heartbeatsText('row.missed_for')} <Since at={missed_since} as="for" />
      </>
    )
  if (phase === 'paused') return resume_at ? <>resumes {<Since at={resume_at} />}</> : 'until resumed'
  if (next_expected_at === null) return phase === 'waiting' ? 'after the first ping' : ''
  return (
    <>
      due <Since at={next_expected_at} />
    </>
  )
}

export function HeartbeatRow({ heartbeat, phase }: { heartbeat: Heartbeat; phase: Phase }) {
  const { id, name, team_id, tags, schedule, last_ping_at, next_expected_at, resume_at, missed_since, ping_url } = heartbeat
  return (
    <div className={classes.wrap}>
      <Link to="/heartbeats/$id" params={{ id }} className={`${rowClass} ${classes.row}`}>
        <span className={classes.status}>
          <Status look={heartbeatLook({ phase })} />
        </span>
        <span className={classes.name}>
          <b>{name}</b>
          {tags.map((tag) => (
            <span key={tag} className={classes.tag}>
              {tag}
            </span>
          ))}
        </span>
        <span className={classes.team}>
          <TeamMark team_id={team_id} />
        </span>
        <span className={classes.strip}>
          <Strip kind="heartbeat" id={id} />
        </span>
        <span className={classes.schedule}>
          <ScheduleWords schedule={schedule} />
        </span>
        <span className={classes.last}>{last_ping_at ? <Since at={last_ping_at} /> : 'no ping yet'}</span>
        <span className={classes.due}>
          <Due phase={phase} next_expected_at={next_expected_at} resume_at={resume_at} missed_since={missed_since} />
        </span>
      </Link>
      {ping_url && (
        <span className={classes.copy}>
          <CopyButton text={ping_url} what={`the ping address of ${name}`} />
        </span>
      )}
    </div>
  )
}
