/** Changes the password; the current one is the proof. Every other session of the person ends. */
import { PasswordInput } from '@mantine/core'
import '@mantine/core/styles/PasswordInput.css'
import { NewPassword } from '../../../../schemas/http/new-password.ts'
import { client, take } from '../../api/client.ts'
import { Form, Group } from '../../forms/Form.tsx'
import { useForm } from '../../forms/useForm.ts'
import { tellDone } from '../../parts/tell.ts'
import { accountText } from '../../texts/account.ts'
import classes from './PasswordForm.module.css'

export function PasswordForm({ email, onSaved }: { email: string; onSaved: () => void }) {
  const form = useForm({
    initial: { current_password: '', password: '' },
    schema: async () => (await import('../../../../schemas/http/auth.ts')).UpdateAccountBody,
    toBody: (values) => values,
    save: (body) => take(client.PATCH('/api/v1/account', { body })),
    onSaved: () => {
      tellDone(accountText('password.saved'))
      onSaved()
    }
  })
  const { values, set, fault, left } = form
  return (
    <Form form={form} verb={accountText('password.save')}>
      <Group title={accountText('password.title')} hint={accountText('password.hint')}>
        {/* Tells a password manager whose password this is. */}
        <input className={classes.account} type="email" autoComplete="username" value={email} readOnly tabIndex={-1} aria-hidden />
        <PasswordInput
          label={accountText('password.current')}
          autoComplete="current-password"
          value={values.current_password}
          onChange={(event) => set({ current_password: event.currentTarget.value })}
          error={fault('current_password')}
        />
        <PasswordInput
          label={accountText('password.new')}
          description={accountText('password.new_hint', { count: NewPassword.minLength })}
          autoComplete="new-password"
          value={values.password}
          onChange={(event) => set({ password: event.currentTarget.value })}
          onBlur={() => values.password !== '' && left('password')}
          error={fault('password')}
        />
      </Group>
    </Form>
  )
}
