/**
 * The form of a monitor. The few fields that everybody sets come first, then groups that most
 * people leave unchanged, each with its settings in words.
 */
import { Checkbox, NativeSelect, Textarea, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { checkTypes, monitorTypes } from '../../../../schemas/http/check-types/index.ts'
import { PUSHED } from '../../../../schemas/http/check-words.ts'
import { severities } from '../../../../schemas/http/common.ts'
import { accountQuery } from '../../api/session.ts'
import type { MonitorTrial } from '../../api/shapes.ts'
import { Folded, Form, Group } from '../../forms/Form.tsx'
import { Pairs } from '../../forms/Pairs.tsx'
import { TeamSelect } from '../../forms/TeamSelect.tsx'
import { durationInWords } from '../../parts/Since.tsx'
import { severityLook } from '../../parts/Status.tsx'
import { wordOf } from '../../search.ts'
import { monitorFormText } from '../../texts/monitor-form.ts'
import { monitorsText } from '../../texts/monitors.ts'
import { ConfigFields } from '../channels/ConfigFields.tsx'
import { planName } from '../settings/plan.ts'
import { AssertionsField } from './AssertionsField.tsx'
import { DependsOn, dependsInWords } from './DependsOn.tsx'
import { FinerRules, Reminders } from './FinerRules.tsx'
import { GroupSelect } from './GroupSelect.tsx'
import { intervals } from './intervals.ts'
import classes from './MonitorForm.module.css'
import { RegionsField } from './RegionsField.tsx'
import { Request, requestInWords } from './RequestFields.tsx'
import { StepsField } from './StepsField.tsx'
import { TryIt } from './TryIt.tsx'
import { type MonitorFormState, textField } from './text-field.ts'
import { changedType, confirmationOf, fieldsOf, type Values } from './values.ts'
import { downInWords, severitiesInWords, upInWords } from './words.ts'

export interface MonitorFormProps {
  form: MonitorFormState
  verb: string
  onCancel: () => void
  /** The values as saved; null: a new monitor, whose type is still to be chosen. */
  before: Values | null
  /** Returns what a trial checks: the monitor as it would be saved now. */
  trialOf: (values: Values) => MonitorTrial
}

export function MonitorForm({ form, verb, onCancel, before, trialOf }: MonitorFormProps) {
  const { values, fault } = form
  const any = (...paths: string[]): boolean => paths.some((path) => fault(path) !== undefined)
  return (
    <Form form={form} verb={verb} onCancel={onCancel}>
      <Essentials form={form} isNew={before === null} />
      {values.type === 'api' && (
        <Group title={monitorFormText('steps.title')}>
          <StepsField form={form} />
        </Group>
      )}
      {values.type !== 'http' && (
        <Group title={monitorFormText('form.settings')}>
          <ConfigFields
            key={values.type}
            fields={fieldsOf(values.type)}
            before={before?.settings ?? null}
            config={values.settings}
            onChange={(settings) => form.set({ settings })}
            fault={fault}
          />
        </Group>
      )}
      {values.type !== PUSHED && <Success form={form} />}
      {values.type === 'http' && (
        <Folded title={monitorFormText('request.title')} summary={requestInWords(values)} faulty={any('config')}>
          <Request form={form} />
        </Folded>
      )}
      <Folded
        title={monitorFormText('confirm.title')}
        summary={downInWords(confirmationOf(values))}
        faulty={any('confirmation', 'retry', 'down_interval_seconds', 'flap')}
      >
        <Confirmation form={form} />
      </Folded>
      <Folded
        title={monitorFormText('alerts.title')}
        summary={severitiesInWords(values)}
        faulty={any('severity_down', 'severity_degraded', 'open_on_degraded', 'tls_expiry_days', 'repeat_interval_seconds')}
      >
        <Severities form={form} />
        <Reminders form={form} />
      </Folded>
      <Folded
        title={monitorsText('depends.title')}
        summary={dependsInWords(values.depends_on.length)}
        faulty={any('depends_on', 'dependency_hold_seconds')}
      >
        <DependsOn form={form} own={before?.name ?? null} />
      </Folded>
      <Folded
        title={monitorFormText('words.title')}
        summary={values.tags === '' ? monitorFormText('words.no_tags') : monitorFormText('words.some_tags', { tags: values.tags })}
        faulty={any('description', 'tags', 'labels')}
      >
        <TextInput
          label={monitorFormText('words.tags')}
          description={monitorFormText('words.tags_hint')}
          {...textField(form, 'tags', 'tags')}
        />
        <Pairs
          label={monitorFormText('words.labels')}
          description={monitorFormText('words.labels_hint')}
          nameLabel={monitorFormText('words.label_name')}
          namePlaceholder="team"
          pairs={values.labels}
          onChange={(labels) => form.set({ labels })}
          fresh=""
          field={(value, onChange, label) => (
            <TextInput aria-label={label} value={value} onChange={(event) => onChange(event.currentTarget.value)} />
          )}
          addLabel={monitorFormText('words.label_add')}
          error={fault('labels')}
        />
        <Textarea label={monitorFormText('words.description')} autosize minRows={2} {...textField(form, 'description', 'description')} />
      </Folded>
      {values.type !== PUSHED && <TryIt bodyOf={() => trialOf(values)} />}
    </Form>
  )
}

function Success({ form }: { form: MonitorFormState }) {
  const { values } = form
  return (
    <Group
      title={monitorFormText('success.title')}
      hint={monitorFormText('form.success', { success: lowered(checkTypes[values.type].success) })}
    >
      <AssertionsField form={form} />
      <TextInput
        label={monitorFormText('success.degraded')}
        description={monitorFormText('success.degraded_hint')}
        inputMode="numeric"
        {...textField(form, 'degraded_after', 'degraded_after_ms')}
      />
    </Group>
  )
}

/** What is checked, how often and from where. */
function Checked({ form }: { form: MonitorFormState }) {
  const { values, set, fault } = form
  const { data: account } = useQuery(accountQuery)
  const least = account?.entitlements.min_interval_seconds ?? null
  const { target, least_interval_seconds = 0 } = checkTypes[values.type]
  const offered = [...new Set([...intervals, Number(values.interval)])].filter((seconds) => seconds >= least_interval_seconds)
  return (
    <>
      <TextInput
        label={monitorFormText(target.form === 'http' || target.form === 'websocket' ? 'form.address' : 'form.target')}
        description={target.words}
        type={target.form === 'http' ? 'url' : 'text'}
        required
        autoCapitalize="off"
        spellCheck={false}
        {...textField(form, 'target', 'target')}
      />
      <div className={classes.pair}>
        <NativeSelect
          label={monitorFormText('watch.interval')}
          description={
            least === null || !account
              ? ' '
              : monitorFormText('watch.least', { time: durationInWords(least), plan: planName(account.plan) })
          }
          {...textField(form, 'interval', 'interval_seconds')}
          data={offered
            .sort((a, b) => a - b)
            .map((seconds) => ({
              value: String(seconds),
              label: durationInWords(seconds),
              disabled: least !== null && seconds < least && String(seconds) !== values.interval
            }))}
        />
        <TextInput
          label={monitorFormText('watch.timeout')}
          description={monitorFormText('watch.timeout_hint')}
          inputMode="numeric"
          {...textField(form, 'timeout', 'timeout_seconds')}
        />
      </div>
      <RegionsField type={values.type} chosen={values.regions} onChange={(regions) => set({ regions })} error={fault('regions')} />
    </>
  )
}

const lowered = (text: string): string => `${text.charAt(0).toLowerCase()}${text.slice(1)}`

function Essentials({ form, isNew }: { form: MonitorFormState; isNew: boolean }) {
  const { values, set, fault } = form
  return (
    <Group title={monitorFormText('watch.title')}>
      <TextInput label={monitorFormText('watch.name')} required {...textField(form, 'name', 'name')} />
      {isNew && (
        <NativeSelect
          label={monitorFormText('form.type')}
          value={values.type}
          data={monitorTypes.map((type) => ({ value: type, label: checkTypes[type].label }))}
          error={fault('type')}
          onChange={({ currentTarget: { value } }) => set(changedType(wordOf(value, monitorTypes) ?? 'http', values))}
        />
      )}
      {values.type !== PUSHED && <Checked form={form} />}
      <TeamSelect value={values.team_id} onChange={(team_id) => set({ team_id })} error={fault('team_id')} />
      <GroupSelect value={values.group_id} onChange={(group_id) => set({ group_id })} error={fault('group_id')} />
    </Group>
  )
}

const strategies = ['none', 'fixed', 'linear', 'exponential'] as const

function Confirmation({ form }: { form: MonitorFormState }) {
  const { values, set, fault } = form
  return (
    <>
      <p className={classes.words}>
        {monitorFormText('confirm.words', { down: downInWords(confirmationOf(values)), up: upInWords(confirmationOf(values)) })}
      </p>
      <NativeSelect
        label={monitorFormText('confirm.regions')}
        value={values.quorum}
        error={fault('confirmation.regions')}
        data={[
          { value: 'any', label: monitorFormText('confirm.any') },
          { value: 'majority', label: monitorFormText('confirm.majority') },
          { value: 'all', label: monitorFormText('confirm.all') },
          ...[1, 2, 3, 4, 5].map((count) => ({ value: String(count), label: monitorFormText('confirm.count', { count }) })),
          ...(Number(values.quorum) > 5
            ? [{ value: values.quorum, label: monitorFormText('confirm.count', { count: values.quorum }) }]
            : [])
        ]}
        onChange={({ currentTarget: { value } }) => set({ quorum: value })}
      />
      <div className={classes.pair}>
        <TextInput label={monitorFormText('confirm.failures')} inputMode="numeric" {...textField(form, 'rounds', 'confirmation.rounds')} />
        <TextInput
          label={monitorFormText('confirm.at_least')}
          inputMode="numeric"
          {...textField(form, 'min_seconds', 'confirmation.min_seconds')}
        />
        <TextInput
          label={monitorFormText('confirm.successes')}
          inputMode="numeric"
          {...textField(form, 'recovery_rounds', 'confirmation.recovery_rounds')}
        />
        <TextInput
          label={monitorFormText('confirm.over')}
          inputMode="numeric"
          {...textField(form, 'recovery_seconds', 'confirmation.recovery_seconds')}
        />
      </div>
      <p className={classes.words}>{monitorFormText('retry.words')}</p>
      <div className={classes.pair}>
        <TextInput label={monitorFormText('retry.count')} inputMode="numeric" {...textField(form, 'retry_count', 'retry.count')} />
        <NativeSelect
          label={monitorFormText('retry.pauses')}
          value={values.retry_strategy}
          data={strategies.map((value) => ({ value, label: monitorFormText(`strategy.${value}`) }))}
          onChange={({ currentTarget: { value } }) => set({ retry_strategy: wordOf(value, strategies) ?? 'fixed' })}
        />
        <TextInput label={monitorFormText('retry.first')} inputMode="numeric" {...textField(form, 'retry_base', 'retry.base_seconds')} />
        <TextInput
          label={monitorFormText('retry.within')}
          inputMode="numeric"
          {...textField(form, 'retry_total', 'retry.max_total_seconds')}
        />
      </div>
      <FinerRules form={form} />
    </>
  )
}

const severityOptions = () => severities.map((value) => ({ value, label: severityLook(value).word }))

function Severities({ form }: { form: MonitorFormState }) {
  const { values, set } = form
  return (
    <>
      <div className={classes.pair}>
        <NativeSelect
          label={monitorFormText('alerts.down')}
          value={values.severity_down}
          data={severityOptions()}
          onChange={({ currentTarget: { value } }) => set({ severity_down: wordOf(value, severities) ?? 'critical' })}
        />
        <NativeSelect
          label={monitorFormText('alerts.degraded')}
          value={values.severity_degraded}
          data={severityOptions()}
          disabled={!values.open_on_degraded}
          onChange={({ currentTarget: { value } }) => set({ severity_degraded: wordOf(value, severities) ?? 'warning' })}
        />
      </div>
      <Checkbox
        label={monitorFormText('alerts.open')}
        checked={values.open_on_degraded}
        onChange={(event) => set({ open_on_degraded: event.currentTarget.checked })}
      />
      {checkTypes[values.type].assertions.tls_days && (
        <TextInput
          label={monitorFormText('alerts.days')}
          description={monitorFormText('alerts.days_hint')}
          {...textField(form, 'tls_days', 'tls_expiry_days')}
        />
      )}
    </>
  )
}
