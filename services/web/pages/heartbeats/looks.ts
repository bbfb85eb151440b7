/** How a ping looks in the log. */
import { CircleCheck, CirclePlay, CircleQuestionMark, MessageSquareText, OctagonX } from 'lucide-react'
import type { Ping } from '../../api/shapes.ts'
import type { Look } from '../../parts/Status.tsx'

export function pingLook({ kind, exit_code }: Pick<Ping, 'kind' | 'exit_code'>): Look {
  switch (kind) {
    case 'start':
      return { tone: 'info', icon: CirclePlay, word: 'Started' }
    case 'success':
      return { tone: 'good', icon: CircleCheck, word: 'Success' }
    case 'fail':
      return { tone: 'bad', icon: OctagonX, word: 'Failed' }
    case 'log':
      return { tone: 'off', icon: MessageSquareText, word: 'Note' }
    case 'exit':
      return exit_code === 0
        ? { tone: 'good', icon: CircleCheck, word: 'Success, exit 0' }
        : { tone: 'bad', icon: OctagonX, word: `Failed, exit ${exit_code}` }
    case 'unknown':
      return { tone: 'off', icon: CircleQuestionMark, word: 'Unknown' }
  }
}
