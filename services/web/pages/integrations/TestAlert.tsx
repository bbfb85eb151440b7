/** Sends a test alert through the integration and links to what it opens. */
import { useNavigate } from '@tanstack/react-router'
import { client, take } from '../../api/client.ts'
import type { Integration } from '../../api/shapes.ts'
import { Confirm } from '../../parts/Confirm.tsx'
import { tellDone } from '../../parts/tell.ts'
import { integrationsText } from '../../texts/integrations.ts'

export function TestAlert({ integration: { id, name } }: { integration: Integration }) {
  const navigate = useNavigate()
  return (
    <Confirm
      label={integrationsText('test.label')}
      question={integrationsText('test.question')}
      verb={integrationsText('test.verb')}
      harmless
      act={async () => {
        await take(client.POST('/api/v1/integrations/inbound/{id}/test', { params: { path: { id } } }))
        tellDone(integrationsText('test.done'))
        void navigate({ to: '/incidents', search: { integration_id: id } })
      }}
    >
      {integrationsText('test.hint', { name })}
    </Confirm>
  )
}
