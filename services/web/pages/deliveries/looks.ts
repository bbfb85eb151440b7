/** The state of a delivery as an icon and a word. Pure. */
import { Ban, CircleCheck, CircleDashed, CirclePause, type LucideIcon, OctagonX, TriangleAlert } from 'lucide-react'
import type { LedgerItem } from '../../api/shapes.ts'
import type { Look, Tone } from '../../parts/Status.tsx'
import { deliveriesText } from '../../texts/deliveries.ts'

const looks: Readonly<Record<LedgerItem['state'], readonly [Tone, LucideIcon]>> = {
  queued: ['off', CircleDashed],
  sending: ['info', CircleDashed],
  sent: ['good', CircleCheck],
  delivered: ['good', CircleCheck],
  failed: ['bad', OctagonX],
  retrying: ['warn', TriangleAlert],
  suppressed: ['off', CirclePause],
  expired: ['bad', Ban],
  fallback_used: ['warn', TriangleAlert]
}

export function lookOf({ state }: Pick<LedgerItem, 'state'>): Look {
  const [tone, icon] = looks[state]
  return { tone, icon, word: deliveriesText(`state.${state}`) }
}
