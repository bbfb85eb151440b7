/** One heartbeat in the list: a link, and beside it a button that copies its ping address. */
import { Link } from '@tanstack/react-router'
import type { Heartbeat } from '../../api/shapes.ts'
import { CopyButton } from '../../parts/Copy.tsx'
import { rowClass } from '../../parts/Rows.tsx'
import { Said } from '../../parts/Said.tsx'
import { Since } from '../../parts/Since.tsx'
import { heartbeatLook, Status } from '../../parts/Status.tsx'
import { Strip } from '../../parts/Strip.tsx'
import { TeamMark } from '../../parts/TeamMark.tsx'
import { heartbeatsText } from '../../texts/heartbeats.ts'
import classes from './Heartbeats.module.css'
import { ScheduleWords } from './ScheduleWords.tsx'
import type { Phase } from './words.ts'

interface DueProps {
  heartbeat: Heartbeat
  phase: Phase
}

function Due({ phase, heartbeat: { next_expected_at, resume_at, unpause_on_ping, missed_since } }: DueProps) {
  if ((phase === 'missed' || phase === 'failed') && missed_since !== null)
    return (
      <>
        {heartbeatsText('row.missed_for')} <Since at={missed_since} as="for" />
      </>
    )
  if (phase === 'paused' && resume_at)
    return <Said parts={{ time: <Since at={resume_at} /> }}>{({ time }) => heartbeatsText('row.resumes', { time })}</Said>
  if (phase === 'paused') return heartbeatsText(unpause_on_ping ? 'row.until_ping' : 'row.until_resumed')
  if (next_expected_at === null) return phase === 'waiting' ? heartbeatsText('row.first') : ''
  return <Said parts={{ time: <Since at={next_expected_at} /> }}>{({ time }) => heartbeatsText('row.due', { time })}</Said>
}

export function HeartbeatRow({ heartbeat, phase }: { heartbeat: Heartbeat; phase: Phase }) {
  const { id, name, team_id, tags, schedule, last_ping_at, ping_url } = heartbeat
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
        <span className={classes.last}>{last_ping_at ? <Since at={last_ping_at} /> : heartbeatsText('row.no_ping')}</span>
        <span className={classes.due}>
          <Due heartbeat={heartbeat} phase={phase} />
        </span>
      </Link>
      {ping_url && (
        <span className={classes.copy}>
          <CopyButton text={ping_url} what={heartbeatsText('row.copy', { name })} />
        </span>
      )}
    </div>
  )
}
