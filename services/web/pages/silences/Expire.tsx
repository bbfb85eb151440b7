/** Ends a silence now. */
import { useQueryClient } from '@tanstack/react-query'
import type { Silence } from '../../api/shapes.ts'
import { expireSilence } from '../../api/silences.ts'
import { Confirm } from '../../parts/Confirm.tsx'
import { tellDone } from '../../parts/tell.ts'
import { silencesText } from '../../texts/silences.ts'

export function Expire({ silence }: { silence: Silence }) {
  const queries = useQueryClient()
  return (
    <Confirm
      label={silencesText('expire.label')}
      aria-label={silencesText('expire.one', { comment: silence.comment })}
      question={silencesText('expire.question')}
      verb={silencesText('expire.label')}
      act={async () => {
        try {
          await expireSilence(silence)
        } finally {
          // If the request was refused, somebody has changed the silence meanwhile.
          for (const resource of ['silences', 'incidents', 'alerts']) void queries.invalidateQueries({ queryKey: [resource] })
        }
        tellDone(silencesText('expire.done'))
      }}
    >
      {silencesText('expire.hint')}
    </Confirm>
  )
}
