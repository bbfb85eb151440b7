/**
 * Shows in a word how live the page is, with the time of the last frame. While it is not live, a
 * button retries at once.
 */
import { UnstyledButton } from '@mantine/core'
import { CloudOff, Radio, RefreshCw, TriangleAlert } from 'lucide-react'
import { useLive } from '../live/context.tsx'
import type { LiveState } from '../live/live-state.ts'
import { hourTime, relative, useNow } from '../parts/Since.tsx'
import { shellText } from '../texts/shell.ts'
import classes from './LiveMark.module.css'

const icons: Readonly<Record<Exclude<LiveState, 'ended'>, typeof Radio>> = {
  connecting: RefreshCw,
  live: Radio,
  reconnecting: RefreshCw,
  stale: TriangleAlert,
  offline: CloudOff
}

export function LiveMark() {
  const { state, lastFrameAt, since, hurry } = useLive()
  const now = useNow(5)
  if (state === 'ended') return null
  const Icon = icons[state]
  const hint = shellText(`hint.${state}`)
  const detail =
    state === 'live'
      ? lastFrameAt === null
        ? ''
        : shellText('live.changed', { time: relative(lastFrameAt, Math.max(now, lastFrameAt)) })
      : since === null
        ? ''
        : shellText('live.since', { time: hourTime(since) })
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
      {/** Only the word is announced: the time changes too often. */}
      <span role="status">{shellText(`state.${state}`)}</span>
      {detail !== '' && <span className={classes.detail}>{detail}</span>}
    </UnstyledButton>
  )
}
