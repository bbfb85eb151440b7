/**
 * How live the page is, in a word, with the time of the last frame; while it is not, a way to try
 * now.
 */
import { UnstyledButton } from '@mantine/core'
import { CloudOff, Radio, RefreshCw, TriangleAlert } from 'lucide-react'
import { useLive } from '../live/context.tsx'
import type { LiveState } from '../live/live-state.ts'
import { hourTime, relative, useNow } from '../parts/Since.tsx'
import classes from './LiveMark.module.css'

const words: Readonly<Record<Exclude<LiveState, 'ended'>, { word: string; icon: typeof Radio; hint: string }>> = {
  connecting: { word: 'Connecting', icon: RefreshCw, hint: 'The page shows what was read a moment ago.' },
  live: { word: 'Live', icon: Radio, hint: 'Changes appear as they happen.' },
  reconnecting: { word: 'Reconnecting', icon: RefreshCw, hint: 'Meanwhile the page is read again every 15 s. Press to try now.' },
  stale: { word: 'Stale', icon: TriangleAlert, hint: 'The stream is interrupted; meanwhile the page is read again every 15 s.' },
  offline: { word: 'Offline', icon: CloudOff, hint: 'This device has no network. What you see is as it was then.' }
}

export function LiveMark() {
  const { state, lastFrameAt, since, hurry } = useLive()
  const now = useNow(5)
  if (state === 'ended') return null
  const { word, icon: Icon, hint } = words[state]
  const detail =
    state === 'live'
      ? lastFrameAt === null
        ? ''
        : `last change ${relative(lastFrameAt, Math.max(now, lastFrameAt))}`
      : since === null
        ? ''
        : `since ${hourTime(since)}`
  return (
    <UnstyledButton
      className={classes.mark}
      data-state={state}
      onClick={hurry}
      disabled={state === 'live'}
      title={detail === '' ? hint : `${hint} (${detail})`}
      data-live={state}
    >
      <Icon size={14} aria-hidden />
      {/* Only the word is told: the time would chatter. */}
      <span role="status">{word}</span>
      {detail !== '' && <span className={classes.detail}>{detail}</span>}
    </UnstyledButton>
  )
}
