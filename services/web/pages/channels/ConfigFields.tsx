/** The form fields of a kind of channel, built from its JSON Schema. */
import { Button, Checkbox, Input, NativeSelect, PasswordInput, Textarea, TextInput } from '@mantine/core'
import '@mantine/core/styles/PasswordInput.css'
import { useState } from 'react'
import { MASK } from '../../../../schemas/http/check-words.ts'
import { NumberInput, TagsInput } from '../../forms/late-fields.tsx'
import { Pairs } from '../../forms/Pairs.tsx'
import { channelsText } from '../../texts/channels.ts'
import classes from './Channel.module.css'
import { type Config, type ConfigField, instantOf, isKept, isShown, localOf, namedValues, wordsIn } from './config-fields.ts'

export interface ConfigFieldsProps {
  fields: readonly ConfigField[]
  /** The saved config. Null for a new channel. */
  before: Config | null
  config: Config
  onChange: (config: Config) => void
  fault: (path: string) => string | undefined
}

export function ConfigFields({ fields, before, config, onChange, fault }: ConfigFieldsProps) {
  return (
    <>
      {fields
        .filter((field) => isShown(field, fields, before, config))
        .map((field) => (
          <Field
            key={field.name}
            field={field}
            wasKept={isKept(before?.[field.name])}
            value={config[field.name]}
            onChange={(value) => onChange({ ...config, [field.name]: value })}
            error={fault(`config.${field.name}`)}
          />
        ))}
    </>
  )
}

interface FieldProps {
  field: ConfigField
  /** A secret is already stored. It is not shown. */
  wasKept: boolean
  value: unknown
  onChange: (value: unknown) => void
  error: string | undefined
}

function Field({ field, wasKept, value, onChange, error }: FieldProps) {
  const { label, hint, type, choices, required } = field
  const props = { label, description: hint, error, withAsterisk: required }
  const shown = typeof value === 'string' || typeof value === 'number' ? String(value) : ''
  switch (type) {
    case 'choice':
      return (
        <NativeSelect
          {...props}
          data={[{ value: '', label: channelsText('form.choose') }, ...choices.map((choice) => ({ value: choice, label: choice }))]}
          value={shown}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      )
    case 'yes_no':
      return (
        <Checkbox
          label={label}
          description={hint}
          error={error}
          checked={value === true}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
      )
    case 'number':
      return <NumberInput {...props} value={shown} onChange={(next) => onChange(next === '' ? undefined : Number(next))} />
    case 'time':
      return (
        <TextInput
          {...props}
          type="datetime-local"
          value={localOf(value)}
          onChange={(event) => onChange(instantOf(event.currentTarget.value))}
        />
      )
    case 'list':
      return <TagsInput {...props} value={wordsIn(value)} maxTags={field.most} onChange={onChange} />
    case 'pairs':
    case 'map':
      return <PairsField field={field} value={value} onChange={onChange} error={error} />
    case 'secret':
      return wasKept ? <KeptSecret {...props} value={value} onChange={onChange} /> : <Secret {...props} value={shown} onChange={onChange} />
    case 'lines':
      return (
        <Textarea {...props} autosize minRows={2} maxRows={6} value={shown} onChange={(event) => onChange(event.currentTarget.value)} />
      )
    case 'text':
      return <TextInput {...props} value={shown} onChange={(event) => onChange(event.currentTarget.value)} />
  }
}

interface SecretProps {
  label: string
  description: string | undefined
  error: string | undefined
  withAsterisk?: boolean
  value: string
  onChange: (value: unknown) => void
}

const Secret = ({ value, onChange, ...props }: SecretProps) => (
  <PasswordInput {...props} autoComplete="off" value={value} onChange={(event) => onChange(event.currentTarget.value)} />
)

/** A secret that is already stored. It stays, or a new one replaces it. */
function KeptSecret({ label, description, error, value, onChange }: Omit<SecretProps, 'value'> & { value: unknown }) {
  if (isKept(value))
    return (
      <Input.Wrapper label={label} description={description} error={error} labelElement="div">
        <div className={classes.kept}>
          <span>{channelsText('form.kept')}</span>
          <Button
            variant="default"
            size="compact-sm"
            aria-label={channelsText('form.replace_what', { what: label })}
            aria-invalid={error !== undefined || undefined}
            onClick={() => onChange('')}
          >
            {channelsText('form.replace')}
          </Button>
        </div>
      </Input.Wrapper>
    )
  return (
    <div>
      <Secret label={label} description={description} error={error} value={typeof value === 'string' ? value : ''} onChange={onChange} />
      <Button variant="subtle" size="compact-sm" mt={4} onClick={() => onChange(MASK)}>
        {channelsText('form.keep')}
      </Button>
    </div>
  )
}

/** A hidden stored value stays until a new one is typed. */
function PairsField({ field: { label, hint, type, secretValues }, value, onChange, error }: Omit<FieldProps, 'wasKept'>) {
  const [pairs, setPairs] = useState(() => namedValues(value))
  return (
    <Pairs
      label={label}
      description={hint}
      nameLabel={channelsText('form.pair_name')}
      pairs={pairs}
      onChange={(next) => {
        setPairs([...next])
        onChange(type === 'map' ? Object.fromEntries(next.map((pair) => [pair.name, pair.value])) : next)
      }}
      fresh=""
      field={(of, change, name) =>
        secretValues ? (
          <PasswordInput
            aria-label={name}
            autoComplete="off"
            value={isKept(of) ? '' : of}
            placeholder={isKept(of) ? channelsText('form.kept') : undefined}
            onChange={(event) => change(event.currentTarget.value)}
          />
        ) : (
          <TextInput aria-label={name} value={of} onChange={(event) => change(event.currentTarget.value)} />
        )
      }
      addLabel={channelsText('form.pair_add')}
      error={error}
    />
  )
}
