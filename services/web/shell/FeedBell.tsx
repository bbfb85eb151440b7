/**
 * The bell: how many items of the feed are unread; it opens them beside it, on a narrow screen over
 * it. Their list is loaded when it is first opened.
 */
import { Popover, UnstyledButton } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { Bell } from 'lucide-react'
import { Suspense, useState } from 'react'
import { unreadQuery } from '../api/feed.ts'
import { lazyPart } from '../parts/part.ts'
import { Loading } from '../parts/States.tsx'
import classes from './FeedBell.module.css'

const Panel = lazyPart(async () => (await import('./FeedPanel.tsx')).FeedPanel)
const Sheet = lazyPart(async () => (await import('./FeedPanel.tsx')).FeedSheet)

const MOST = 99

export function FeedBell() {
  const { data } = useQuery(unreadQuery)
  const narrow = useMediaQuery('(max-width: 899px)', undefined, { getInitialValueInEffect: false })
  const [opened, setOpened] = useState(false)
  const close = (): void => setOpened(false)
  const unread = data?.total ?? 0
  const bell = (
    <UnstyledButton className={classes.bell} onClick={() => setOpened(!opened)} aria-haspopup="dialog" aria-expanded={opened}>
      <Bell size={17} aria-hidden />
      <span className={classes.word}>Feed</span>
      {unread > 0 && (
        <b className={classes.count}>
          {unread > MOST ? `${MOST}+` : unread}
          <span className="unseen"> unread</span>
        </b>
      )}
    </UnstyledButton>
  )
  if (narrow)
    return (
      <>
        {bell}
        {opened && (
          <Suspense>
            <Sheet onClose={close} />
          </Suspense>
        )}
      </>
    )
  return (
    <Popover opened={opened} onChange={setOpened} position="right-end" width="27rem" shadow="md" trapFocus returnFocus>
      <Popover.Target>{bell}</Popover.Target>
      <Popover.Dropdown className={classes.panel} aria-label="Feed">
        <Suspense fallback={<Loading rows={4} height={84} />}>
          <Panel onClose={close} />
        </Suspense>
      </Popover.Dropdown>
    </Popover>
  )
}
