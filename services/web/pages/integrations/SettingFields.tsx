/**
 * The fields that a source declares: its options, or the verification of its sender. Changes are
 * kept in the form that the api takes: a value sets, null removes, and an absent field stays as it
 * is. A stored secret cannot be shown, only replaced or removed.
 */
import { Button, PasswordInput, Switch, Textarea, TextInput } from '@mantine/core'
import '@mantine/core/styles/PasswordInput.css'
import '@mantine/core/styles/Switch.css'
import { useState } from 'react'
import { MASK } from '../../../../schemas/http/check-words.ts'
import type { Source } from '../../api/shapes.ts'
import { Select } from '../../forms/late-fields.tsx'
import { integrationSettingsText } from '../../texts/integration-settings.ts'
import classes from './SettingFields.module.css'

export type Settings = Readonly<Record<string, unknown>>
type Setting = Source['options'][number]

export interface SettingFieldsProps {
  /** `options` or `verify`: the path under which the api reports faults. */
  path: string
  settings: readonly Setting[]
  /** The stored settings. Secrets are masked. */
  before: Settings
  changes: Settings
  onChange: (changes: Settings) => void
  fault: (path: string) => string | undefined
}

export function SettingFields({ path, settings, before, changes, onChange, fault }: SettingFieldsProps) {
  return settings.map((setting) => {
    const { name } = setting
    const kept = before[name]
    const props = {
      setting,
      kept,
      value: name in changes ? changes[name] : kept,
      onChange: (value: unknown) => {
        const { [name]: _, ...others } = changes
        // An empty field that had no value before is not a change.
        onChange(value === undefined || (value === null && kept === undefined) ? others : { ...others, [name]: value })
      },
      error: fault(`${path}.${name}`)
    }
    if (setting.secret) return <SecretField key={name} {...props} />
    if (setting.type === 'boolean') return <BooleanField key={name} {...props} />
    if (setting.type === 'choice') return <ChoiceField key={name} {...props} />
    return setting.type === 'texts' ? <TextsField key={name} {...props} /> : <TextField key={name} {...props} />
  })
}

interface FieldProps {
  setting: Setting
  kept: unknown
  value: unknown
  onChange: (value: unknown) => void
  error: string | undefined
}

/** `secret_header` → `Secret header`. */
const labelOf = ({ name }: Setting): string => name.charAt(0).toUpperCase() + name.slice(1).replaceAll('_', ' ')

function BooleanField({ setting, value, onChange, error }: FieldProps) {
  return (
    <Switch
      label={labelOf(setting)}
      description={setting.description}
      checked={value === undefined || value === null ? setting.default === true : value === true}
      onChange={(event) => onChange(event.currentTarget.checked)}
      error={error}
    />
  )
}

function ChoiceField({ setting, value, onChange, error }: FieldProps) {
  const { choices = [], default: usual } = setting
  return (
    <Select
      label={labelOf(setting)}
      description={setting.description}
      data={choices.map((choice) => ({
        value: choice,
        label: choice === usual ? integrationSettingsText('severity.usual', { choice }) : choice
      }))}
      value={typeof value === 'string' ? value : String(usual ?? '')}
      onChange={onChange}
      error={error}
    />
  )
}

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

function TextsField({ setting, value, onChange, error }: FieldProps) {
  const [text, setText] = useState(Array.isArray(value) ? value.join('\n') : '')
  return (
    <Textarea
      label={labelOf(setting)}
      description={integrationSettingsText('field.lines', { description: setting.description })}
      autosize
      minRows={2}
      maxRows={10}
      value={text}
      onChange={({ currentTarget }) => {
        setText(currentTarget.value)
        const lines = linesOf(currentTarget.value)
        onChange(lines.length === 0 ? null : lines)
      }}
      error={error}
    />
  )
}

function TextField({ setting, value, onChange, error }: FieldProps) {
  return (
    <TextInput
      label={labelOf(setting)}
      description={setting.description}
      value={typeof value === 'string' ? value : ''}
      onChange={({ currentTarget }) => onChange(currentTarget.value === '' ? null : currentTarget.value)}
      error={error}
    />
  )
}

function SecretField({ setting, kept, value, onChange, error }: FieldProps) {
  const isSet = kept === MASK
  const goes = isSet && value === null
  return (
    <div className={classes.secret}>
      <PasswordInput
        label={labelOf(setting)}
        description={setting.description}
        autoComplete="new-password"
        placeholder={integrationSettingsText(goes ? 'secret.goes' : isSet ? 'secret.set' : 'secret.none')}
        value={typeof value === 'string' && value !== MASK ? value : ''}
        onChange={({ currentTarget }) => onChange(currentTarget.value === '' ? (isSet ? undefined : null) : currentTarget.value)}
        error={error}
      />
      {isSet && (
        <Button
          variant="default"
          onClick={() => onChange(goes ? undefined : null)}
          aria-label={integrationSettingsText(goes ? 'secret.keep_of' : 'secret.remove_of', { name: labelOf(setting) })}
        >
          {integrationSettingsText(goes ? 'secret.keep' : 'secret.remove')}
        </Button>
      )}
    </div>
  )
}
