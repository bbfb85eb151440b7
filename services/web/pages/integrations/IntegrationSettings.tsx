/** Everything that an integration may set, its token, and its end. */
import { NumberInput, Select, Switch, Textarea, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { severities } from '../../../../schemas/http/common.ts'
import { UpdateIntegrationBody } from '../../../../schemas/http/integrations.ts'
import { client, Refusal, take } from '../../api/client.ts'
import { integrationQuery } from '../../api/integrations.ts'
import { useMay } from '../../api/session.ts'
import type { Integration, IntegrationChange, Severity, Source } from '../../api/shapes.ts'
import { Form, Group } from '../../forms/Form.tsx'
import { type Pair, Pairs, pairsOf, recordOf } from '../../forms/Pairs.tsx'
import { useForm } from '../../forms/useForm.ts'
import { Confirm } from '../../parts/Confirm.tsx'
import { Section } from '../../parts/Page.tsx'
import { Problem } from '../../parts/States.tsx'
import { tellDone } from '../../parts/tell.ts'
import { captureHint } from './Capture.tsx'
import classes from './IntegrationSettings.module.css'
import { Rotate } from './Rotate.tsx'
import { SettingFields, type Settings } from './SettingFields.tsx'

interface Props {
  integration: Integration
  source: Source
}

interface Values {
  name: string
  enabled: boolean
  /** Empty: the source's own. */
  default_severity: Severity | ''
  severity_map: readonly Pair<Severity>[]
  labels_add: readonly Pair[]
  capture: boolean
  options: Settings
  verify: Settings
  /** One a line. */
  allowed_cidrs: string
  dedup_template: string
  auto_resolve_minutes: number | ''
}

const valuesOf = (integration: Integration): Values => ({
  name: integration.name,
  enabled: integration.enabled,
  default_severity: integration.default_severity ?? '',
  severity_map: pairsOf(integration.severity_map),
  labels_add: pairsOf(integration.labels_add),
  capture: integration.capture,
  options: {},
  verify: {},
  allowed_cidrs: integration.allowed_cidrs.join('\n'),
  dedup_template: integration.dedup_template ?? '',
  auto_resolve_minutes: integration.auto_resolve_minutes ?? ''
})

const bodyOf = (values: Values): IntegrationChange => ({
  name: values.name.trim(),
  enabled: values.enabled,
  default_severity: values.default_severity === '' ? null : values.default_severity,
  severity_map: recordOf(values.severity_map),
  labels_add: recordOf(values.labels_add),
  capture: values.capture,
  options: values.options,
  verify: values.verify,
  allowed_cidrs: values.allowed_cidrs.split(/[\s,]+/).filter((network) => network !== ''),
  dedup_template: values.dedup_template.trim() === '' ? null : values.dedup_template.trim(),
  auto_resolve_minutes: values.auto_resolve_minutes === '' ? null : values.auto_resolve_minutes
})

/** `critical: fatal, P1; warning: P3`: what the source makes of its sender's words; a word that means itself is left out. */
const wordsBySeverity = ({ severity_map }: Source): string =>
  severities
    .map(
      (severity) => [severity, Object.keys(severity_map).filter((word) => severity_map[word] === severity && word !== severity)] as const
    )
    .filter(([, words]) => words.length > 0)
    .map(([severity, words]) => `${severity}: ${words.join(', ')}`)
    .join('; ')

/** What differs: the rest may have been changed by somebody else meanwhile. */
const differing = (body: IntegrationChange, before: IntegrationChange): IntegrationChange =>
  Object.fromEntries(
    Object.entries(body).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name as keyof IntegrationChange]))
  )

export function IntegrationSettings(props: Props) {
  const mayWrite = useMay('write')
  // What was saved is what the fields begin with.
  const [saves, setSaves] = useState(0)
  if (!mayWrite)
    return <Problem error={new Refusal(403, { code: 'FORBIDDEN', details: [{ needed: { scope: 'write', role: 'editor' } }] })} />
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
    schema: UpdateIntegrationBody,
    toBody: bodyOf,
    save: (body) => take(client.PATCH('/api/v1/integrations/inbound/{id}', { params: { path: { id } }, body: differing(body, before) })),
    onSaved: (saved) => {
      queries.setQueryData(integrationQuery(id).queryKey, saved)
      void queries.invalidateQueries({ queryKey: ['integrations', 'list'] })
      tellDone('Saved')
      onSaved()
    }
  })
  const { values, set, fault, left } = form
  const known = wordsBySeverity(source)
  return (
    <Form form={form} verb="Save">
      <Group title="General">
        <TextInput
          label="Name"
          value={values.name}
          onChange={(event) => set({ name: event.currentTarget.value })}
          onBlur={() => left('name')}
          error={fault('name')}
        />
        <Switch
          label="On"
          description="While it is off, its address refuses every delivery with 403."
          checked={values.enabled}
          onChange={(event) => set({ enabled: event.currentTarget.checked })}
        />
        <Switch
          label="Capture"
          description={captureHint}
          checked={values.capture}
          onChange={(event) => set({ capture: event.currentTarget.checked })}
        />
      </Group>
      <Group title="Severity">
        <Select
          label="Where the sender gives none"
          data={[{ value: '', label: `${source.default_severity} (usual)` }, ...severities]}
          value={values.default_severity}
          onChange={(value) => set({ default_severity: severities.find((one) => one === value) ?? '' })}
          error={fault('default_severity')}
        />
        <Pairs
          label="Words of the sender"
          description={`What a word means here. ${known === '' ? '' : `Known already: ${known}.`}`}
          nameLabel="Word"
          namePlaceholder="P1"
          pairs={values.severity_map}
          onChange={(severity_map) => set({ severity_map })}
          fresh="critical"
          field={(value, onChange, label) => (
            <Select
              aria-label={label}
              data={[...severities]}
              value={value}
              onChange={(chosen) => onChange(severities.find((one) => one === chosen) ?? value)}
            />
          )}
          addLabel="Add a word"
          error={fault('severity_map')}
        />
      </Group>
      <Group title="Alerts">
        <Pairs
          label="Labels added to each alert"
          description="For routing and for the template below. The sender’s own label of the same name is replaced."
          nameLabel="Label"
          namePlaceholder="team"
          pairs={values.labels_add}
          onChange={(labels_add) => set({ labels_add })}
          fresh=""
          field={(value, onChange, label) => (
            <TextInput aria-label={label} placeholder="payments" value={value} onChange={(event) => onChange(event.currentTarget.value)} />
          )}
          addLabel="Add a label"
          error={fault('labels_add')}
        />
        <TextInput
          label="What makes two alerts one"
          description={
            <>
              Empty: the source’s own key. Else a text of <code>{'{title}'}</code>, <code>{'{dedup_key}'}</code> and{' '}
              <code>{'{label.name}'}</code>: alerts for which it comes to the same join one incident. A recovery has to carry the same
              fields; open incidents keep the key they have.
            </>
          }
          placeholder="{label.cluster}/{title}"
          value={values.dedup_template}
          onChange={(event) => set({ dedup_template: event.currentTarget.value })}
          onBlur={() => left('dedup_template')}
          error={fault('dedup_template')}
        />
        <NumberInput
          label="Resolve by itself"
          description="Minutes after the last alert of an incident; empty: never. For senders that tell of no recovery."
          suffix=" min"
          min={1}
          max={43_200}
          allowDecimal={false}
          value={values.auto_resolve_minutes}
          onChange={(value) => set({ auto_resolve_minutes: typeof value === 'number' ? value : '' })}
          onBlur={() => left('auto_resolve_minutes')}
          error={fault('auto_resolve_minutes')}
        />
      </Group>
      {source.options.length > 0 && (
        <Group title={`What ${source.name} may send`}>
          <SettingFields
            path="options"
            settings={source.options}
            before={integration.options}
            changes={values.options}
            onChange={(options) => set({ options })}
            fault={fault}
          />
        </Group>
      )}
      <Group
        title="Who may send"
        hint={source.verify?.always ? 'Every delivery has to prove its sender.' : 'The token is asked always. This narrows it further.'}
      >
        {source.verify && (
          <SettingFields
            path="verify"
            settings={source.verify.settings}
            before={integration.verify}
            changes={values.verify}
            onChange={(verify) => set({ verify })}
            fault={fault}
          />
        )}
        <Textarea
          label="Networks"
          description="Deliveries from elsewhere are refused; one a line, such as 192.0.2.0/24. Empty: from anywhere."
          autosize
          minRows={2}
          maxRows={10}
          value={values.allowed_cidrs}
          onChange={(event) => set({ allowed_cidrs: event.currentTarget.value })}
          onBlur={() => left('allowed_cidrs')}
          error={fault('allowed_cidrs')}
        />
      </Group>
    </Form>
  )
}

function End({ integration: { id, name } }: Props) {
  const queries = useQueryClient()
  const navigate = useNavigate()
  return (
    <div className={classes.end}>
      <Section title="Token">
        <p className={classes.hint}>Somebody may know it who should not, or nobody knows it any more: make a new one.</p>
        <Rotate id={id} onRotated={() => void navigate({ to: '/integrations/$id', params: { id }, search: { tab: 'setup' } })} />
      </Section>
      <Section title="Delete">
        <p className={classes.hint}>Incidents that it opened stay.</p>
        <Confirm
          label="Delete integration"
          question={`Delete ${name}?`}
          verb="Delete"
          c="var(--bad)"
          act={async () => {
            await take(client.DELETE('/api/v1/integrations/inbound/{id}', { params: { path: { id } } }))
            await navigate({ to: '/integrations' })
            queries.removeQueries({ queryKey: integrationQuery(id).queryKey })
            await queries.invalidateQueries({ queryKey: ['integrations', 'list'] })
            tellDone(`${name} is deleted`)
          }}
        >
          Its token ends within 5 s: whatever still sends to its address is refused. This cannot be undone.
        </Confirm>
      </Section>
    </div>
  )
}
