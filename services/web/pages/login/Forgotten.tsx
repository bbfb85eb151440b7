/** Asks for a mail with a link that sets a new password. */
import { Button, TextInput } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { client, take } from '../../api/client.ts'
import { Refused } from '../../forms/Refused.tsx'
import { useForm } from '../../forms/useForm.ts'
import { entitle } from '../../name.ts'
import { TakenHeading } from '../../parts/TakenHeading.tsx'
import { loginText } from '../../texts/login.ts'
import classes from './Login.module.css'
import { LoginCard } from './LoginCard.tsx'

export function Forgotten() {
  const [sentTo, setSentTo] = useState<string | null>(null)
  useEffect(() => {
    entitle(loginText('forgotten.title'))
  }, [])
  return <LoginCard>{sentTo === null ? <Ask onSent={setSentTo} /> : <Sent to={sentTo} />}</LoginCard>
}

const BackToLogin = () => (
  <Button component={Link} to="/login" variant="default">
    {loginText('login.title')}
  </Button>
)

function Ask({ onSent }: { onSent: (email: string) => void }) {
  const { values, set, fault, left, submit, sending, refusal } = useForm({
    initial: { email: '' },
    schema: async () => (await import('../../../../schemas/http/auth.ts')).ForgotPasswordBody,
    toBody: ({ email }) => ({ email: email.trim() }),
    save: async (body) => {
      await take(client.POST('/api/v1/auth/password/forgot', { body }))
      return body.email
    },
    onSaved: onSent
  })
  return (
    <form onSubmit={submit} noValidate className={classes.fields}>
      <h1>{loginText('forgotten.title')}</h1>
      <p className={classes.hint}>{loginText('forgotten.hint')}</p>
      <TextInput
        label={loginText('login.email')}
        type="email"
        autoComplete="username"
        value={values.email}
        onChange={(event) => set({ email: event.currentTarget.value })}
        onBlur={() => values.email !== '' && left('email')}
        error={fault('email')}
        required
        withAsterisk={false}
      />
      <Refused
        refusal={refusal}
        own={{ NOT_IMPLEMENTED: { title: loginText('forgotten.no_mail'), hint: loginText('forgotten.no_mail_hint') } }}
      />
      <Button type="submit" size="md" loading={sending} fullWidth>
        {loginText('forgotten.send')}
      </Button>
      <BackToLogin />
    </form>
  )
}

const Sent = ({ to }: { to: string }) => (
  <div className={classes.fields} role="status">
    <TakenHeading>{loginText('forgotten.sent')}</TakenHeading>
    <p className={classes.hint}>{loginText('forgotten.sent_hint', { email: to })}</p>
    <BackToLogin />
  </div>
)
