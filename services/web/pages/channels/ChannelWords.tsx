/**
 * The templates that one channel uses in place of those of the workspace, event by event, each with
 * a preview of a sample.
 */
import { NativeSelect } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { channelEvents, offeredEvents } from '../../../../schemas/http/notification-words.ts'
import { changeChannel, channelQuery } from '../../api/channels.ts'
import { isGone, Refusal } from '../../api/client.ts'
import { useMay } from '../../api/session.ts'
import type { NotificationChannel } from '../../api/shapes.ts'
import { useForm } from '../../forms/useForm.ts'
import { Confirm } from '../../parts/Confirm.tsx'
import { PageHead } from '../../parts/Page.tsx'
import { Awaiting, Problem } from '../../parts/States.tsx'
import { tellDone } from '../../parts/tell.ts'
import { channelsText } from '../../texts/channels.ts'
import { TemplateForm, type TemplateValues, textsOf } from '../templates/TemplateForm.tsx'
import classes from './Channel.module.css'

type Event = (typeof channelEvents)[number]

const from = '/inside/settings/channels/$id/words'

export function ChannelWords() {
  const { id } = useParams({ from })
  const { event = 'down' } = useSearch({ from })
  const may = useMay('write')
  const asked = useQuery({ ...channelQuery(id), refetchInterval: false })
  const channel = asked.data
  const problem = !may
    ? new Refusal(403, { code: 'FORBIDDEN', details: [{ needed: { scope: 'write', role: 'editor' } }] })
    : isGone(asked.error)
      ? asked.error
      : null
  const title = channelsText('words.title')
  if (problem || !channel)
    return (
      <>
        <PageHead title={title} answer={title} back={{ to: '/settings/channels', label: channelsText('page.title') }} />
        {problem ? <Problem error={problem} /> : <Awaiting of={asked} rows={6} height={72} />}
      </>
    )
  const { name, template_overrides } = channel
  return (
    <>
      <PageHead title={title} answer={channelsText('words.answer', { name })} back={{ to: `/settings/channels/${id}`, label: name }}>
        {channelsText('words.how')}
      </PageHead>
      <Chosen channel={channel} event={event} />
      <Words key={`${event} ${JSON.stringify(template_overrides[event] ?? null)}`} channel={channel} event={event} />
    </>
  )
}

function Chosen({ channel: { id, template_overrides }, event }: { channel: NotificationChannel; event: Event }) {
  const navigate = useNavigate()
  const offered = offeredEvents(channelEvents.filter((one) => one === event || template_overrides[one]))
  return (
    <NativeSelect
      mb="md"
      maw="44rem"
      label={channelsText('words.event')}
      value={event}
      onChange={({ currentTarget }) => {
        const chosen = channelEvents.find((one) => one === currentTarget.value) ?? 'down'
        void navigate({ to: '/settings/channels/$id/words', params: { id }, search: { event: chosen }, replace: true })
      }}
      data={offered.map((one) => {
        const label = channelsText(`event.${one}`)
        return { value: one, label: template_overrides[one] ? channelsText('words.has', { event: label }) : label }
      })}
    />
  )
}

function Words({ channel, event }: { channel: NotificationChannel; event: Event }) {
  const { id, kind, template_overrides } = channel
  const queries = useQueryClient()
  const navigate = useNavigate()
  const toChannel = (): void => void navigate({ to: '/settings/channels/$id', params: { id } })
  const { [event]: before, ...others } = template_overrides
  const save = async (texts: { title: string | null; body: string | null }): Promise<NotificationChannel> => {
    const isEmpty = texts.title === null && texts.body === null
    return changeChannel(id, { template_overrides: isEmpty ? others : { ...others, [event]: texts } })
  }
  const saved = (now: NotificationChannel, words: string): void => {
    queries.setQueryData(channelQuery(id).queryKey, now)
    tellDone(words)
    toChannel()
  }
  const initial: TemplateValues = { kind, event, title: before?.title ?? '', body: before?.body ?? '' }
  const form = useForm({
    initial,
    schema: async () => (await import('../../../../schemas/http/templates.ts')).UpdateTemplateBody,
    toBody: textsOf,
    save,
    onSaved: (now) => saved(now, channelsText('words.saved'))
  })
  return (
    <>
      <TemplateForm form={form} verb={channelsText('edit.save')} onCancel={toChannel} isNew={false} at={`template_overrides.${event}`} />
      {before && (
        <p className={classes.words}>
          <Confirm
            label={channelsText('words.reset')}
            variant="default"
            question={channelsText('words.reset_question')}
            verb={channelsText('words.reset')}
            act={async () => saved(await save({ title: null, body: null }), channelsText('words.reset_done'))}
          >
            {channelsText('words.reset_hint', { event: channelsText(`event.${event}`) })}
          </Confirm>
        </p>
      )}
    </>
  )
}
