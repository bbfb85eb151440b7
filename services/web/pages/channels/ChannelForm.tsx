/** A new channel: its fields are made from the JSON Schema of its kind. */
import { Checkbox, NativeSelect, NumberInput, PasswordInput, TextInput } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { CreateChannelBody } from '../../../../schemas/http/notification-channels.ts'
import { channelEvents } from '../../../../schemas/http/notification-words.ts'
import { channelKindsQuery, createChannel } from '../../api/channels.ts'
import type { ChannelKindItem, NewChannel } from '../../api/shapes.ts'
import { Form } from '../../forms/Form.tsx'
import { useForm } from '../../forms/useForm.ts'
import { Awaiting } from '../../parts/States.tsx'
import { tellDone } from '../../parts/tell.ts'
import { channelsText } from '../../texts/channels.ts'
import { type ConfigField, configFields } from './config-fields.ts'

export function ChannelForm({ onClose }: { onClose: () => void }) {
  const asked = useQuery(channelKindsQuery)
  const kinds = asked.data?.items
  return kinds ? <Fields kinds={kinds} onClose={onClose} /> : <Awaiting of={asked} rows={4} />
}

const severities = ['info', 'warning', 'critical'] as const

function Fields({ kinds, onClose }: { kinds: readonly ChannelKindItem[]; onClose: () => void }) {
  const queries = useQueryClient()
  const first = kinds.find(({ kind }) => kind === 'email') ?? kinds[0]
  const initial: NewChannel = {
    kind: first?.kind ?? 'email',
    name: '',
    config: {},
    events: first?.default_events ?? ['down', 'up'],
    min_severity: 'info',
    is_default: true
  }
  const form = useForm({
    initial,
    schema: CreateChannelBody,
    toBody: (values) => ({ ...values, name: values.name.trim() }),
    save: createChannel,
    onSaved: ({ name }) => {
      void queries.invalidateQueries({ queryKey: ['channels'] })
      tellDone(channelsText('form.created', { name }))
      onClose()
    }
  })
  const { values, set, fault } = form
  const chosen = kinds.find(({ kind }) => kind === values.kind)
  const setField = (name: string, value: unknown): void => {
    const { [name]: _, ...others } = values.config
    set({ config: value === '' ? others : { ...others, [name]: value } })
  }
  const choose = (kind: string): void => {
    const next = kinds.find((one) => one.kind === kind)
    if (next) set({ kind: next.kind, config: {}, events: next.default_events })
  }
  return (
    <Form form={form} verb={channelsText('form.create')} onCancel={onClose}>
      <NativeSelect
        label={channelsText('form.kind')}
        description={chosen?.hint}
        data={kinds.map(({ kind, name, available, set_up }) => ({
          value: kind,
          label: !set_up ? channelsText('form.not_set_up', { name }) : available ? name : channelsText('form.plan', { name }),
          disabled: !available || !set_up
        }))}
        value={values.kind}
        onChange={(event) => choose(event.currentTarget.value)}
        error={fault('kind')}
      />
      <TextInput
        label={channelsText('form.name')}
        value={values.name}
        onChange={(event) => set({ name: event.currentTarget.value })}
        error={fault('name')}
      />
      {configFields(chosen?.schema ?? {}).map((field) => (
        <Field
          key={`${values.kind}.${field.name}`}
          field={field}
          value={values.config[field.name]}
          onChange={(value) => setField(field.name, value)}
          error={fault(`config.${field.name}`)}
        />
      ))}
      <Checkbox.Group
        label={channelsText('form.events')}
        value={values.events ?? []}
        onChange={(events) => set({ events: channelEvents.filter((event) => events.includes(event)) })}
        error={fault('events')}
      >
        {channelEvents.map((event) => (
          <Checkbox key={event} value={event} label={channelsText(`event.${event}`)} mt="xs" />
        ))}
      </Checkbox.Group>
      <NativeSelect
        label={channelsText('form.severity')}
        data={severities.map((value) => ({ value, label: channelsText(`severity.${value}`) }))}
        value={values.min_severity ?? 'info'}
        onChange={(event) => set({ min_severity: severities.find((one) => one === event.currentTarget.value) ?? 'info' })}
        error={fault('min_severity')}
      />
      <Checkbox
        label={channelsText('form.default')}
        checked={values.is_default ?? false}
        onChange={(event) => set({ is_default: event.currentTarget.checked })}
      />
    </Form>
  )
}

interface FieldProps {
  field: ConfigField
  value: unknown
  onChange: (value: unknown) => void
  error: string | undefined
}

function Field({ field: { label, hint, type, choices, required }, value, onChange, error }: FieldProps) {
  const props = { label, description: hint, error, withAsterisk: required }
  const shown = value === undefined ? '' : String(value)
  if (type === 'choice')
    return <NativeSelect {...props} data={['', ...choices]} value={shown} onChange={(event) => onChange(event.currentTarget.value)} />
  if (type === 'number') return <NumberInput {...props} value={shown} onChange={onChange} />
  if (type === 'secret')
    return <PasswordInput {...props} autoComplete="off" value={shown} onChange={(event) => onChange(event.currentTarget.value)} />
  return <TextInput {...props} value={shown} onChange={(event) => onChange(event.currentTarget.value)} />
}
