/**
 * The settings of the workspace: its name, its time zone, when a target that still fails may open
 * an incident again, and when so much fails that people are not notified of each failure.
 */
import { Checkbox, TextInput } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { client, take } from '../../api/client.ts'
import { policiesToChoose } from '../../api/escalation.ts'
import { sessionQuery, useMay } from '../../api/session.ts'
import type { Workspace } from '../../api/shapes.ts'
import { workspaceQuery } from '../../api/workspace.ts'
import { Duration } from '../../forms/Duration.tsx'
import { differing } from '../../forms/differing.ts'
import { Form, Group } from '../../forms/Form.tsx'
import { NumberInput } from '../../forms/late-fields.tsx'
import { PolicySelect } from '../../forms/PolicySelect.tsx'
import { type Form as FormState, useForm } from '../../forms/useForm.ts'
import { ZoneSelect } from '../../forms/ZoneSelect.tsx'
import { Copyable } from '../../parts/Copy.tsx'
import { Facts, PageHead, Section } from '../../parts/Page.tsx'
import { durationInWords, Since } from '../../parts/Since.tsx'
import { Awaiting } from '../../parts/States.tsx'
import { tellDone } from '../../parts/tell.ts'
import { policyChoiceText } from '../../texts/policy-choice.ts'
import { settingsText } from '../../texts/settings.ts'
import { workspaceText } from '../../texts/workspace.ts'
import { planName } from './plan.ts'

export function WorkspaceSettings() {
  const asked = useQuery(workspaceQuery)
  const { data: workspace } = asked
  const may = useMay('administer')
  const [saves, setSaves] = useState(0)
  if (!workspace) {
    return (
      <>
        <PageHead title={workspaceText('page.title')} answer={workspaceText('page.title')} />
        <Awaiting of={asked} rows={8} />
      </>
    )
  }
  return (
    <>
      <PageHead
        title={workspaceText('page.title')}
        answer={workspaceText('page.answer', { name: workspace.name, plan: planName(workspace.plan) })}
      >
        {!may && <span>{workspaceText('page.may_not')}</span>}
      </PageHead>
      <Section title={workspaceText('facts.title')}>
        <Facts
          facts={[
            [workspaceText('fact.id'), <Copyable key="id" text={workspace.id} what={workspaceText('fact.id_what')} />],
            [workspaceText('fact.slug'), <Copyable key="slug" text={workspace.slug} what={workspaceText('fact.slug_what')} />],
            [workspaceText('fact.created'), <Since key="made" at={workspace.created_at} />],
            ...(may
              ? []
              : [
                  ...settingsInWords(workspace),
                  [policyChoiceText('choice.workspace'), <Chosen key="policy" workspace={workspace} />] as const
                ])
          ]}
        />
      </Section>
      {may && <WorkspaceForm key={saves} workspace={workspace} onSaved={() => setSaves(saves + 1)} />}
    </>
  )
}

/** The name of the default policy, with a link to it. */
function Chosen({ workspace: { default_escalation_policy_id: id } }: { workspace: Workspace }) {
  const { data } = useQuery(policiesToChoose)
  if (id === null) return policyChoiceText('choice.none')
  const found = data?.items.find((policy) => policy.id === id)
  if (!found) return data ? policyChoiceText('choice.gone') : null
  return (
    <Link to="/on-call/policies/$id" params={{ id }}>
      {found.name}
    </Link>
  )
}

const settingsInWords = ({ time_zone, reopen_after_seconds, storm_threshold, mass_outage }: Workspace): [string, string][] => [
  [workspaceText('field.zone'), time_zone],
  [workspaceText('field.reopen'), durationInWords(reopen_after_seconds)],
  [settingsText('storms.threshold'), settingsText('storms.a_minute', { count: storm_threshold })],
  [
    settingsText('outages.setting'),
    mass_outage.enabled ? settingsText('outages.from', { count: mass_outage.min_monitors }) : settingsText('outages.off')
  ]
]

const bodyOf = (workspace: Workspace) => ({
  name: workspace.name.trim(),
  slug: workspace.slug,
  time_zone: workspace.time_zone,
  reopen_after_seconds: workspace.reopen_after_seconds,
  storm_threshold: workspace.storm_threshold,
  mass_outage: workspace.mass_outage,
  default_escalation_policy_id: workspace.default_escalation_policy_id
})

function WorkspaceForm({ workspace, onSaved }: { workspace: Workspace; onSaved: () => void }) {
  const queries = useQueryClient()
  const [before] = useState(() => bodyOf(workspace))
  const form = useForm({
    initial: workspace,
    schema: async () => (await import('../../../../schemas/http/workspace.ts')).UpdateWorkspaceBody,
    toBody: bodyOf,
    save: (body) => take(client.PATCH('/api/v1/workspace', { body: differing(before, body) })),
    onSaved: (saved) => {
      queries.setQueryData(workspaceQuery.queryKey, saved)
      void queries.invalidateQueries({ queryKey: sessionQuery.queryKey })
      void queries.invalidateQueries({ queryKey: ['policies'] })
      tellDone(workspaceText('form.saved'))
      onSaved()
    }
  })
  const { values, set, fault, left } = form
  return (
    <Form form={form} verb={workspaceText('form.save')}>
      <Group title={workspaceText('group.name')}>
        <TextInput
          label={workspaceText('field.name')}
          value={values.name}
          onChange={(event) => set({ name: event.currentTarget.value })}
          onBlur={() => left('name')}
          error={fault('name')}
        />
        <TextInput
          label={workspaceText('field.slug')}
          description={workspaceText('hint.slug')}
          value={values.slug}
          onChange={(event) => set({ slug: event.currentTarget.value })}
          onBlur={() => left('slug')}
          error={fault('slug')}
        />
        <ZoneSelect
          description={workspaceText('hint.zone')}
          value={values.time_zone}
          onChange={(time_zone) => set({ time_zone })}
          error={fault('time_zone')}
        />
      </Group>
      <Group title={policyChoiceText('choice.workspace_title')}>
        <PolicySelect
          label={policyChoiceText('choice.workspace')}
          description={policyChoiceText('choice.workspace_hint')}
          first={[{ value: '', label: policyChoiceText('choice.none') }]}
          value={values.default_escalation_policy_id ?? ''}
          onChange={(id) => set({ default_escalation_policy_id: id === '' ? null : id })}
          error={fault('default_escalation_policy_id')}
        />
        <Link to="/on-call/policies">{policyChoiceText('choice.all')}</Link>
      </Group>
      <Group title={workspaceText('group.reopen')}>
        <Duration
          label={workspaceText('field.reopen')}
          description={reopenInWords(values.reopen_after_seconds)}
          value={values.reopen_after_seconds}
          onChange={(reopen_after_seconds) => set({ reopen_after_seconds })}
          onBlur={() => left('reopen_after_seconds')}
          error={fault('reopen_after_seconds')}
        />
      </Group>
      <Group title={settingsText('storms.title')}>
        <NumberInput
          label={settingsText('storms.threshold')}
          description={settingsText('storms.hint')}
          value={Number.isNaN(values.storm_threshold) ? '' : values.storm_threshold}
          min={1}
          max={10_000}
          allowDecimal={false}
          clampBehavior="none"
          onChange={(value) => set({ storm_threshold: typeof value === 'number' ? value : Number.NaN })}
          onBlur={() => left('storm_threshold')}
          error={fault('storm_threshold')}
        />
        <MassOutage form={form} />
      </Group>
    </Form>
  )
}

function MassOutage({ form: { values, set, fault, left } }: { form: FormState<Workspace> }) {
  const { mass_outage } = values
  return (
    <>
      <Checkbox
        label={settingsText('outages.enabled')}
        description={settingsText('outages.hint')}
        checked={mass_outage.enabled}
        onChange={(event) => set({ mass_outage: { ...mass_outage, enabled: event.currentTarget.checked } })}
      />
      {mass_outage.enabled && (
        <NumberInput
          label={settingsText('outages.min')}
          description={settingsText('outages.min_hint')}
          value={Number.isNaN(mass_outage.min_monitors) ? '' : mass_outage.min_monitors}
          min={2}
          max={1000}
          allowDecimal={false}
          clampBehavior="none"
          onChange={(value) => set({ mass_outage: { ...mass_outage, min_monitors: typeof value === 'number' ? value : Number.NaN } })}
          onBlur={() => left('mass_outage.min_monitors')}
          error={fault('mass_outage.min_monitors')}
        />
      )}
    </>
  )
}

function reopenInWords(seconds: number): string {
  if (seconds === 0) return workspaceText('reopen.none')
  return seconds > 0 ? workspaceText('reopen.after', { time: durationInWords(seconds) }) : workspaceText('reopen.unset')
}
