/** Above a form, where the plan allows no more of what it makes. */
import { Alert } from '@mantine/core'
import { isFull, useLimit } from '../api/workspace.ts'

const inWords = {
  monitors: 'monitors',
  heartbeats: 'heartbeats',
  inbound_integrations: 'integrations',
  channels: 'notification channels'
} as const

export function PlanLimit({ of }: { of: keyof typeof inWords }) {
  const counted = useLimit(of)
  if (!counted || !isFull(counted)) return null
  return (
    <Alert color="yellow" variant="light" title="The limit of your plan is reached" mb="md">
      There are {counted.used} of {counted.limit} {inWords[of]}. Delete one, or take a larger plan, before you create another.
    </Alert>
  )
}
