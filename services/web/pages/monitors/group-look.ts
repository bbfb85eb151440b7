/** How a group of monitors looks. */
import { CircleDashed } from 'lucide-react'
import type { MonitorGroup } from '../../api/shapes.ts'
import { type Look, monitorLook } from '../../parts/Status.tsx'
import { monitorGroupsText } from '../../texts/monitor-groups.ts'

/** Returns the look of the group's worst monitor. */
export function groupLook({ state }: Pick<MonitorGroup, 'state'>): Look {
  switch (state) {
    case 'down':
      return monitorLook({ status: 'down', phase: 'down' })
    case 'degraded':
      return monitorLook({ status: 'up', phase: 'degraded' })
    case 'up':
      return monitorLook({ status: 'up', phase: 'ok' })
    case 'paused':
      return monitorLook({ status: 'paused', phase: 'paused' })
    case 'empty':
      return { tone: 'off', icon: CircleDashed, word: monitorGroupsText('state.empty') }
  }
}
