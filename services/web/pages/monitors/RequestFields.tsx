/** The request of a check over HTTP, as its form asks for it. */
import { Checkbox, NativeSelect, Textarea, TextInput } from '@mantine/core'
import { bodyTypes, methods } from '../../../../schemas/http/check-types/http.ts'
import { wordOf } from '../../search.ts'
import { monitorsText } from '../../texts/monitors.ts'
import { AccessFields, accessWords } from './AccessFields.tsx'
import { HeadersField } from './HeadersField.tsx'
import { type MonitorFormState, textField } from './text-field.ts'
import type { Values } from './values.ts'

const lowered = (text: string): string => `${text.charAt(0).toLowerCase()}${text.slice(1)}`

export function requestInWords({ method, headers, auth, http_version, body }: Values): string {
  const words = [
    method,
    headers.length > 0 ? `${headers.length} ${headers.length === 1 ? 'header' : 'headers'}` : '',
    auth === 'none' ? '' : lowered(monitorsText(accessWords[auth])),
    http_version === '2' ? 'HTTP/2' : '',
    body === '' ? '' : 'a body'
  ]
  return words.filter((word) => word !== '').join(', ')
}

export function Request({ form }: { form: MonitorFormState }) {
  const { values, set } = form
  return (
    <>
      <NativeSelect
        label="Method"
        value={values.method}
        data={[...methods]}
        onChange={({ currentTarget: { value } }) => set({ method: wordOf(value, methods) ?? 'GET' })}
      />
      <HeadersField form={form} />
      <AccessFields form={form} />
      <Textarea label="Body" autosize minRows={2} maxRows={12} {...textField(form, 'body', 'config.body')} />
      {values.body !== '' && (
        <NativeSelect
          label="Kind of body"
          description="Sets Content-Type if no header does"
          value={values.body_type}
          data={[...bodyTypes]}
          onChange={({ currentTarget: { value } }) => set({ body_type: wordOf(value, bodyTypes) ?? 'text' })}
        />
      )}
      <Checkbox
        label="Follow redirects"
        checked={values.follow_redirects}
        onChange={(event) => set({ follow_redirects: event.currentTarget.checked })}
      />
      {values.follow_redirects && (
        <TextInput label="Maximum number of redirects" inputMode="numeric" {...textField(form, 'max_redirects', 'config.max_redirects')} />
      )}
      <Checkbox
        label="Verify the certificate"
        checked={values.verify_tls}
        onChange={(event) => set({ verify_tls: event.currentTarget.checked })}
      />
      <Checkbox
        label="Bypass caches"
        description="Adds a parameter that changes with each check"
        checked={values.cache_bust}
        onChange={(event) => set({ cache_bust: event.currentTarget.checked })}
      />
      <NativeSelect
        label={monitorsText('request.version')}
        description={monitorsText('request.version.hint')}
        value={values.http_version === '2' ? '2' : 'auto'}
        data={[
          { value: 'auto', label: 'HTTP/1.1' },
          { value: '2', label: 'HTTP/2' }
        ]}
        onChange={({ currentTarget: { value } }) => set({ http_version: value === '2' ? '2' : 'auto' })}
      />
      <NativeSelect
        label="IP"
        value={values.ip_family}
        data={[
          { value: 'auto', label: 'Either' },
          { value: '4', label: 'IPv4 only' },
          { value: '6', label: 'IPv6 only' }
        ]}
        onChange={({ currentTarget: { value } }) => set({ ip_family: wordOf(value, ['auto', '4', '6'] as const) ?? 'auto' })}
      />
      <TextInput
        label="Maximum body size (bytes)"
        description="A larger body fails the check"
        inputMode="numeric"
        {...textField(form, 'max_body_bytes', 'config.max_body_bytes')}
      />
      <Textarea
        label="Your own certificate authority"
        description="In PEM format. Leave empty to trust the usual authorities"
        autosize
        minRows={2}
        maxRows={6}
        {...textField(form, 'ca_pem', 'config.ca_pem')}
      />
      <TextInput label="User agent" description="Leave empty for the default" {...textField(form, 'user_agent', 'config.user_agent')} />
    </>
  )
}
