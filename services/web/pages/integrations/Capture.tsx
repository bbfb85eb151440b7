/**
 * The switch to keep accepted payloads as well. It stands where people notice that they are
 * missing.
 */
import { Switch } from '@mantine/core'
import '@mantine/core/styles/Switch.css'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { client, take } from '../../api/client.ts'
import { integrationQuery } from '../../api/integrations.ts'
import { useMay } from '../../api/session.ts'
import type { Integration } from '../../api/shapes.ts'
import { tellRefused } from '../../parts/tell.ts'
import { inboundText } from '../../texts/inbound.ts'

export function Capture({ integration }: { integration: Integration }) {
  const mayWrite = useMay('write')
  const queries = useQueryClient()
  const { id } = integration
  const { queryKey } = integrationQuery(id)
  const change = useMutation({
    mutationFn: (capture: boolean) =>
      take(client.PATCH('/api/v1/integrations/inbound/{id}', { params: { path: { id } }, body: { capture } })),
    onMutate: async (capture) => {
      await queries.cancelQueries({ queryKey })
      queries.setQueryData(queryKey, { ...integration, capture })
    },
    onSuccess: (changed) => queries.setQueryData(queryKey, changed),
    onError: (error) => {
      queries.setQueryData(queryKey, integration)
      tellRefused(inboundText('capture.refused'), error)
    }
  })
  return (
    <Switch
      label={inboundText('capture.label')}
      description={mayWrite ? inboundText('capture.hint') : `${inboundText('capture.hint')} ${inboundText('capture.editor')}`}
      checked={integration.capture}
      disabled={!mayWrite}
      onChange={(event) => change.mutate(event.currentTarget.checked)}
    />
  )
}
