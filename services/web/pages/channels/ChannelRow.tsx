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
import { text } from '../../texts/catalogue.ts'
import classes from '../settings/List.module.css'

function lookOf({ enabled, needs_verification, verified_at, health }: NotificationChannel): Look {
  if (health.state === 'disabled') return { tone: 'bad', icon: OctagonX, word: text('channels', 'page.disabled') }
  if (!enabled) return { tone: 'off', icon: CirclePause, word: text('channels', 'page.off') }
  if (needs_verification && verified_at === null) return { tone: 'warn', icon: MailQuestionMark, word: text('channels', 'page.unproven') }
  if (health.state === 'failing') return { tone: 'warn', icon: TriangleAlert, word: text('channels', 'page.failing') }
  return { tone: 'good', icon: CircleCheck, word: text('channels', 'page.ok') }
}

export function ChannelRow({ channel, may }: { channel: NotificationChannel; may: boolean }) {
  const { name, kind, target, is_default, health, team_id } = channel
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
          {is_default && <span>{text('channels', 'page.default')}</span>}
        </p>
        {health.last_error !== null && health.state !== 'ok' && (
          <p className={classes.facts}>{text('channels', 'page.error', { error: health.last_error })}</p>
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
      {ok
        ? text('channels', 'test.ok', { ms: latency_ms })
        : text('channels', 'test.bad', { error: error ?? text('channels', 'test.unknown') })}{' '}
      {http_status !== null && text('channels', 'test.status', { status: http_status })}
      {reply && <CopyBlock title={text('channels', 'test.reply')} text={reply} />}
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
    run(text('channels', 'test.what'), async () => {
      onAnswer(null)
      onAnswer(await testChannel(id))
    })
  const turn = () => run(text('channels', 'enable.what'), async () => void (await changeChannel(id, { enabled: !enabled })))

  async function remove(): Promise<void> {
    await deleteChannel(id, force)
    await queries.invalidateQueries({ queryKey: ['channels'] })
    tellDone(text('channels', 'page.deleted', { name }))
  }
  const turnLabel = text('channels', enabled ? 'page.disable' : 'page.enable')
  return (
    <div className={classes.actions}>
      <Button variant="default" loading={busy} onClick={() => void test()} aria-label={`${text('channels', 'page.test')}: ${name}`}>
        {text('channels', 'page.test')}
      </Button>
      <Button variant="default" disabled={busy} onClick={() => void turn()} aria-label={`${turnLabel}: ${name}`}>
        {turnLabel}
      </Button>
      <Confirm
        label={text('channels', 'page.delete')}
        aria-label={`${text('channels', 'page.delete')}: ${name}`}
        question={text('channels', 'delete.question', { name })}
        verb={text('channels', 'page.delete')}
        act={remove}
      >
        {text('channels', 'delete.hint')}
        <Checkbox
          mt="sm"
          label={text('channels', 'delete.force')}
          checked={force}
          onChange={(event) => setForce(event.currentTarget.checked)}
        />
      </Confirm>
    </div>
  )
}
