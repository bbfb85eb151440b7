/** Name, time zone and language of the person. */
import { TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { client, take } from '../../api/client.ts'
import { accountQuery, sessionQuery } from '../../api/session.ts'
import type { Account } from '../../api/shapes.ts'
import { Form, Group } from '../../forms/Form.tsx'
import { Select } from '../../forms/late-fields.tsx'
import { useForm } from '../../forms/useForm.ts'
import { ZoneSelect } from '../../forms/ZoneSelect.tsx'
import { follow } from '../../language.ts'
import { browserZone } from '../../parts/clock.ts'
import { languageOf } from '../../parts/locale.ts'
import { tellDone } from '../../parts/tell.ts'
import { accountText } from '../../texts/account.ts'

/** Each language in its own words. */
const languages: Readonly<Record<string, string>> = {
  en: 'English',
  'en-GB': 'English (United Kingdom)',
  'en-US': 'English (United States)',
  de: 'Deutsch',
  'de-AT': 'Deutsch (Österreich)',
  'de-CH': 'Deutsch (Schweiz)'
}

export function ProfileForm({ user: { name, time_zone, locale }, onSaved }: { user: Account['user']; onSaved: () => void }) {
  const queries = useQueryClient()
  const form = useForm({
    initial: { name, time_zone: time_zone ?? '', locale },
    schema: async () => (await import('../../../../schemas/http/auth.ts')).UpdateAccountBody,
    toBody: (values) => ({ ...values, name: values.name.trim(), time_zone: values.time_zone === '' ? null : values.time_zone }),
    save: (body) => take(client.PATCH('/api/v1/account', { body })),
    onSaved: async (account) => {
      // Pages keep the words that they were loaded with, so another language needs a reload.
      if (languageOf(account.user.locale) !== languageOf(locale)) return location.reload()
      queries.setQueryData(accountQuery.queryKey, account)
      void queries.invalidateQueries({ queryKey: ['members'] })
      tellDone(accountText('profile.saved'))
      onSaved()
      await follow(account.user)
      // In another zone, the days and hours of figures begin at other times.
      void queries.invalidateQueries(account.user.time_zone === time_zone ? { queryKey: sessionQuery.queryKey } : {})
    }
  })
  const { values, set, fault, left } = form
  return (
    <Form form={form} verb={accountText('profile.save')}>
      <Group title={accountText('profile.title')} hint={accountText('profile.hint')}>
        <TextInput
          label={accountText('profile.name')}
          autoComplete="name"
          value={values.name}
          onChange={(event) => set({ name: event.currentTarget.value })}
          onBlur={() => left('name')}
          error={fault('name')}
        />
        <ZoneSelect
          label={accountText('profile.zone')}
          description={accountText('profile.zone_hint')}
          first={accountText('profile.zone_browser', { zone: browserZone() })}
          value={values.time_zone}
          onChange={(zone) => set({ time_zone: zone })}
          error={fault('time_zone')}
        />
        <Select
          label={accountText('profile.language')}
          description={accountText('profile.language_hint')}
          data={[...new Set([...Object.keys(languages), locale])].map((tag) => ({ value: tag, label: languages[tag] ?? tag }))}
          value={values.locale}
          onChange={(tag) => tag !== null && set({ locale: tag })}
          allowDeselect={false}
          error={fault('locale')}
        />
      </Group>
    </Form>
  )
}
