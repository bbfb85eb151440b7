/**
 * Creates an integration: first the tool that sends, then a name and the options of its source. The
 * integration's own page then shows the token once, and what to paste where.
 */
import { TextInput } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Refusal } from '../../api/client.ts'
import { createIntegration, sourcesQuery } from '../../api/integrations.ts'
import { useMay } from '../../api/session.ts'
import type { Source } from '../../api/shapes.ts'
import { useManagedTeams } from '../../api/teams.ts'
import { Form, Group } from '../../forms/Form.tsx'
import { TeamSelect } from '../../forms/TeamSelect.tsx'
import { useForm } from '../../forms/useForm.ts'
import { PageHead } from '../../parts/Page.tsx'
import { PlanLimit } from '../../parts/PlanLimit.tsx'
import { Awaiting, Problem } from '../../parts/States.tsx'
import { integrationSettingsText } from '../../texts/integration-settings.ts'
import { integrationsText } from '../../texts/integrations.ts'
import { Gallery } from './Gallery.tsx'
import { SettingFields, type Settings } from './SettingFields.tsx'

const toList = () => ({ to: '/integrations', label: integrationsText('page.title') })

export function NewIntegration() {
  const mayWrite = useMay('write')
  const { source } = useSearch({ from: '/inside/integrations/new' })
  const asked = useQuery(sourcesQuery)
  const { data } = asked
  const chosen = data?.items.find(({ source_type }) => source_type === source)
  if (!mayWrite)
    return (
      <>
        <PageHead title={integrationSettingsText('new.title')} answer={integrationSettingsText('new.title')} back={toList()} />
        <Problem error={new Refusal(403, { code: 'FORBIDDEN', details: [{ needed: { scope: 'write', role: 'editor' } }] })} />
      </>
    )
  if (chosen) return <NewOf key={chosen.source_type} source={chosen} />
  return (
    <>
      <PageHead title={integrationSettingsText('new.title')} answer={integrationSettingsText('new.which')} back={toList()}>
        {integrationSettingsText('new.hint')}
      </PageHead>
      <PlanLimit of="inbound_integrations" />
      {data ? <Gallery sources={data.items} /> : <Awaiting of={asked} rows={8} height={76} />}
    </>
  )
}

function NewOf({ source }: { source: Source }) {
  const queries = useQueryClient()
  const navigate = useNavigate()
  // Only a person who manages a private team may direct alerts to it.
  const managed = useManagedTeams()
  const form = useForm({
    initial: { name: source.name, team_id: '', options: {} as Settings, verify: {} as Settings },
    schema: async () => (await import('../../../../schemas/http/integrations.ts')).CreateIntegrationBody,
    toBody: ({ name, team_id, options, verify }) => ({
      name: name.trim(),
      source_type: source.source_type,
      ...(team_id !== '' && { team_id }),
      options,
      verify
    }),
    save: (body) => createIntegration(queries, body),
    onSaved: ({ id }) => void navigate({ to: '/integrations/$id', params: { id }, search: { tab: 'setup' }, replace: true })
  })
  const { values, set, fault, left } = form
  return (
    <>
      <PageHead
        title={integrationSettingsText('new.title')}
        answer={integrationSettingsText('new.of', { tool: source.name })}
        back={{ to: '/integrations/new', label: integrationSettingsText('new.all_tools') }}
      >
        {source.description}
      </PageHead>
      <Form form={form} verb={integrationSettingsText('new.verb')} onCancel={() => void navigate({ to: '/integrations/new' })}>
        <Group title={integrationSettingsText('general.name')} hint={integrationSettingsText('new.name_hint')}>
          <TextInput
            aria-label={integrationSettingsText('general.name')}
            value={values.name}
            onChange={(event) => set({ name: event.currentTarget.value })}
            onBlur={() => left('name')}
            error={fault('name')}
            data-autofocus
          />
          <TeamSelect value={values.team_id} onChange={(team_id) => set({ team_id })} error={fault('team_id')} offered={managed} />
        </Group>
        {source.options.length > 0 && (
          <Group title={integrationSettingsText('new.options')}>
            <SettingFields
              path="options"
              settings={source.options}
              before={{}}
              changes={values.options}
              onChange={(options) => set({ options })}
              fault={fault}
            />
          </Group>
        )}
        {source.verify && (
          <Group
            title={integrationSettingsText('new.proof')}
            hint={integrationSettingsText(source.verify.always ? 'new.proof_always' : 'new.proof_optional')}
          >
            <SettingFields
              path="verify"
              settings={source.verify.settings}
              before={{}}
              changes={values.verify}
              onChange={(verify) => set({ verify })}
              fault={fault}
            />
          </Group>
        )}
      </Form>
    </>
  )
}
