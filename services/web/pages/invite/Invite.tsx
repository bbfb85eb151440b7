/**
 * The page behind an invite's address: to what, as what, for whom; a new person chooses a name and
 * a password, others prove theirs. Then one is inside.
 */
import { Button, Checkbox, PasswordInput, TextInput } from '@mantine/core'
import '@mantine/core/styles/PasswordInput.css'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { type ReactNode, useEffect } from 'react'
import { NewPassword } from '../../../../schemas/http/new-password.ts'
import { client, Refusal, take } from '../../api/client.ts'
import { sessionQuery } from '../../api/session.ts'
import type { PublicInvite } from '../../api/shapes.ts'
import { inviteQuery } from '../../api/workspace.ts'
import { Refused } from '../../forms/Refused.tsx'
import { useForm } from '../../forms/useForm.ts'
import { entitle } from '../../name.ts'
import { Brand } from '../../parts/Brand.tsx'
import { Since } from '../../parts/Since.tsx'
import { Awaiting } from '../../parts/States.tsx'
import login from '../login/Login.module.css'
import { roleWords } from '../settings/roles.ts'

export function Invite() {
  const { token } = useParams({ from: '/invites/$token' })
  const asked = useQuery(inviteQuery(token))
  const { data: invite, error, refetch } = asked
  useEffect(() => {
    entitle('Invite')
  }, [])
  return (
    <Card>
      {error instanceof Refusal && error.status === 404 ? (
        <Gone />
      ) : invite ? (
        <Accept token={token} invite={invite} onTaken={() => void refetch()} />
      ) : (
        <Awaiting of={asked} rows={6} />
      )}
    </Card>
  )
}

const Card = ({ children }: { children: ReactNode }) => (
  <main className={login.page}>
    <div className={login.form}>
      <Brand />
      {children}
    </div>
  </main>
)

function Gone() {
  return (
    <>
      <h1>This invite is no longer valid</h1>
      <p className={login.hint}>It was already accepted or withdrawn, or it has expired. Ask the sender for a new invite.</p>
      <Button component={Link} to="/login" variant="default">
        Log in
      </Button>
    </>
  )
}

const initial = { name: '', password: '', remember: true }

interface AcceptProps {
  token: string
  invite: PublicInvite
  /** The address has an account by now. */
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
      <h1>Join {workspace.name}</h1>
      <p className={login.hint}>
        As <b>{roleName.toLowerCase()}</b>. {does} The invite ends <Since at={expires_at} />.
      </p>
      <TextInput label="E-mail" type="email" autoComplete="username" value={email} readOnly />
      {!account_exists && (
        <TextInput
          label="Your name"
          autoComplete="name"
          value={values.name}
          onChange={(event) => set({ name: event.currentTarget.value })}
          onBlur={() => values.name !== '' && left('name')}
          error={fault('name')}
        />
      )}
      <PasswordInput
        label={account_exists ? 'Your password' : 'New password'}
        description={account_exists ? 'You have an account with this address: its password' : `${NewPassword.minLength} characters or more`}
        autoComplete={account_exists ? 'current-password' : 'new-password'}
        value={values.password}
        onChange={(event) => set({ password: event.currentTarget.value })}
        onBlur={() => values.password !== '' && left('password')}
        error={fault('password')}
      />
      <Checkbox
        label="Keep me logged in on this device"
        checked={values.remember}
        onChange={(event) => set({ remember: event.currentTarget.checked })}
      />
      <Refused refusal={refusal} />
      <Button type="submit" size="md" loading={sending} fullWidth>
        Join
      </Button>
    </form>
  )
}
