/** The page of the link that sets a new password. */
import { Button, PasswordInput } from '@mantine/core'
import '@mantine/core/styles/PasswordInput.css'
import { useQueryClient } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { type ReactNode, useEffect, useState } from 'react'
import { NewPassword as Rules } from '../../../../schemas/http/new-password.ts'
import { client, take } from '../../api/client.ts'
import { Refused } from '../../forms/Refused.tsx'
import { useForm } from '../../forms/useForm.ts'
import { entitle } from '../../name.ts'
import { TakenHeading } from '../../parts/TakenHeading.tsx'
import { loginText } from '../../texts/login.ts'
import classes from './Login.module.css'
import { LoginCard } from './LoginCard.tsx'

export function NewPassword() {
  const { token } = useParams({ from: '/password/$token' })
  const [state, setState] = useState<'asked' | 'gone' | 'changed'>('asked')
  useEffect(() => {
    entitle(loginText('new_password.title'))
  }, [])
  return (
    <LoginCard>
      {state === 'asked' ? (
        <Choose token={token} onEnd={setState} />
      ) : state === 'gone' ? (
        <Ended title={loginText('new_password.gone')} hint={loginText('new_password.gone_hint')}>
          <Button component={Link} to="/password">
            {loginText('new_password.again')}
          </Button>
        </Ended>
      ) : (
        <Ended title={loginText('new_password.changed')} hint={loginText('new_password.changed_hint')}>
          <Button component={Link} to="/login">
            {loginText('login.title')}
          </Button>
        </Ended>
      )}
    </LoginCard>
  )
}

const Ended = ({ title, hint, children }: { title: string; hint: string; children: ReactNode }) => (
  <div className={classes.fields} role="status">
    <TakenHeading>{title}</TakenHeading>
    <p className={classes.hint}>{hint}</p>
    {children}
  </div>
)

function Choose({ token, onEnd }: { token: string; onEnd: (state: 'gone' | 'changed') => void }) {
  const queries = useQueryClient()
  const { values, set, fault, left, submit, sending, refusal } = useForm({
    initial: { password: '' },
    schema: async () => (await import('../../../../schemas/http/auth.ts')).ResetPasswordBody,
    toBody: ({ password }) => ({ token, password }),
    save: (body) => take(client.POST('/api/v1/auth/password/reset', { body })),
    onSaved: () => {
      // All sessions of the person have ended.
      queries.clear()
      onEnd('changed')
    }
  })
  const isGone = refusal?.code === 'TOKEN_EXPIRED'
  useEffect(() => {
    if (isGone) onEnd('gone')
  }, [isGone, onEnd])
  return (
    <form onSubmit={submit} noValidate className={classes.fields}>
      <h1>{loginText('new_password.title')}</h1>
      <PasswordInput
        label={loginText('invite.new_password')}
        description={loginText('invite.new_password_hint', { count: Rules.minLength })}
        autoComplete="new-password"
        value={values.password}
        onChange={(event) => set({ password: event.currentTarget.value })}
        onBlur={() => values.password !== '' && left('password')}
        error={fault('password')}
        required
        withAsterisk={false}
      />
      <p className={classes.hint}>{loginText('new_password.hint')}</p>
      <Refused refusal={refusal} />
      <Button type="submit" size="md" loading={sending} fullWidth>
        {loginText('new_password.set')}
      </Button>
    </form>
  )
}
