/** The settings of an integration, its token, and the button to delete it. */
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { client, Refusal, take } from '../../api/client.ts'
import { integrationQuery } from '../../api/integrations.ts'
import { useMay } from '../../api/session.ts'
import type { Integration, Source } from '../../api/shapes.ts'
import { useManages } from '../../api/teams.ts'
import { differing } from '../../forms/differing.ts'
import { Form } from '../../forms/Form.tsx'
import { useForm } from '../../forms/useForm.ts'
import { Confirm } from '../../parts/Confirm.tsx'
import { Section } from '../../parts/Page.tsx'
import { Loading, Problem } from '../../parts/States.tsx'
import { tellDone } from '../../parts/tell.ts'
import { integrationSettingsText } from '../../texts/integration-settings.ts'
import { teamsText } from '../../texts/teams.ts'
import classes from './IntegrationSettings.module.css'
import { Rotate } from './Rotate.tsx'
import { AlertFields, General, SenderFields, SeverityFields, SourceOptions } from './SettingGroups.tsx'
import { bodyOf, valuesOf } from './settings-values.ts'

interface Props {
  integration: Integration
  source: Source
}

export function IntegrationSettings(props: Props) {
  const mayWrite = useMay('write')
  const manages = useManages(props.integration.team_id)
  // Counts the saves. Each one creates the fields anew, so that they start from the saved values.
  const [saves, setSaves] = useState(0)
  if (!mayWrite)
    return <Problem error={new Refusal(403, { code: 'FORBIDDEN', details: [{ needed: { scope: 'write', role: 'editor' } }] })} />
  if (manages === null) return <Loading rows={6} />
  if (manages === false) return <Problem error={new Refusal(403, { code: 'FORBIDDEN', error: teamsText('owns.integration_locked') })} />
  return (
    <>
      <Fields key={saves} {...props} onSaved={() => setSaves(saves + 1)} />
      <End {...props} />
    </>
  )
}

function Fields({ integration, source, onSaved }: Props & { onSaved: () => void }) {
  const queries = useQueryClient()
  const { id } = integration
  const initial = valuesOf(integration)
  const [before] = useState(() => bodyOf(initial))
  const form = useForm({
    initial,
    schema: async () => (await import('../../../../schemas/http/integrations.ts')).UpdateIntegrationBody,
    toBody: bodyOf,
    save: (body) => take(client.PATCH('/api/v1/integrations/inbound/{id}', { params: { path: { id } }, body: differing(before, body) })),
    onSaved: (saved) => {
      queries.setQueryData(integrationQuery(id).queryKey, saved)
      void queries.invalidateQueries({ queryKey: ['integrations', 'list'] })
      tellDone(integrationSettingsText('form.saved'))
      onSaved()
    }
  })
  return (
    <Form form={form} verb={integrationSettingsText('form.save')}>
      <General form={form} />
      <SeverityFields form={form} source={source} />
      <AlertFields form={form} />
      <SourceOptions form={form} source={source} integration={integration} />
      <SenderFields form={form} source={source} integration={integration} />
    </Form>
  )
}

function End({ integration: { id, name } }: Props) {
  const queries = useQueryClient()
  const navigate = useNavigate()
  return (
    <div className={classes.end}>
      <Section title={integrationSettingsText('end.token')}>
        <p className={classes.hint}>{integrationSettingsText('end.token_hint')}</p>
        <Rotate id={id} onRotated={() => void navigate({ to: '/integrations/$id', params: { id }, search: { tab: 'setup' } })} />
      </Section>
      <Section title={integrationSettingsText('end.delete')}>
        <p className={classes.hint}>{integrationSettingsText('end.delete_hint')}</p>
        <Confirm
          label={integrationSettingsText('end.delete_label')}
          question={integrationSettingsText('end.question', { name })}
          verb={integrationSettingsText('end.delete')}
          c="var(--bad)"
          act={async () => {
            await take(client.DELETE('/api/v1/integrations/inbound/{id}', { params: { path: { id } } }))
            await navigate({ to: '/integrations' })
            queries.removeQueries({ queryKey: integrationQuery(id).queryKey })
            await queries.invalidateQueries({ queryKey: ['integrations', 'list'] })
            tellDone(integrationSettingsText('end.deleted', { name }))
          }}
        >
          {integrationSettingsText('end.explained')}
        </Confirm>
      </Section>
    </div>
  )
}
