/**
 * Shows in a word how live the page is, with the time of the last frame. While it is not live, or
 * cannot read its data, a button retries at once.
 */
import { UnstyledButton } from '@mantine/core'
import { CircleAlert, CloudOff, Radio, RefreshCw, TriangleAlert } from 'lucide-react'
import { useLive, useOld } from '../live/context.tsx'
import type { LiveState } from '../live/live-state.ts'
import { hourTime, relative, useNow } from '../parts/Since.tsx'
import { shellText } from '../texts/shell.ts'
import classes from './LiveMark.module.css'

const icons: Readonly<Record<Exclude<LiveState, 'ended'> | 'unread', typeof Radio>> = {
  connecting: RefreshCw,
  live: Radio,
  reconnecting: RefreshCw,
  full: RefreshCw,
  stale: TriangleAlert,
  offline: CloudOff,
  unread: CircleAlert
}

export function LiveMark() {
  const { state, lastFrameAt, since, hurry } = useLive()
  const old = useOld()
  const now = useNow(5)
  if (state === 'ended') return null
  const shown = old?.why === 'unread' ? 'unread' : state
  const from = old?.since ?? since
  const Icon = icons[shown]
  const hint = shellText(`hint.${shown}`)
  const detail =
    shown === 'live'
      ? lastFrameAt === null
        ? ''
        : shellText('live.changed', { time: relative(lastFrameAt, Math.max(now, lastFrameAt)) })
      : from === null
        ? ''
        : shellText('live.since', { time: hourTime(from) })
  return (
    <UnstyledButton
      className={classes.mark}
      data-state={shown}
      onClick={hurry}
      disabled={shown === 'live'}
      title={detail === '' ? hint : `${hint} (${detail})`}
      data-live={state}
    >
      <Icon size={14} aria-hidden />
      {/** Only the word is announced: the time changes too often. */}
      <span role="status">{shellText(`state.${shown}`)}</span>
      {detail !== '' && <span className={classes.detail}>{detail}</span>}
    </UnstyledButton>
  )
}
