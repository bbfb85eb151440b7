/** The groups of fields of an integration's settings. */
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
import { captureHint } from './Capture.tsx'
import { SettingFields } from './SettingFields.tsx'
import { type Values, wordsBySeverity } from './settings-values.ts'

interface Props {
  form: Pick<Form<Values>, 'values' | 'set' | 'fault' | 'left'>
}

interface SourceProps extends Props {
  source: Source
}

interface KnownProps extends SourceProps {
  /** As it was before any change. */
  integration: Integration
}

/** Name, and whether anything is taken or kept. */
export function General({ form: { values, set, fault, left } }: Props) {
  // Only who manages a private team says what comes to it.
  const managed = useManagedTeams()
  return (
    <Group title="General">
      <TextInput
        label="Name"
        value={values.name}
        onChange={(event) => set({ name: event.currentTarget.value })}
        onBlur={() => left('name')}
        error={fault('name')}
      />
      <TeamSelect value={values.team_id} onChange={(team_id) => set({ team_id })} error={fault('team_id')} offered={managed} />
      <Switch
        label="On"
        description="While the integration is off, every delivery is rejected with 403."
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
  )
}

/** What the sender's words for severity mean. */
export function SeverityFields({ form: { values, set, fault }, source }: SourceProps) {
  const known = wordsBySeverity(source)
  return (
    <Group title="Severity">
      <Select
        label="If the sender sends none"
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
  )
}

/** What each alert gets, what makes two alerts one, and when an incident resolves by itself. */
export function AlertFields({ form: { values, set, fault, left } }: Props) {
  return (
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
            <code>{'{label.name}'}</code>: alerts for which it comes to the same join one incident. A recovery has to carry the same fields;
            open incidents keep the key they have.
          </>
        }
        placeholder="{label.cluster}/{title}"
        value={values.dedup_template}
        onChange={(event) => set({ dedup_template: event.currentTarget.value })}
        onBlur={() => left('dedup_template')}
        error={fault('dedup_template')}
      />
      <NumberInput
        label="Resolve automatically"
        description="Minutes after the last alert of an incident. Leave empty to never do this. Use it for senders that do not report recoveries."
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

/** What the source itself lets people choose; nothing where that is nothing. */
export function SourceOptions({ form: { values, set, fault }, source, integration }: KnownProps) {
  if (source.options.length === 0) return null
  return (
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
  )
}

/** How a sender proves itself, and from where it may come. */
export function SenderFields({ form: { values, set, fault, left }, source, integration }: KnownProps) {
  return (
    <Group
      title="Who may send"
      hint={
        source.verify?.always
          ? 'Every delivery has to prove its sender.'
          : 'The token is always required. These settings add further checks.'
      }
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
  )
}
