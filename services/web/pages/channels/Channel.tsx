/**
 * The page of one channel: whether its messages arrive, where they go, and what can be done with
 * it.
 */
import { Button, Checkbox } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import type { ChannelTestAnswer } from '../../../../schemas/http/deliveries.ts'
import { channelEvents } from '../../../../schemas/http/notification-words.ts'
import { changeChannel, channelQuery, confirmChannelAgain, deleteChannel } from '../../api/channels.ts'
import { isGone } from '../../api/client.ts'
import { badDeliveriesQuery } from '../../api/deliveries.ts'
import { useMay } from '../../api/session.ts'
import type { NotificationChannel } from '../../api/shapes.ts'
import { useTeam } from '../../api/teams.ts'
import { Confirm } from '../../parts/Confirm.tsx'
import { Facts, type FactsProps, PageHead, Section } from '../../parts/Page.tsx'
import { exact, Since } from '../../parts/Since.tsx'
import { Awaiting, Problem } from '../../parts/States.tsx'
import { Status } from '../../parts/Status.tsx'
import { TeamMark } from '../../parts/TeamMark.tsx'
import { tellDone, tellRefused } from '../../parts/tell.ts'
import { channelsText } from '../../texts/channels.ts'
import { deliveriesText } from '../../texts/deliveries.ts'
import { teamMarkText } from '../../texts/team-marks.ts'
import { problemOf } from '../deliveries/words.ts'
import list from '../settings/List.module.css'
import { AddAgain } from './AddApp.tsx'
import classes from './Channel.module.css'
import { useKindName } from './ChannelRow.tsx'
import { ChooseGroup } from './ChooseGroup.tsx'
import { adviceOf, isUnproven, lookOf } from './state.ts'
import { TestAnswer, TestButton } from './TestAnswer.tsx'

const back = { to: '/settings/channels', label: channelsText('page.title') } as const

export function ChannelPage() {
  const { id } = useParams({ from: '/inside/settings/channels/$id' })
  const asked = useQuery(channelQuery(id))
  const { data: channel, error } = asked
  const title = channelsText('page.one')
  if (isGone(error) || !channel)
    return (
      <>
        <PageHead title={title} answer={title} back={back} />
        {isGone(error) ? <Problem error={error} /> : <Awaiting of={asked} rows={6} />}
      </>
    )
  return <Shown key={channel.id} channel={channel} />
}

function Shown({ channel }: { channel: NotificationChannel }) {
  const { name, kind, target, team_id } = channel
  const may = useMay('write')
  const [answer, setAnswer] = useState<ChannelTestAnswer | null>(null)
  const advice = adviceOf(channel)
  const kindName = useKindName(kind)
  return (
    <>
      <PageHead title={name} answer={name} back={back} actions={may && <Actions channel={channel} onAnswer={setAnswer} />}>
        <Status look={lookOf(channel)} filled />
        <span>{kindName}</span>
        <span>{target}</span>
        <TeamMark team_id={team_id} />
      </PageHead>
      {advice !== null && <p className={classes.words}>{advice}</p>}
      {may && channel.config.mode === 'oauth' && channel.health.state === 'disabled' && <AddAgain kind={kind} name={kindName} />}
      {may && isUnproven(channel) && kind === 'email' && <SendAgain channel={channel} />}
      {answer && (
        <div className={classes.test}>
          <TestAnswer answer={answer} />
        </div>
      )}
      <Section title={channelsText('section.health')}>
        <Facts facts={healthFacts(channel)} />
        <LastProblems channel={channel} />
      </Section>
      <Section title={channelsText('section.settings')}>
        <Settings channel={channel} />
        {may && kind === 'telegram' && typeof channel.config.bot_name === 'string' && (
          <ChooseGroup id={channel.id} bot={channel.config.bot_name} />
        )}
        <Rotation channel={channel} may={may} />
      </Section>
      <Section title={channelsText('words.section')}>
        <Words channel={channel} may={may} />
      </Section>
    </>
  )
}

const PROBLEMS = 5

/** The last deliveries with a problem, and a link to all deliveries. */
function LastProblems({ channel: { id } }: { channel: NotificationChannel }) {
  const items = useQuery(badDeliveriesQuery(id, PROBLEMS)).data?.items ?? []
  return (
    <div className={classes.problems}>
      {items.length > 0 && <h3>{channelsText('problems.title')}</h3>}
      {items.length > 0 && (
        <ul className={list.list} aria-label={channelsText('problems.title')}>
          {items.map((item) => (
            <li key={item.id} className={list.row}>
              <Link to="/settings/deliveries/$id" params={{ id: item.id }}>
                {deliveriesText(`event.${item.event}`)}: {problemOf(item) ?? channelsText('test.unknown')}
              </Link>
              <Since at={item.queued_at} />
            </li>
          ))}
        </ul>
      )}
      <Link to="/settings/deliveries" search={{ channel_id: id }}>
        {channelsText('problems.all')}
      </Link>
    </div>
  )
}

function healthFacts({ health, verified_at, needs_verification }: NotificationChannel): FactsProps['facts'] {
  const { last_ok_at, last_error, consecutive_failures, quota_exhausted_until, disabled_reason } = health
  return [
    [channelsText('fact.last_ok'), last_ok_at === null ? channelsText('fact.never') : <Since key="ok" at={last_ok_at} />],
    consecutive_failures === 0 ? null : [channelsText('fact.failures'), consecutive_failures],
    last_error === null ? null : [channelsText('fact.last_error'), last_error],
    disabled_reason === null ? null : [channelsText('fact.disabled'), disabled_reason],
    quota_exhausted_until === null ? null : [channelsText('fact.quota'), exact(quota_exhausted_until)],
    verified_at !== null
      ? [channelsText('fact.verified'), <Since key="verified" at={verified_at} />]
      : needs_verification
        ? [channelsText('fact.verified'), channelsText('fact.not_verified')]
        : null
  ]
}

/** Joins texts in one line: `Something fails, it works again`. */
const listed = (texts: readonly string[]): string =>
  texts.map((one, at) => (at === 0 ? one : one.charAt(0).toLowerCase() + one.slice(1))).join(', ')

/**
 * Returns what the service knows about the bot of a channel. Null when it knows nothing or the
 * channel has no bot.
 */
function botFact({ config }: NotificationChannel): [string, string] | null {
  const { bot_name, bot_fault } = config
  if (typeof bot_name === 'string') return [channelsText('fact.bot'), `@${bot_name}`]
  return typeof bot_fault === 'string' ? [channelsText('fact.bot'), channelsText('fact.bot_none', { fault: bot_fault })] : null
}

function Settings({ channel }: { channel: NotificationChannel }) {
  const { events, min_severity, is_default, team_id, allowed_team_ids } = channel
  const team = useTeam(team_id)
  return (
    <Facts
      facts={[
        [channelsText('form.events'), listed(events.map((event) => channelsText(`event.${event}`)))],
        [channelsText('form.severity'), channelsText(`severity.${min_severity}`)],
        [channelsText('fact.default'), channelsText(is_default ? 'fact.default_yes' : 'fact.default_no')],
        botFact(channel),
        team === null ? null : [teamMarkText('team.label'), team.name],
        allowed_team_ids.length === 0 ? null : [channelsText('form.allowed'), <TeamNames key="allowed" ids={allowed_team_ids} />]
      ]}
    />
  )
}

/** The events for which the channel has its own templates. */
function Words({ channel: { id, template_overrides }, may }: { channel: NotificationChannel; may: boolean }) {
  const events = channelEvents.filter((event) => template_overrides[event])
  return (
    <>
      <p className={classes.words}>
        {events.length === 0 ? channelsText('words.none') : listed(events.map((event) => channelsText(`event.${event}`)))}
      </p>
      {may && (
        <Link to="/settings/channels/$id/words" params={{ id }} search={events[0] ? { event: events[0] } : {}}>
          {channelsText('words.verb')}
        </Link>
      )}
    </>
  )
}

function TeamNames({ ids }: { ids: readonly string[] }) {
  return (
    <>
      {ids.map((id) => (
        <TeamMark key={id} team_id={id} visibility="private" />
      ))}
    </>
  )
}

/** While a secret is being replaced, messages are also signed with the old one. */
function Rotation({ channel: { id, config }, may }: { channel: NotificationChannel; may: boolean }) {
  const queries = useQueryClient()
  const until = config.secret_previous_expires_at
  const end = useMutation({
    mutationFn: () => changeChannel(id, { config: { secret_previous_expires_at: new Date().toISOString() } }),
    onSuccess: (saved) => queries.setQueryData(channelQuery(id).queryKey, saved),
    onError: (error) => tellRefused(channelsText('rotation.what'), error)
  })
  if (typeof until !== 'string' || Date.parse(until) <= Date.now()) return null
  return (
    <p className={classes.rotation}>
      {channelsText('rotation.until', { time: exact(until) })}
      {may && (
        <Button variant="default" size="compact-sm" loading={end.isPending} onClick={() => end.mutate()}>
          {channelsText('rotation.end')}
        </Button>
      )}
    </p>
  )
}

function SendAgain({ channel: { id } }: { channel: NotificationChannel }) {
  const again = useMutation({
    mutationFn: () => confirmChannelAgain(id),
    onSuccess: () => tellDone(channelsText('confirm.sent')),
    onError: (error) => tellRefused(channelsText('confirm.what'), error)
  })
  return (
    <p className={classes.words}>
      <Button variant="default" loading={again.isPending} onClick={() => again.mutate()}>
        {channelsText('confirm.again')}
      </Button>
    </p>
  )
}

function Actions({ channel, onAnswer }: { channel: NotificationChannel; onAnswer: (answer: ChannelTestAnswer | null) => void }) {
  const { id, name, enabled } = channel
  const queries = useQueryClient()
  const navigate = useNavigate()
  const [force, setForce] = useState(false)
  const turn = useMutation({
    mutationFn: () => changeChannel(id, { enabled: !enabled }),
    onSuccess: (saved) => queries.setQueryData(channelQuery(id).queryKey, saved),
    onError: (error) => tellRefused(channelsText('enable.what'), error),
    onSettled: () => void queries.invalidateQueries({ queryKey: ['channels', 'list'] })
  })
  async function remove(): Promise<void> {
    await deleteChannel(id, force)
    await queries.invalidateQueries({ queryKey: ['channels', 'list'] })
    tellDone(channelsText('page.deleted', { name }))
    void navigate({ to: '/settings/channels' })
  }
  return (
    <>
      <TestButton channel={channel} onAnswer={onAnswer} variant="filled" />
      <Button variant="default" renderRoot={(props) => <Link {...props} to="/settings/channels/$id/edit" params={{ id }} />}>
        {channelsText('edit.verb')}
      </Button>
      <Button variant="default" loading={turn.isPending} onClick={() => turn.mutate()}>
        {channelsText(enabled ? 'page.disable' : 'page.enable')}
      </Button>
      <Confirm
        label={channelsText('page.delete')}
        question={channelsText('delete.question', { name })}
        verb={channelsText('page.delete')}
        act={remove}
      >
        {channelsText('delete.hint')}
        <Checkbox
          mt="sm"
          label={channelsText('delete.force')}
          checked={force}
          onChange={(event) => setForce(event.currentTarget.checked)}
        />
      </Confirm>
    </>
  )
}
