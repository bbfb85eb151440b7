/**
 * The bell with the number of unread items of the feed. It opens the feed beside itself or, on a
 * narrow screen, over the page. The code of the opened feed loads on first use.
 */
import { useMediaQuery } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { Suspense, useState } from 'react'
import { unreadQuery } from '../api/feed.ts'
import { lazyPart, loadAhead } from '../parts/part.ts'
import { useWanted } from '../parts/use-wanted.ts'
import { Bell } from './Bell.tsx'

const load = () => import('./FeedPopover.tsx')
const sign = loadAhead(load)
const FeedPopover = lazyPart(async () => (await load()).FeedPopover)
const FeedSheet = lazyPart(async () => (await import('./FeedSheet.tsx')).FeedSheet)

export function FeedBell() {
  const { data } = useQuery(unreadQuery)
  const narrow = useMediaQuery('(max-width: 899px)', undefined, { getInitialValueInEffect: false })
  const [opened, setOpened] = useState(false)
  const wanted = useWanted(opened && !narrow)
  const unread = data?.total ?? 0
  const bell = <Bell unread={unread} opened={opened} onClick={() => setOpened(!opened)} onPointerEnter={sign} />
  if (narrow)
    return (
      <>
        {bell}
        {opened && (
          <Suspense>
            <FeedSheet onClose={() => setOpened(false)} />
          </Suspense>
        )}
      </>
    )
  if (!wanted) return bell
  return (
    <Suspense fallback={bell}>
      <FeedPopover unread={unread} opened={opened} onChange={setOpened} />
    </Suspense>
  )
}
