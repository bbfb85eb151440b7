/** Logs a person in and returns them to the page they came from. */
import { Button, Checkbox, PasswordInput, TextInput } from '@mantine/core'
import '@mantine/core/styles/PasswordInput.css'
import { useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect } from 'react'
import { client, take } from '../../api/client.ts'
import { sessionQuery } from '../../api/session.ts'
import { Refused } from '../../forms/Refused.tsx'
import { useForm } from '../../forms/useForm.ts'
import { entitle } from '../../name.ts'
import { Brand } from '../../parts/Brand.tsx'
import { Coded } from '../../parts/Said.tsx'
import { ownPathOf } from '../../search.ts'
import { loginText } from '../../texts/login.ts'
import classes from './Login.module.css'

export function Login() {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const { next } = useSearch({ from: '/login' })
  useEffect(() => {
    entitle(loginText('login.title'))
  }, [])
  const { values, set, fault, left, submit, sending, refusal } = useForm({
    initial: { email: '', password: '', remember: true },
    schema: async () => (await import('../../../../schemas/http/auth.ts')).LoginBody,
    toBody: ({ email, ...others }) => ({ email: email.trim(), ...others }),
    save: (body) => take(client.POST('/api/v1/auth/login', { body })),
    onSaved: async () => {
      queries.clear()
      await queries.fetchQuery({ ...sessionQuery, staleTime: 0 })
      // Check `next` here as well: the router passes on what the address holds, even what its own
      // check left out.
      await navigate({ href: ownPathOf(next) ?? '/', replace: true })
    }
  })
  return (
    <main className={classes.page}>
      <form className={classes.form} onSubmit={submit} noValidate>
        <Brand />
        <h1>{loginText('login.title')}</h1>
        <TextInput
          label={loginText('login.email')}
          type="email"
          autoComplete="username"
          value={values.email}
          onChange={(event) => set({ email: event.currentTarget.value })}
          onBlur={() => left('email')}
          error={fault('email')}
          required
          withAsterisk={false}
        />
        <PasswordInput
          label={loginText('login.password')}
          autoComplete="current-password"
          value={values.password}
          onChange={(event) => set({ password: event.currentTarget.value })}
          error={fault('password')}
          required
          withAsterisk={false}
        />
        <Checkbox
          label={loginText('login.remember')}
          checked={values.remember}
          onChange={(event) => set({ remember: event.currentTarget.checked })}
        />
        <Refused refusal={refusal} />
        <Button type="submit" size="md" loading={sending} fullWidth>
          {loginText('login.title')}
        </Button>
        <Link to="/password" className={classes.hint}>
          {loginText('login.forgotten')}
        </Link>
        <p className={classes.hint}>
          <Coded text={loginText('login.hint')} />
        </p>
      </form>
    </main>
  )
}
