/**
 * The page of an invite link. It shows the workspace, the role and the email address. A new person
 * chooses a name and a password; a person with an account enters their password. Then they are
 * logged in.
 */
import { Button, Checkbox, PasswordInput, TextInput } from '@mantine/core'
import '@mantine/core/styles/PasswordInput.css'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { useEffect } from 'react'
import { NewPassword } from '../../../../schemas/http/new-password.ts'
import { client, Refusal, take } from '../../api/client.ts'
import { sessionQuery } from '../../api/session.ts'
import type { PublicInvite } from '../../api/shapes.ts'
import { inviteQuery } from '../../api/workspace.ts'
import { Refused } from '../../forms/Refused.tsx'
import { useForm } from '../../forms/useForm.ts'
import { entitle } from '../../name.ts'
import { Around, HERE } from '../../parts/Said.tsx'
import { Since } from '../../parts/Since.tsx'
import { Awaiting } from '../../parts/States.tsx'
import { loginText } from '../../texts/login.ts'
import login from '../login/Login.module.css'
import { LoginCard } from '../login/LoginCard.tsx'
import { roleWords } from '../settings/roles.ts'

export function Invite() {
  const { token } = useParams({ from: '/invites/$token' })
  const asked = useQuery(inviteQuery(token))
  const { data: invite, error, refetch } = asked
  useEffect(() => {
    entitle(loginText('invite.title'))
  }, [])
  return (
    <LoginCard>
      {error instanceof Refusal && error.status === 404 ? (
        <Gone />
      ) : invite ? (
        <Accept token={token} invite={invite} onTaken={() => void refetch()} />
      ) : (
        <Awaiting of={asked} rows={10} />
      )}
    </LoginCard>
  )
}

function Gone() {
  return (
    <>
      <h1>{loginText('invite.gone')}</h1>
      <p className={login.hint}>{loginText('invite.gone_hint')}</p>
      <Button component={Link} to="/login" variant="default">
        {loginText('login.title')}
      </Button>
    </>
  )
}

const initial = { name: '', password: '', remember: true }

interface AcceptProps {
  token: string
  invite: PublicInvite
  /** Called when the email address has an account by now, or the invite is gone. */
  onTaken: () => void
}

function Accept({ token, invite: { workspace, email, role, expires_at, account_exists }, onTaken }: AcceptProps) {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const { name: roleName, does } = roleWords(role)
  const { values, set, fault, left, submit, sending, refusal } = useForm({
    initial,
    schema: async () => {
      const { AcceptAsNewBody, AcceptInviteBody } = await import('../../../../schemas/http/members.ts')
      return account_exists ? AcceptInviteBody : AcceptAsNewBody
    },
    toBody: ({ name, password, remember }) => (account_exists ? { password, remember } : { name: name.trim(), password, remember }),
    save: async (body) => {
      try {
        return await take(client.POST('/api/v1/invites/{token}/accept', { params: { path: { token } }, body }))
      } catch (error) {
        if (error instanceof Refusal && (error.code === 'EMAIL_TAKEN' || error.code === 'NOT_FOUND')) onTaken()
        throw error
      }
    },
    onSaved: async () => {
      queries.clear()
      await queries.fetchQuery({ ...sessionQuery, staleTime: 0 })
      await navigate({ to: '/', replace: true })
    }
  })
  return (
    <form onSubmit={submit} noValidate className={login.fields}>
      <h1>{loginText('invite.join_of', { workspace: workspace.name })}</h1>
      <p className={login.hint}>
        <Around text={loginText('invite.as', { role: HERE })}>
          <b>{roleName}</b>
        </Around>{' '}
        {does}{' '}
        <Around text={loginText('invite.ends', { at: HERE })}>
          <Since at={expires_at} />
        </Around>
      </p>
      <TextInput label={loginText('login.email')} type="email" autoComplete="username" value={email} readOnly />
      {!account_exists && (
        <TextInput
          label={loginText('invite.name')}
          autoComplete="name"
          value={values.name}
          onChange={(event) => set({ name: event.currentTarget.value })}
          onBlur={() => values.name !== '' && left('name')}
          error={fault('name')}
        />
      )}
      <PasswordInput
        label={loginText(account_exists ? 'invite.your_password' : 'invite.new_password')}
        description={
          account_exists ? loginText('invite.your_password_hint') : loginText('invite.new_password_hint', { count: NewPassword.minLength })
        }
        autoComplete={account_exists ? 'current-password' : 'new-password'}
        value={values.password}
        onChange={(event) => set({ password: event.currentTarget.value })}
        onBlur={() => values.password !== '' && left('password')}
        error={fault('password')}
      />
      <Checkbox
        label={loginText('login.remember')}
        checked={values.remember}
        onChange={(event) => set({ remember: event.currentTarget.checked })}
      />
      <Refused refusal={refusal} />
      <Button type="submit" size="md" loading={sending} fullWidth>
        {loginText('invite.join')}
      </Button>
    </form>
  )
}
