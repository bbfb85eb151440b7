/** Name, time zone and language of the person. */
import { TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { client, take } from '../../api/client.ts'
import { accountQuery, sessionQuery } from '../../api/session.ts'
import type { Account } from '../../api/shapes.ts'
import { Form, Group } from '../../forms/Form.tsx'
import { useForm } from '../../forms/useForm.ts'
import { browserZone, ZoneSelect } from '../../forms/ZoneSelect.tsx'
import { tellDone } from '../../parts/tell.ts'

export function ProfileForm({ user: { name, time_zone, locale }, onSaved }: { user: Account['user']; onSaved: () => void }) {
  const queries = useQueryClient()
  const form = useForm({
    initial: { name, time_zone, locale },
    schema: async () => (await import('../../../../schemas/http/auth.ts')).UpdateAccountBody,
    toBody: (values) => ({ ...values, name: values.name.trim(), locale: values.locale.trim() }),
    save: (body) => take(client.PATCH('/api/v1/account', { body })),
    onSaved: (account) => {
      queries.setQueryData(accountQuery.queryKey, account)
      void queries.invalidateQueries({ queryKey: sessionQuery.queryKey })
      void queries.invalidateQueries({ queryKey: ['members'] })
      tellDone('Your account is changed')
      onSaved()
    }
  })
  const { values, set, fault, left } = form
  return (
    <Form form={form} verb="Save changes">
      <Group title="You" hint="The same in all your workspaces">
        <TextInput
          label="Name"
          autoComplete="name"
          value={values.name}
          onChange={(event) => set({ name: event.currentTarget.value })}
          onBlur={() => left('name')}
          error={fault('name')}
        />
        <ZoneSelect
          description={`These pages show times as your browser has them: ${browserZone()}`}
          value={values.time_zone}
          onChange={(zone) => set({ time_zone: zone })}
          error={fault('time_zone')}
        />
        <TextInput
          label="Language"
          description="A language tag, such as en, en-GB or de-AT"
          value={values.locale}
          onChange={(event) => set({ locale: event.currentTarget.value })}
          onBlur={() => left('locale')}
          error={fault('locale')}
        />
      </Group>
    </Form>
  )
}
