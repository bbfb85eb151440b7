/** The request of a check over HTTP, as its form asks for it. */
import { Checkbox, NativeSelect, Textarea, TextInput } from '@mantine/core'
import { bodyTypes, methods } from '../../../../schemas/http/check-types/http.ts'
import { wordOf } from '../../search.ts'
import { monitorFormText } from '../../texts/monitor-form.ts'
import { AccessFields, accessWords } from './AccessFields.tsx'
import { HeadersField } from './HeadersField.tsx'
import { type MonitorFormState, textField } from './text-field.ts'
import type { Values } from './values.ts'

const lowered = (text: string): string => `${text.charAt(0).toLowerCase()}${text.slice(1)}`

function headersInWords(count: number): string {
  if (count === 0) return ''
  return count === 1 ? monitorFormText('request.header') : monitorFormText('request.headers', { count })
}

export function requestInWords({ method, headers, auth, http_version, body }: Values): string {
  const words = [
    method,
    headersInWords(headers.length),
    auth === 'none' ? '' : lowered(monitorFormText(accessWords[auth])),
    http_version === '2' ? 'HTTP/2' : '',
    body === '' ? '' : monitorFormText('request.with_body')
  ]
  return words.filter((word) => word !== '').join(', ')
}

export function Request({ form }: { form: MonitorFormState }) {
  const { values, set } = form
  return (
    <>
      <NativeSelect
        label={monitorFormText('request.method')}
        value={values.method}
        data={[...methods]}
        onChange={({ currentTarget: { value } }) => set({ method: wordOf(value, methods) ?? 'GET' })}
      />
      <HeadersField form={form} />
      <AccessFields form={form} />
      <Textarea label={monitorFormText('request.body')} autosize minRows={2} maxRows={12} {...textField(form, 'body', 'config.body')} />
      {values.body !== '' && (
        <NativeSelect
          label={monitorFormText('request.body_type')}
          description={monitorFormText('request.body_type_hint')}
          value={values.body_type}
          data={[...bodyTypes]}
          onChange={({ currentTarget: { value } }) => set({ body_type: wordOf(value, bodyTypes) ?? 'text' })}
        />
      )}
      <Checkbox
        label={monitorFormText('request.redirects')}
        checked={values.follow_redirects}
        onChange={(event) => set({ follow_redirects: event.currentTarget.checked })}
      />
      {values.follow_redirects && (
        <TextInput
          label={monitorFormText('request.most_redirects')}
          inputMode="numeric"
          {...textField(form, 'max_redirects', 'config.max_redirects')}
        />
      )}
      <Checkbox
        label={monitorFormText('request.verify')}
        checked={values.verify_tls}
        onChange={(event) => set({ verify_tls: event.currentTarget.checked })}
      />
      <Checkbox
        label={monitorFormText('request.caches')}
        description={monitorFormText('request.caches_hint')}
        checked={values.cache_bust}
        onChange={(event) => set({ cache_bust: event.currentTarget.checked })}
      />
      <NativeSelect
        label={monitorFormText('request.version')}
        description={monitorFormText('request.version.hint')}
        value={values.http_version === '2' ? '2' : 'auto'}
        data={[
          { value: 'auto', label: 'HTTP/1.1' },
          { value: '2', label: 'HTTP/2' }
        ]}
        onChange={({ currentTarget: { value } }) => set({ http_version: value === '2' ? '2' : 'auto' })}
      />
      <NativeSelect
        label={monitorFormText('request.ip')}
        value={values.ip_family}
        data={[
          { value: 'auto', label: monitorFormText('request.ip_either') },
          { value: '4', label: monitorFormText('request.ip_4') },
          { value: '6', label: monitorFormText('request.ip_6') }
        ]}
        onChange={({ currentTarget: { value } }) => set({ ip_family: wordOf(value, ['auto', '4', '6'] as const) ?? 'auto' })}
      />
      <TextInput
        label={monitorFormText('request.most_bytes')}
        description={monitorFormText('request.most_bytes_hint')}
        inputMode="numeric"
        {...textField(form, 'max_body_bytes', 'config.max_body_bytes')}
      />
      <Textarea
        label={monitorFormText('request.authority')}
        description={monitorFormText('request.authority_hint')}
        autosize
        minRows={2}
        maxRows={6}
        {...textField(form, 'ca_pem', 'config.ca_pem')}
      />
      <TextInput
        label={monitorFormText('request.agent')}
        description={monitorFormText('request.agent_hint')}
        {...textField(form, 'user_agent', 'config.user_agent')}
      />
      <Checkbox
        label={monitorFormText('request.capture')}
        description={monitorFormText('request.capture_hint')}
        checked={values.capture_on_failure}
        onChange={(event) => set({ capture_on_failure: event.currentTarget.checked })}
      />
    </>
  )
}
