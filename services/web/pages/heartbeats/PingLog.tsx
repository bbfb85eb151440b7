/**
 * The ping log: every ping with its data, newest first. New pings appear as they arrive. Model:
 * Healthchecks' ping log.
 */
import { Button, UnstyledButton } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { ChevronRight, Inbox } from 'lucide-react'
import { Fragment, useState } from 'react'
import { pingsQuery } from '../../api/heartbeats.ts'
import type { Heartbeat, Ping } from '../../api/shapes.ts'
import { isSameDay, longDay } from '../../parts/clock.ts'
import { Section } from '../../parts/Page.tsx'
import { Said } from '../../parts/Said.tsx'
import { clockTime, exact, Since } from '../../parts/Since.tsx'
import { Awaiting, Empty } from '../../parts/States.tsx'
import { Status } from '../../parts/Status.tsx'
import { Toggles } from '../../parts/Toggles.tsx'
import { heartbeatsText } from '../../texts/heartbeats.ts'
import classes from './PingLog.module.css'
import { kinds } from './search.ts'
import { networkOf, pingLook, runInWords } from './words.ts'

export function PingLog({ heartbeat: { id, last_ping_at } }: { heartbeat: Heartbeat }) {
  const navigate = useNavigate({ from: '/heartbeats/$id' })
  const search = useSearch({ from: '/inside/heartbeats/$id' })
  const { kind: pressed = [] } = search
  const asked = useInfiniteQuery(pingsQuery(id, pressed, last_ping_at))
  const { data, hasNextPage, fetchNextPage, isFetchingNextPage } = asked
  const pings = data?.pages.flatMap(({ items }) => items) ?? []
  return (
    <Section
      title={heartbeatsText('log.title')}
      aside={
        <Toggles
          label={heartbeatsText('log.kinds')}
          toggles={kinds.map((word) => ({ word, label: heartbeatsText(`kind.${word}`) }))}
          pressed={pressed}
          onChange={(kind) => void navigate({ search: { ...search, kind }, resetScroll: false })}
        />
      }
    >
      {!data && <Awaiting of={asked} rows={5} height={40} />}
      {data && pings.length === 0 && (
        <Empty icon={Inbox} title={heartbeatsText(pressed.length > 0 ? 'log.none_of_kind' : 'log.none')}>
          {pressed.length === 0 && heartbeatsText('log.none_hint')}
        </Empty>
      )}
      {pings.length > 0 && <Log pings={pings} />}
      {hasNextPage && (
        <div className={classes.more}>
          <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {heartbeatsText('log.older')}
          </Button>
        </div>
      )}
    </Section>
  )
}

/** `Today`, or the day's name. */
const dayOf = (at: string): string => (isSameDay(at, Date.now()) ? heartbeatsText('log.today') : longDay(at))

function Log({ pings }: { pings: readonly Ping[] }) {
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set())
  const toggle = (id: string): void =>
    setOpened((before) => (before.has(id) ? new Set([...before].filter((one) => one !== id)) : new Set([...before, id])))
  return (
    <ol className={classes.log} aria-label={heartbeatsText('log.label')}>
      {pings.map((ping, at) => {
        const day = dayOf(ping.received_at)
        const before = pings[at - 1]
        return (
          <Fragment key={ping.id}>
            {(before === undefined || dayOf(before.received_at) !== day) && <li className={classes.day}>{day}</li>}
            <Entry ping={ping} opened={opened.has(ping.id)} onToggle={() => toggle(ping.id)} />
          </Fragment>
        )
      })}
    </ol>
  )
}

/** Returns how the ping arrived and what it contained, in sentences. */
function circumstances(ping: Ping): string {
  const { method, user_agent: agent, body_bytes: bytes, body_excerpt, kind, duration_ms, run_id } = ping
  const network = networkOf(ping)
  const sentences = [
    agent ? heartbeatsText('log.from_by', { method, network, agent }) : heartbeatsText('log.from', { method, network }),
    bytes === 0 ? heartbeatsText('log.no_body') : heartbeatsText(body_excerpt ? 'log.body' : 'log.body_unstored', { bytes })
  ]
  if (kind !== 'start' && duration_ms === null && run_id === null) sentences.push(heartbeatsText('log.no_start'))
  return sentences.join(' ')
}

function Entry({ ping, opened, onToggle }: { ping: Ping; opened: boolean; onToggle: () => void }) {
  const { received_at, duration_ms, user_agent, body_excerpt, run_id } = ping
  return (
    <li className={classes.entry}>
      <UnstyledButton className={classes.line} onClick={onToggle} aria-expanded={opened}>
        <ChevronRight size={14} aria-hidden className={classes.mark} />
        <span className={classes.kind}>
          <Status look={pingLook(ping)} />
        </span>
        <time className={classes.time} dateTime={received_at} title={exact(received_at)}>
          {clockTime(received_at)}
        </time>
        <span className={classes.ago}>
          <Since at={received_at} />
        </span>
        <span className={classes.took}>{duration_ms !== null && heartbeatsText('log.took', { time: runInWords(duration_ms) })}</span>
        <span className={classes.words}>{body_excerpt ? <code>{body_excerpt.trim().split('\n').at(-1)}</code> : user_agent}</span>
      </UnstyledButton>
      {opened && (
        <div className={classes.detail}>
          {body_excerpt && (
            <>
              {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a block that scrolls must be reached by the keyboard */}
              <pre tabIndex={0}>{body_excerpt}</pre>
            </>
          )}
          <p>{circumstances(ping)}</p>
          {run_id && (
            <p>
              <Said parts={{ id: <code>{run_id}</code> }}>{({ id }) => heartbeatsText('log.run', { id })}</Said>
            </p>
          )}
        </div>
      )}
    </li>
  )
}
