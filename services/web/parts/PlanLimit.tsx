/** A notice above a form when the plan's limit for the new object is reached. */
import { Alert } from '@mantine/core'
import { isFull, useLimit } from '../api/workspace.ts'
import { formsText } from '../texts/forms.ts'
import { statesText } from '../texts/states.ts'

type Limited = 'monitors' | 'heartbeats' | 'inbound_integrations' | 'channels'

export function PlanLimit({ of }: { of: Limited }) {
  const counted = useLimit(of)
  if (!counted || !isFull(counted)) return null
  return (
    <Alert color="yellow" variant="light" title={statesText('limit.title')} mb="md">
      {formsText('limit.reached', { used: counted.used, limit: counted.limit ?? '', things: formsText(`limit.${of}`) })}
    </Alert>
  )
}
