/** Another password, with the present one as proof. Every other session of the person ends. */
import { PasswordInput } from '@mantine/core'
import { NewPassword } from '../../../../schemas/http/new-password.ts'
import { client, take } from '../../api/client.ts'
import { Form, Group } from '../../forms/Form.tsx'
import { useForm } from '../../forms/useForm.ts'
import { tellDone } from '../../parts/tell.ts'
import classes from './PasswordForm.module.css'

export function PasswordForm({ email, onSaved }: { email: string; onSaved: () => void }) {
  const form = useForm({
    initial: { current_password: '', password: '' },
    schema: async () => (await import('../../../../schemas/http/auth.ts')).UpdateAccountBody,
    toBody: (values) => values,
    save: (body) => take(client.PATCH('/api/v1/account', { body })),
    onSaved: () => {
      tellDone('Your password is changed; your other sessions have ended')
      onSaved()
    }
  })
  const { values, set, fault, left } = form
  return (
    <Form form={form} verb="Change the password">
      <Group title="Password" hint="Every other session of yours ends, in all workspaces. API tokens go on.">
        {/* So that a password manager knows whose it is. */}
        <input className={classes.account} type="email" autoComplete="username" value={email} readOnly tabIndex={-1} aria-hidden />
        <PasswordInput
          label="Current password"
          autoComplete="current-password"
          value={values.current_password}
          onChange={(event) => set({ current_password: event.currentTarget.value })}
          error={fault('current_password')}
        />
        <PasswordInput
          label="New password"
          description={`${NewPassword.minLength} characters or more`}
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
