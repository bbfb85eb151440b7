/** A private location in words. Pure. */
import { CircleCheck, CircleDashed, CirclePause, CloudOff, KeyRound } from 'lucide-react'
import type { Location } from '../../api/shapes.ts'
import type { Look } from '../../parts/Status.tsx'
import { locationsText } from '../../texts/locations.ts'

export function locationsAnswer(items: readonly Location[]): string {
  const online = items.filter((item) => item.online).length
  if (items.length === 0) return locationsText('page.answer_none')
  if (items.length === 1) return locationsText(online === 1 ? 'page.answer_online_one' : 'page.answer_offline_one')
  return locationsText('page.answer', { count: items.length, online })
}

/** The state that keeps the location from checking comes first. */
export function locationLook({ draining, online, last_seen_at, token_prefix }: Location): Look {
  if (token_prefix === null) return { tone: 'bad', icon: KeyRound, word: locationsText('state.no_token') }
  if (draining) return { tone: 'info', icon: CirclePause, word: locationsText('state.draining') }
  if (online) return { tone: 'good', icon: CircleCheck, word: locationsText('state.online') }
  if (last_seen_at === null) return { tone: 'off', icon: CircleDashed, word: locationsText('state.waiting') }
  return { tone: 'bad', icon: CloudOff, word: locationsText('state.offline') }
}

export const monitorsInWords = (count: number): string =>
  count === 0
    ? locationsText('row.monitors_none')
    : count === 1
      ? locationsText('row.monitors_one')
      : locationsText('row.monitors', { count })

/** Says what is wrong with the version of a prober; null: nothing. */
export function skewInWords(skew: Location['probers'][number]['version_skew']): string | null {
  return skew === 'none' ? null : locationsText(`probers.${skew}`)
}
