/**
 * The ping log: every ping, newest first, with what it brought; new ones appear as they arrive.
 * Model: Healthchecks' ping log.
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
import { clockTime, exact, Since } from '../../parts/Since.tsx'
import { Awaiting, Empty } from '../../parts/States.tsx'
import { Status } from '../../parts/Status.tsx'
import { Toggles } from '../../parts/Toggles.tsx'
import { heartbeatsText } from '../../texts/heartbeats.ts'
import classes from './PingLog.module.css'
import { kinds } from './search.ts'
import { pingLook, runInWords, sources } from './words.ts'

const kindWords = { success: 'Success', fail: 'Fail', exit: 'Exit code', start: 'Start', log: 'Note' } as const

export function PingLog({ heartbeat: { id, last_ping_at } }: { heartbeat: Heartbeat }) {
  const navigate = useNavigate({ from: '/heartbeats/$id' })
  const search = useSearch({ from: '/inside/heartbeats/$id' })
  const { kind: pressed = [] } = search
  const asked = useInfiniteQuery(pingsQuery(id, pressed, last_ping_at))
  const { data, hasNextPage, fetchNextPage, isFetchingNextPage } = asked
  const pings = data?.pages.flatMap(({ items }) => items) ?? []
  return (
    <Section
      title="Pings"
      aside={
        <Toggles
          label="Kind of ping"
          toggles={kinds.map((word) => ({ word, label: kindWords[word] }))}
          pressed={pressed}
          onChange={(kind) => void navigate({ search: { ...search, kind }, resetScroll: false })}
        />
      }
    >
      {!data && <Awaiting of={asked} rows={5} height={40} />}
      {data && pings.length === 0 && (
        <Empty icon={Inbox} title={pressed.length > 0 ? 'No ping of this kind is stored' : 'No ping yet'}>
          {pressed.length === 0 && 'The first ping appears here on its own.'}
        </Empty>
      )}
      {pings.length > 0 && <Log pings={pings} />}
      {hasNextPage && (
        <div className={classes.more}>
          <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Show older pings
          </Button>
        </div>
      )}
    </Section>
  )
}

/** `Today`, or the day's name. */
const dayOf = (at: string): string => (isSameDay(at, Date.now()) ? 'Today' : longDay(at))

function Log({ pings }: { pings: readonly Ping[] }) {
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set())
  const toggle = (id: string): void =>
    setOpened((before) => (before.has(id) ? new Set([...before].filter((one) => one !== id)) : new Set([...before, id])))
  return (
    <ol className={classes.log} aria-label="Ping log">
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

function Entry({ ping, opened, onToggle }: { ping: Ping; opened: boolean; onToggle: () => void }) {
  const { received_at, duration_ms, user_agent, source_class, method, body_bytes, body_excerpt, run_id, kind } = ping
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
        <span className={classes.took}>{duration_ms !== null && `took ${runInWords(duration_ms)}`}</span>
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
          <p>
            {method} from {sources[source_class]?.toLowerCase() ?? 'an unknown network'}
            {user_agent && ` by ${user_agent}`}
            {body_bytes > 0 ? `, with a body of ${body_bytes} bytes` : ', without a body'}
            {body_bytes > 0 && !body_excerpt && heartbeatsText('log.unstored')}
            {kind !== 'start' && duration_ms === null && run_id === null && '. How long it took is known where the job also pings /start'}.
          </p>
          {run_id && (
            <p>
              Run <code>{run_id}</code>
            </p>
          )}
        </div>
      )}
    </li>
  )
}
