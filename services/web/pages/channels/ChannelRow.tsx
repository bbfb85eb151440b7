/** One channel: where it goes, its health, and what can be done with it. */
import { Alert, Button, Checkbox } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { CircleCheck, CirclePause, MailQuestionMark, OctagonX, TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import type { ChannelTestAnswer } from '../../../../schemas/http/deliveries.ts'
import { changeChannel, deleteChannel, testChannel } from '../../api/channels.ts'
import type { NotificationChannel } from '../../api/shapes.ts'
import { useTeam } from '../../api/teams.ts'
import { Confirm } from '../../parts/Confirm.tsx'
import { CopyBlock } from '../../parts/Copy.tsx'
import { type Look, Status } from '../../parts/Status.tsx'
import { tellDone, tellRefused } from '../../parts/tell.ts'
import { channelsText } from '../../texts/channels.ts'
import classes from '../settings/List.module.css'

function lookOf({ enabled, needs_verification, verified_at, health }: NotificationChannel): Look {
  if (health.state === 'disabled') return { tone: 'bad', icon: OctagonX, word: channelsText('page.disabled') }
  if (!enabled) return { tone: 'off', icon: CirclePause, word: channelsText('page.off') }
  if (needs_verification && verified_at === null) return { tone: 'warn', icon: MailQuestionMark, word: channelsText('page.unproven') }
  if (health.state === 'failing') return { tone: 'warn', icon: TriangleAlert, word: channelsText('page.failing') }
  return { tone: 'good', icon: CircleCheck, word: channelsText('page.ok') }
}

export function ChannelRow({ channel, may }: { channel: NotificationChannel; may: boolean }) {
  const { name, kind, target, is_default, health, team_id, enabled } = channel
  const team = useTeam(team_id)
  const [answer, setAnswer] = useState<ChannelTestAnswer | null>(null)
  return (
    <li className={classes.row}>
      <div>
        <p className={classes.name}>{name}</p>
        <p className={classes.facts}>
          <Status look={lookOf(channel)} />
          <span>{kind}</span>
          <span>{target}</span>
          {team && <span>{team.name}</span>}
          {is_default && <span>{channelsText('page.default')}</span>}
        </p>
        {health.last_error !== null && (health.state !== 'ok' || !enabled) && (
          <p className={classes.facts}>{channelsText('page.error', { error: health.last_error })}</p>
        )}
        {answer && <TestAnswer answer={answer} />}
      </div>
      {may && <Actions channel={channel} onAnswer={setAnswer} />}
    </li>
  )
}

/** In the words of the other side. */
function TestAnswer({ answer: { ok, latency_ms, http_status, error, reply } }: { answer: ChannelTestAnswer }) {
  return (
    <Alert role="status" color={ok ? 'green' : 'red'} variant="light" mt="xs">
      {ok ? channelsText('test.ok', { ms: latency_ms }) : channelsText('test.bad', { error: error ?? channelsText('test.unknown') })}{' '}
      {http_status !== null && channelsText('test.status', { status: http_status })}
      {reply && <CopyBlock title={channelsText('test.reply')} text={reply} />}
    </Alert>
  )
}

function Actions({ channel, onAnswer }: { channel: NotificationChannel; onAnswer: (answer: ChannelTestAnswer | null) => void }) {
  const { id, name, enabled } = channel
  const queries = useQueryClient()
  const [busy, setBusy] = useState(false)
  const [force, setForce] = useState(false)

  async function run(what: string, act: () => Promise<void>): Promise<void> {
    setBusy(true)
    try {
      await act()
    } catch (error) {
      tellRefused(what, error)
    } finally {
      setBusy(false)
    }
    await queries.invalidateQueries({ queryKey: ['channels'] })
  }
  const test = () =>
    run(channelsText('test.what'), async () => {
      onAnswer(null)
      onAnswer(await testChannel(id))
    })
  const turn = () => run(channelsText('enable.what'), async () => void (await changeChannel(id, { enabled: !enabled })))

  async function remove(): Promise<void> {
    await deleteChannel(id, force)
    await queries.invalidateQueries({ queryKey: ['channels'] })
    tellDone(channelsText('page.deleted', { name }))
  }
  const turnLabel = channelsText(enabled ? 'page.disable' : 'page.enable')
  return (
    <div className={classes.actions}>
      <Button variant="default" loading={busy} onClick={() => void test()} aria-label={`${channelsText('page.test')}: ${name}`}>
        {channelsText('page.test')}
      </Button>
      <Button variant="default" disabled={busy} onClick={() => void turn()} aria-label={`${turnLabel}: ${name}`}>
        {turnLabel}
      </Button>
      <Confirm
        label={channelsText('page.delete')}
        aria-label={`${channelsText('page.delete')}: ${name}`}
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
    </div>
  )
}
