/** The state of a channel as an icon and a word, and advice on what to do. Pure. */
import { CircleCheck, CirclePause, MailQuestionMark, OctagonX, TriangleAlert } from 'lucide-react'
import type { NotificationChannel } from '../../api/shapes.ts'
import type { Look } from '../../parts/Status.tsx'
import { channelsText } from '../../texts/channels.ts'

export const isUnproven = ({ needs_verification, verified_at }: NotificationChannel): boolean => needs_verification && verified_at === null

export function lookOf(channel: NotificationChannel): Look {
  const { enabled, health, kind } = channel
  if (health.state === 'disabled') return { tone: 'bad', icon: OctagonX, word: channelsText('page.disabled') }
  if (!enabled) return { tone: 'off', icon: CirclePause, word: channelsText('page.off') }
  if (isUnproven(channel))
    return { tone: 'warn', icon: MailQuestionMark, word: channelsText(kind === 'email' ? 'page.unproven' : 'page.unproven_number') }
  if (health.state === 'failing') return { tone: 'warn', icon: TriangleAlert, word: channelsText('page.failing') }
  return { tone: 'good', icon: CircleCheck, word: channelsText('page.ok') }
}

/** Returns what the state means and what to do. Null when nothing needs to be done. */
export function adviceOf(channel: NotificationChannel): string | null {
  const { enabled, health, kind } = channel
  if (health.state === 'disabled')
    return channelsText('health.disabled', { reason: health.disabled_reason ?? channelsText('test.unknown') })
  if (!enabled) return channelsText('health.off')
  if (isUnproven(channel)) return channelsText(kind === 'email' ? 'health.unproven' : 'health.unproven_number')
  if (health.state === 'failing') return channelsText('health.failing', { count: health.consecutive_failures })
  return null
}
