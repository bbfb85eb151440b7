/**
 * The form to change a channel. Its kind cannot change; a secret stays unless a new one is typed.
 */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { changeChannel, channelKindsQuery, channelQuery } from '../../api/channels.ts'
import { isGone, Refusal } from '../../api/client.ts'
import { useMay } from '../../api/session.ts'
import type { ChannelKindItem, NotificationChannel } from '../../api/shapes.ts'
import { differing } from '../../forms/differing.ts'
import { Form } from '../../forms/Form.tsx'
import { lateForm } from '../../forms/late-form.tsx'
import { useForm } from '../../forms/useForm.ts'
import { PageHead } from '../../parts/Page.tsx'
import { Awaiting, Problem } from '../../parts/States.tsx'
import { tellDone } from '../../parts/tell.ts'
import { channelsText } from '../../texts/channels.ts'
import { configFields, sentConfig } from './config-fields.ts'

const ChannelFields = lateForm(async () => (await import('./ChannelForm.tsx')).ChannelFields)

export function EditChannel() {
  const { id } = useParams({ from: '/inside/settings/channels/$id/edit' })
  const may = useMay('write')
  const asked = useQuery({ ...channelQuery(id), refetchInterval: false })
  const kinds = useQuery(channelKindsQuery)
  const channel = asked.data
  const kind = kinds.data?.items.find((one) => one.kind === channel?.kind)
  const title = channelsText('edit.title')
  const problem = !may
    ? new Refusal(403, { code: 'FORBIDDEN', details: [{ needed: { scope: 'write', role: 'editor' } }] })
    : isGone(asked.error)
      ? asked.error
      : null
  if (problem || !channel || !kind)
    return (
      <>
        <PageHead title={title} answer={title} back={{ to: '/settings/channels', label: channelsText('page.title') }} />
        {problem ? <Problem error={problem} /> : <Awaiting of={[asked, kinds]} rows={6} height={72} />}
      </>
    )
  return <Edit key={channel.id} channel={channel} kind={kind} />
}

function Edit({ channel, kind }: { channel: NotificationChannel; kind: ChannelKindItem }) {
  // The page may read the channel again while a person types.
  const [begun] = useState(channel)
  const { id, name, team_id, config, events, min_severity, is_default, allowed_team_ids } = begun
  const queries = useQueryClient()
  const navigate = useNavigate()
  const toChannel = (): void => void navigate({ to: '/settings/channels/$id', params: { id } })
  const initial = {
    name,
    team_id: team_id ?? '',
    config,
    events,
    min_severity,
    is_default,
    allowed_team_ids: allowed_team_ids as readonly string[]
  }
  const bodyOf = (values: typeof initial) => ({
    ...values,
    name: values.name.trim(),
    team_id: values.team_id === '' ? null : values.team_id,
    config: sentConfig(configFields(kind.schema), config, values.config),
    allowed_team_ids: [...values.allowed_team_ids]
  })
  const form = useForm({
    initial,
    schema: async () => (await import('../../../../schemas/http/notification-channels.ts')).UpdateChannelBody,
    toBody: bodyOf,
    save: (body) => changeChannel(id, differing(bodyOf(initial), body)),
    onSaved: (saved) => {
      queries.setQueryData(channelQuery(id).queryKey, saved)
      void queries.invalidateQueries({ queryKey: ['channels'] })
      tellDone(channelsText('edit.done', { name: saved.name }))
      toChannel()
    }
  })
  return (
    <>
      <PageHead
        title={channelsText('edit.title')}
        answer={channelsText('edit.answer', { name })}
        back={{ to: `/settings/channels/${id}`, label: name }}
      />
      <Form form={form} verb={channelsText('edit.save')} onCancel={toChannel}>
        <ChannelFields kind={kind} form={form} before={config} />
      </Form>
    </>
  )
}
