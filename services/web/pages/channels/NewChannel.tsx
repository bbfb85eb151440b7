/**
 * Creates a channel: first its kind, then where it sends. After that, the channel's own page opens.
 */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { channelKindsQuery, createChannel } from '../../api/channels.ts'
import { Refusal } from '../../api/client.ts'
import { useMay } from '../../api/session.ts'
import type { ChannelKindItem } from '../../api/shapes.ts'
import { Form } from '../../forms/Form.tsx'
import { lateForm } from '../../forms/late-form.tsx'
import { useForm } from '../../forms/useForm.ts'
import { PageHead } from '../../parts/Page.tsx'
import { PlanLimit } from '../../parts/PlanLimit.tsx'
import { Awaiting, Problem } from '../../parts/States.tsx'
import { channelsText } from '../../texts/channels.ts'
import { AddApp } from './AddApp.tsx'
import type { ChannelValues } from './ChannelForm.tsx'
import { configFields, sentConfig } from './config-fields.ts'
import { KindPicker } from './KindPicker.tsx'

const ChannelFields = lateForm(async () => (await import('./ChannelForm.tsx')).ChannelFields)

const back = { to: '/settings/channels', label: channelsText('page.title') } as const

export function NewChannel() {
  const may = useMay('write')
  const { kind } = useSearch({ from: '/inside/settings/channels/new' })
  const asked = useQuery(channelKindsQuery)
  const kinds = asked.data?.items
  const chosen = kinds?.find((one) => one.kind === kind && one.available && one.set_up)
  const title = channelsText('page.add')
  if (!may)
    return (
      <>
        <PageHead title={title} answer={title} back={back} />
        <Problem error={new Refusal(403, { code: 'FORBIDDEN', details: [{ needed: { scope: 'write', role: 'editor' } }] })} />
      </>
    )
  if (chosen) return <NewOf key={chosen.kind} kind={chosen} />
  return (
    <>
      <PageHead title={title} answer={channelsText('pick.answer')} back={back}>
        {channelsText('page.how')}
      </PageHead>
      <PlanLimit of="channels" />
      {kinds ? <KindPicker kinds={kinds} /> : <Awaiting of={asked} rows={6} height={76} />}
    </>
  )
}

function NewOf({ kind }: { kind: ChannelKindItem }) {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const initial: ChannelValues = {
    name: '',
    team_id: '',
    config: {},
    events: kind.default_events,
    min_severity: 'info',
    is_default: true,
    allowed_team_ids: []
  }
  const form = useForm({
    initial,
    schema: async () => (await import('../../../../schemas/http/notification-channels.ts')).CreateChannelBody,
    toBody: ({ name, team_id, config, allowed_team_ids, ...others }) => ({
      ...others,
      kind: kind.kind,
      name: name.trim(),
      config: sentConfig(configFields(kind.schema), null, config),
      ...(team_id !== '' && { team_id }),
      ...(allowed_team_ids.length > 0 && { allowed_team_ids: [...allowed_team_ids] })
    }),
    save: createChannel,
    onSaved: ({ id }) => {
      void queries.invalidateQueries({ queryKey: ['channels'] })
      void navigate({ to: '/settings/channels/$id', params: { id }, replace: true })
    }
  })
  const answer = channelsText('form.answer', { kind: kind.name })
  return (
    <>
      <PageHead title={channelsText('page.add')} answer={answer} back={{ to: '/settings/channels/new', label: channelsText('pick.all') }} />
      {kind.app && <AddApp kind={kind} app={kind.app} />}
      <Form form={form} verb={channelsText('form.create')} onCancel={() => void navigate({ to: '/settings/channels/new' })}>
        <ChannelFields kind={kind} form={form} before={null} />
      </Form>
    </>
  )
}
