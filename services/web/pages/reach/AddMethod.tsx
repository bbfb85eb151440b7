/** Adds a contact method: an e-mail address, or a number for text messages or calls. */
import { NativeSelect, TextInput } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { channelKindsQuery } from '../../api/channels.ts'
import { changePreferences, preferencesQuery } from '../../api/reach.ts'
import type { Preferences } from '../../api/shapes.ts'
import { Form, Group } from '../../forms/Form.tsx'
import { useForm } from '../../forms/useForm.ts'
import { tellDone } from '../../parts/tell.ts'
import { reachText } from '../../texts/reach.ts'
import { kept } from './methods.ts'

const kinds = ['email', 'sms', 'voice'] as const

export function AddMethod({ preferences, onAdded }: { preferences: Preferences; onAdded: () => void }) {
  const queries = useQueryClient()
  const { data } = useQuery(channelKindsQuery)
  const before = preferences.contact_methods.flatMap(kept)
  const form = useForm({
    initial: { kind: 'email' as (typeof kinds)[number], address: '' },
    schema: async () => (await import('../../../../schemas/http/notification-preferences.ts')).PutPreferencesBody,
    toBody: ({ kind, address }) => ({ contact_methods: [...before, { kind, address: address.trim() }] }),
    save: ({ contact_methods }) =>
      changePreferences(queries, (now) => ({
        contact_methods: [...now.contact_methods.flatMap(kept), ...contact_methods.slice(before.length)]
      })),
    onSaved: () => {
      void queries.invalidateQueries({ queryKey: preferencesQuery.queryKey })
      tellDone(reachText('add.done', { address: form.values.address.trim() }))
      onAdded()
    }
  })
  const { values, set, fault } = form
  const at = `contact_methods[${before.length}]`
  const isSetUp = (kind: string): boolean => data?.items.find((one) => one.kind === kind)?.set_up ?? true
  return (
    <Form form={form} verb={reachText('add.verb')}>
      <Group title={reachText('add.title')}>
        <NativeSelect
          label={reachText('add.kind')}
          data={kinds.map((kind) => {
            const name = reachText(`kind.${kind}`)
            return { value: kind, label: isSetUp(kind) ? name : reachText('add.not_set_up', { name }), disabled: !isSetUp(kind) }
          })}
          value={values.kind}
          onChange={(event) => set({ kind: kinds.find((kind) => kind === event.currentTarget.value) ?? 'email' })}
          error={fault(`${at}.kind`)}
        />
        <TextInput
          label={reachText('add.address')}
          description={values.kind === 'email' ? undefined : reachText('add.hint')}
          type={values.kind === 'email' ? 'email' : 'tel'}
          value={values.address}
          onChange={(event) => set({ address: event.currentTarget.value })}
          error={fault(`${at}.address`) ?? fault(at)}
        />
      </Group>
    </Form>
  )
}
