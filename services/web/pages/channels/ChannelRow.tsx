/** One channel in the list: where it sends, its state, and a button to test it. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { ChannelTestAnswer } from '../../../../schemas/http/deliveries.ts'
import { channelKindsQuery } from '../../api/channels.ts'
import type { NotificationChannel } from '../../api/shapes.ts'
import { Status } from '../../parts/Status.tsx'
import { TeamMark } from '../../parts/TeamMark.tsx'
import { channelsText } from '../../texts/channels.ts'
import classes from '../settings/List.module.css'
import own from './Channel.module.css'
import { lookOf } from './state.ts'
import { TestAnswer, TestButton } from './TestAnswer.tsx'

/** Returns the name of the kind as people know it. */
export function useKindName(kind: string): string {
  const { data } = useQuery(channelKindsQuery)
  return data?.items.find((one) => one.kind === kind)?.name ?? kind
}

export function ChannelRow({ channel, may }: { channel: NotificationChannel; may: boolean }) {
  const { id, name, kind, target, is_default, health, team_id, enabled } = channel
  const [answer, setAnswer] = useState<ChannelTestAnswer | null>(null)
  const kindName = useKindName(kind)
  return (
    <li className={classes.row}>
      <div className={own.row}>
        <p className={classes.name}>
          <Link to="/settings/channels/$id" params={{ id }}>
            {name}
          </Link>
        </p>
        <p className={classes.facts}>
          <Status look={lookOf(channel)} />
          <span>{kindName}</span>
          <span>{target}</span>
          <TeamMark team_id={team_id} />
          {is_default && <span>{channelsText('page.default')}</span>}
        </p>
        {health.last_error !== null && (health.state !== 'ok' || !enabled) && (
          <p className={own.problem}>{channelsText('page.error', { error: health.last_error })}</p>
        )}
        {answer && <TestAnswer answer={answer} />}
      </div>
      {may && (
        <div className={classes.actions}>
          <TestButton channel={channel} onAnswer={setAnswer} />
        </div>
      )}
    </li>
  )
}
