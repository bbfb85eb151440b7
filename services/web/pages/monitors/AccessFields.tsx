/** How an HTTP check authenticates itself: the fields for each type of access. */
import { Button, Input, NativeSelect, Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import { type AuthType, authTypes } from '../../../../schemas/http/check-config.ts'
import { MASK } from '../../../../schemas/http/check-words.ts'
import { wordOf } from '../../search.ts'
import { monitorFormText } from '../../texts/monitor-form.ts'
import classes from './MonitorForm.module.css'
import { type MonitorFormState, textField } from './text-field.ts'

export const accessWords = {
  none: 'access.none',
  basic: 'access.basic',
  digest: 'access.digest',
  bearer: 'access.bearer',
  oauth2_client: 'access.oauth2_client',
  mtls: 'access.mtls'
} as const satisfies Record<AuthType, Parameters<typeof monitorFormText>[0]>

/** Choosing another type clears the secrets typed for the previous one. */
const cleared = { password: '', token: '', client_secret: '', key_pem: '' } as const

export function AccessFields({ form }: { form: MonitorFormState }) {
  const { values, set } = form
  return (
    <>
      <NativeSelect
        label={monitorFormText('access.title')}
        value={values.auth}
        data={authTypes.map((value) => ({ value, label: monitorFormText(accessWords[value]) }))}
        onChange={({ currentTarget: { value } }) => set({ auth: wordOf(value, authTypes) ?? 'none', ...cleared })}
      />
      <Fields form={form} />
    </>
  )
}

const hidden = { type: 'password', autoComplete: 'new-password' } as const

function Fields({ form }: { form: MonitorFormState }) {
  const { values } = form
  switch (values.auth) {
    case 'none':
      return null
    case 'basic':
    case 'digest':
      return (
        <div className={classes.pair}>
          <TextInput label={monitorFormText('access.user')} autoComplete="off" {...textField(form, 'username', 'config.auth.username')} />
          <TextInput label={monitorFormText('access.password')} {...hidden} {...textField(form, 'password', 'config.auth.password')} />
        </div>
      )
    case 'bearer':
      return <TextInput label={monitorFormText('access.token')} {...hidden} {...textField(form, 'token', 'config.auth.token')} />
    case 'oauth2_client':
      return (
        <>
          <TextInput
            label={monitorFormText('access.token_url')}
            description={monitorFormText('access.token_url.hint')}
            type="url"
            autoCapitalize="off"
            spellCheck={false}
            {...textField(form, 'token_url', 'config.auth.token_url')}
          />
          <div className={classes.pair}>
            <TextInput
              label={monitorFormText('access.client_id')}
              autoComplete="off"
              {...textField(form, 'client_id', 'config.auth.client_id')}
            />
            <TextInput
              label={monitorFormText('access.client_secret')}
              {...hidden}
              {...textField(form, 'client_secret', 'config.auth.client_secret')}
            />
          </div>
          <TextInput
            label={monitorFormText('access.scopes')}
            description={monitorFormText('access.scopes.hint')}
            {...textField(form, 'scopes', 'config.auth.scopes')}
          />
        </>
      )
    case 'mtls':
      return (
        <>
          <Textarea
            label={monitorFormText('access.cert')}
            description={monitorFormText('access.cert.hint')}
            autosize
            minRows={2}
            maxRows={6}
            spellCheck={false}
            {...textField(form, 'cert_pem', 'config.auth.cert_pem')}
          />
          <PrivateKey form={form} />
        </>
      )
  }
}

/** A key that is already stored stays, or a new one replaces it. */
function PrivateKey({ form }: { form: MonitorFormState }) {
  const { values, set, fault } = form
  const [wasKept] = useState(values.key_pem === MASK)
  if (values.key_pem === MASK)
    return (
      <Input.Wrapper
        label={monitorFormText('access.key')}
        description={monitorFormText('access.key.kept')}
        error={fault('config.auth.key_pem')}
        labelElement="div"
      >
        <div>
          <Button variant="default" size="compact-sm" mt={4} onClick={() => set({ key_pem: '' })}>
            {monitorFormText('access.key.replace')}
          </Button>
        </div>
      </Input.Wrapper>
    )
  return (
    <div>
      <Textarea
        label={monitorFormText('access.key')}
        description={monitorFormText('access.key.hint')}
        autosize
        minRows={2}
        maxRows={6}
        autoComplete="off"
        spellCheck={false}
        {...textField(form, 'key_pem', 'config.auth.key_pem')}
      />
      {wasKept && (
        <Button variant="subtle" size="compact-sm" mt={4} onClick={() => set({ key_pem: MASK })}>
          {monitorFormText('access.key.keep')}
        </Button>
      )}
    </div>
  )
}
