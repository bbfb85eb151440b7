/** The requests of a multi-step check, and the variables used in them. */
import { ActionIcon, Button, Checkbox, NativeSelect, Textarea, TextInput } from '@mantine/core'
import { Plus, X } from 'lucide-react'
import { MAX_STEPS, type Step } from '../../../../schemas/http/api-steps.ts'
import { isSecretHeader } from '../../../../schemas/http/check-config.ts'
import { bodyTypes, methods } from '../../../../schemas/http/check-types/http.ts'
import { MASK } from '../../../../schemas/http/check-words.ts'
import { Pairs } from '../../forms/Pairs.tsx'
import { wordOf } from '../../search.ts'
import { monitorFormText } from '../../texts/monitor-form.ts'
import classes from './MonitorForm.module.css'
import {
  blankStep,
  blankVariable,
  extractOf,
  statusesOf,
  stepsIn,
  type TypedStep,
  type TypedVariable,
  variablesIn,
  withStatuses
} from './steps.ts'
import type { MonitorFormState } from './text-field.ts'
import { assertionInWords } from './words.ts'

const MAX_VARIABLES = 20

export function StepsField({ form }: { form: MonitorFormState }) {
  const { values, set, fault } = form
  const steps = stepsIn(values.settings)
  const put = (next: readonly TypedStep[]): void => set({ settings: { ...values.settings, steps: next } })
  return (
    <>
      <ol className={classes.rows} aria-label={monitorFormText('steps.title')}>
        {steps.map((step, at) => (
          <li key={step.key} className={classes.step}>
            <StepFields
              step={step}
              at={at}
              fault={fault}
              onChange={(change) => put(steps.map((one) => (one.key === step.key ? { ...one, ...change } : one)))}
              onRemove={steps.length > 1 ? () => put(steps.filter(({ key }) => key !== step.key)) : null}
            />
          </li>
        ))}
      </ol>
      {steps.length < MAX_STEPS && (
        <div>
          <Button variant="default" size="xs" leftSection={<Plus size={14} aria-hidden />} onClick={() => put([...steps, blankStep()])}>
            {monitorFormText('steps.add')}
          </Button>
        </div>
      )}
      <VariablesField form={form} />
    </>
  )
}

interface StepFieldsProps {
  step: TypedStep
  at: number
  fault: MonitorFormState['fault']
  onChange: (change: Partial<Step>) => void
  onRemove: (() => void) | null
}

function StepFields({ step, at, fault, onChange, onRemove }: StepFieldsProps) {
  const path = `config.steps[${at}]`
  const nth = at + 1
  const { name = '', method = 'GET', url, headers = [], body, body_type = 'json', assertions = [], extract = [] } = step
  const others = assertions.filter((one) => !(one.source === 'status' && (one.op === 'in' || one.op === 'eq')))
  return (
    <fieldset className={classes.stepFields}>
      <legend className={classes.stepHead}>
        <b>{monitorFormText('steps.nth', { nth })}</b>
        {onRemove && (
          <ActionIcon aria-label={monitorFormText('steps.remove', { nth })} onClick={onRemove}>
            <X size={16} aria-hidden />
          </ActionIcon>
        )}
      </legend>
      <div className={classes.pair}>
        <TextInput
          label={monitorFormText('steps.name')}
          value={name}
          maxLength={100}
          error={fault(`${path}.name`)}
          onChange={(event) => onChange({ name: event.currentTarget.value })}
        />
        <NativeSelect
          label={monitorFormText('steps.method')}
          value={method}
          data={[...methods]}
          onChange={({ currentTarget: { value } }) => onChange({ method: wordOf(value, methods) ?? 'GET' })}
        />
      </div>
      <TextInput
        label={monitorFormText('steps.url')}
        description={monitorFormText('steps.url.hint')}
        required
        autoCapitalize="off"
        spellCheck={false}
        value={url}
        error={fault(`${path}.url`)}
        onChange={(event) => onChange({ url: event.currentTarget.value })}
      />
      <Pairs
        label={monitorFormText('steps.headers')}
        nameLabel={monitorFormText('steps.header')}
        pairs={headers}
        onChange={(next) => onChange({ headers: [...next] })}
        fresh=""
        field={(value, change, label) => (
          <TextInput aria-label={label} value={value} onChange={(event) => change(event.currentTarget.value)} />
        )}
        addLabel={monitorFormText('steps.headers.add')}
        error={fault(`${path}.headers`)}
      />
      {(method !== 'GET' && method !== 'HEAD') || body ? (
        <>
          <Textarea
            label={monitorFormText('steps.body')}
            autosize
            minRows={2}
            maxRows={10}
            spellCheck={false}
            value={body ?? ''}
            error={fault(`${path}.body`)}
            onChange={(event) => onChange({ body: event.currentTarget.value === '' ? null : event.currentTarget.value })}
          />
          <NativeSelect
            label={monitorFormText('steps.body_type')}
            value={body_type}
            data={[...bodyTypes]}
            onChange={({ currentTarget: { value } }) => onChange({ body_type: wordOf(value, bodyTypes) ?? 'json' })}
          />
        </>
      ) : null}
      <TextInput
        label={monitorFormText('steps.status')}
        description={monitorFormText('steps.status.hint')}
        value={statusesOf(step)}
        error={fault(`${path}.assertions`)}
        onChange={(event) => onChange({ assertions: withStatuses(step, event.currentTarget.value) })}
      />
      {others.length > 0 && <p className={classes.words}>{others.map(assertionInWords).join('; ')}</p>}
      <Pairs
        label={monitorFormText('steps.extract')}
        description={monitorFormText('steps.extract.hint')}
        nameLabel={monitorFormText('steps.extract.name')}
        pairs={extract.map((one) => ({ name: one.name, value: one.property }))}
        onChange={(next) => onChange({ extract: next.map((pair) => extractOf(pair.name, pair.value)) })}
        fresh=""
        field={(value, change, label) => (
          <TextInput aria-label={label} placeholder="$.token" value={value} onChange={(event) => change(event.currentTarget.value)} />
        )}
        addLabel={monitorFormText('steps.extract.add')}
        error={fault(`${path}.extract`)}
      />
    </fieldset>
  )
}

function VariablesField({ form: { values, set, fault } }: { form: MonitorFormState }) {
  const variables = variablesIn(values.settings)
  const put = (next: readonly TypedVariable[]): void => set({ settings: { ...values.settings, variables: next } })
  const change = (key: number, to: Partial<TypedVariable>): void => put(variables.map((one) => (one.key === key ? { ...one, ...to } : one)))
  return (
    <div>
      <p className={classes.words}>{monitorFormText('variables.hint')}</p>
      <ul className={classes.rows} aria-label={monitorFormText('variables.title')}>
        {variables.map(({ key, name, value, secret = false }, at) => (
          <li key={key} className={classes.header}>
            <TextInput
              aria-label={monitorFormText('variables.name', { nth: at + 1 })}
              placeholder="token"
              value={name}
              error={fault(`config.variables[${at}].name`)}
              onChange={(event) => change(key, { name: event.currentTarget.value })}
            />
            <TextInput
              aria-label={monitorFormText('variables.value', { nth: at + 1 })}
              type={isSecretHeader({ name, secret }) ? 'password' : 'text'}
              autoComplete="off"
              value={value ?? ''}
              error={fault(`config.variables[${at}].value`)}
              onChange={(event) => change(key, { value: event.currentTarget.value })}
            />
            <Checkbox
              className={classes.secret}
              label={monitorFormText('variables.secret')}
              checked={isSecretHeader({ name, secret })}
              disabled={isSecretHeader({ name })}
              // A masked value cannot be shown again, so it must be typed anew.
              onChange={(event) => change(key, { secret: event.currentTarget.checked, ...(value === MASK && { value: '' }) })}
            />
            <ActionIcon
              aria-label={monitorFormText('variables.remove', { nth: at + 1 })}
              onClick={() => put(variables.filter((one) => one.key !== key))}
            >
              <X size={16} aria-hidden />
            </ActionIcon>
          </li>
        ))}
      </ul>
      {variables.length < MAX_VARIABLES && (
        <Button
          variant="default"
          size="xs"
          mt={variables.length > 0 ? 'xs' : 0}
          leftSection={<Plus size={14} aria-hidden />}
          onClick={() => put([...variables, blankVariable()])}
        >
          {monitorFormText('variables.add')}
        </Button>
      )}
    </div>
  )
}
