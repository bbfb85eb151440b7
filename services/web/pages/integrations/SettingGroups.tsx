/** The groups of fields in the settings of an integration. */
import { Switch, Textarea, TextInput } from '@mantine/core'
import '@mantine/core/styles/Switch.css'
import { severities } from '../../../../schemas/http/severity-words.ts'
import type { Integration, Source } from '../../api/shapes.ts'
import { useManagedTeams } from '../../api/teams.ts'
import { Group } from '../../forms/Form.tsx'
import { NumberInput, Select } from '../../forms/late-fields.tsx'
import { Pairs } from '../../forms/Pairs.tsx'
import { TeamSelect } from '../../forms/TeamSelect.tsx'
import type { Form } from '../../forms/useForm.ts'
import { Coded } from '../../parts/Said.tsx'
import { inboundText } from '../../texts/inbound.ts'
import { integrationSettingsText } from '../../texts/integration-settings.ts'
import { SettingFields } from './SettingFields.tsx'
import { type Values, wordsBySeverity } from './settings-values.ts'

/** The placeholders of an alert's fields in a template. */
const fields = { title: '{title}', dedup_key: '{dedup_key}', label: '{label.name}' }

interface Props {
  form: Pick<Form<Values>, 'values' | 'set' | 'fault' | 'left'>
}

interface SourceProps extends Props {
  source: Source
}

interface KnownProps extends SourceProps {
  /** The integration before any change. */
  integration: Integration
}

/** The name, and whether alerts are accepted and payloads are kept. */
export function General({ form: { values, set, fault, left } }: Props) {
  // Only a person who manages a private team may direct alerts to it.
  const managed = useManagedTeams()
  return (
    <Group title={integrationSettingsText('general.title')}>
      <TextInput
        label={integrationSettingsText('general.name')}
        value={values.name}
        onChange={(event) => set({ name: event.currentTarget.value })}
        onBlur={() => left('name')}
        error={fault('name')}
      />
      <TeamSelect value={values.team_id} onChange={(team_id) => set({ team_id })} error={fault('team_id')} offered={managed} />
      <Switch
        label={integrationSettingsText('general.on')}
        description={integrationSettingsText('general.on_hint')}
        checked={values.enabled}
        onChange={(event) => set({ enabled: event.currentTarget.checked })}
      />
      <Switch
        label={inboundText('capture.label')}
        description={inboundText('capture.hint')}
        checked={values.capture}
        onChange={(event) => set({ capture: event.currentTarget.checked })}
      />
    </Group>
  )
}

/** The default severity, and what the sender's words for severity mean. */
export function SeverityFields({ form: { values, set, fault }, source }: SourceProps) {
  const known = wordsBySeverity(source)
  return (
    <Group title={integrationSettingsText('severity.title')}>
      <Select
        label={integrationSettingsText('severity.default')}
        data={[{ value: '', label: integrationSettingsText('severity.usual', { choice: source.default_severity }) }, ...severities]}
        value={values.default_severity}
        onChange={(value) => set({ default_severity: severities.find((one) => one === value) ?? '' })}
        error={fault('default_severity')}
      />
      <Pairs
        label={integrationSettingsText('severity.words')}
        description={
          known === '' ? integrationSettingsText('severity.words_hint') : integrationSettingsText('severity.words_known', { known })
        }
        nameLabel={integrationSettingsText('severity.word')}
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
        addLabel={integrationSettingsText('severity.add')}
        error={fault('severity_map')}
      />
    </Group>
  )
}

/**
 * What is added to each alert, which alerts count as the same, and when an incident resolves by
 * itself.
 */
export function AlertFields({ form: { values, set, fault, left } }: Props) {
  return (
    <Group title={integrationSettingsText('alerts.title')}>
      <Pairs
        label={integrationSettingsText('alerts.labels')}
        description={integrationSettingsText('alerts.labels_hint')}
        nameLabel={integrationSettingsText('alerts.label')}
        namePlaceholder="team"
        pairs={values.labels_add}
        onChange={(labels_add) => set({ labels_add })}
        fresh=""
        field={(value, onChange, label) => (
          <TextInput aria-label={label} placeholder="payments" value={value} onChange={(event) => onChange(event.currentTarget.value)} />
        )}
        addLabel={integrationSettingsText('alerts.add')}
        error={fault('labels_add')}
      />
      <TextInput
        label={integrationSettingsText('alerts.dedup')}
        description={<Coded text={integrationSettingsText('alerts.dedup_hint', fields)} />}
        placeholder="{label.cluster}/{label.alertname}"
        value={values.dedup_template}
        onChange={(event) => set({ dedup_template: event.currentTarget.value })}
        onBlur={() => left('dedup_template')}
        error={fault('dedup_template')}
      />
      <NumberInput
        label={integrationSettingsText('alerts.resolve')}
        description={integrationSettingsText('alerts.resolve_hint')}
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
  )
}

/** The options that the source offers. Shows nothing when it offers none. */
export function SourceOptions({ form: { values, set, fault }, source, integration }: KnownProps) {
  if (source.options.length === 0) return null
  return (
    <Group title={integrationSettingsText('options.title', { tool: source.name })}>
      <SettingFields
        path="options"
        settings={source.options}
        before={integration.options}
        changes={values.options}
        onChange={(options) => set({ options })}
        fault={fault}
      />
    </Group>
  )
}

/** How the sender is verified, and from which networks it may send. */
export function SenderFields({ form: { values, set, fault, left }, source, integration }: KnownProps) {
  return (
    <Group
      title={integrationSettingsText('sender.title')}
      hint={integrationSettingsText(source.verify?.always ? 'sender.always' : 'sender.optional')}
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
        label={integrationSettingsText('sender.networks')}
        description={integrationSettingsText('sender.networks_hint')}
        autosize
        minRows={2}
        maxRows={10}
        value={values.allowed_cidrs}
        onChange={(event) => set({ allowed_cidrs: event.currentTarget.value })}
        onBlur={() => left('allowed_cidrs')}
        error={fault('allowed_cidrs')}
      />
    </Group>
  )
}
