/**
 * The feed items that match the filter, newest first, with a button for older ones. The list is
 * shown on its own page and under the bell.
 *
 * Source: specification 2.5.
 */
import { Button } from '@mantine/core'
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Inbox, MailCheck } from 'lucide-react'
import { useRef } from 'react'
import { feedQuery, unreadQuery } from '../../api/feed.ts'
import { useMark, useMarkAll } from '../../api/feed-marks.ts'
import type { FeedItem } from '../../api/shapes.ts'
import { Awaiting, Empty } from '../../parts/States.tsx'
import { useSteps } from '../../parts/steps.ts'
import { Toggles } from '../../parts/Toggles.tsx'
import { feedText } from '../../texts/feed.ts'
import classes from './FeedList.module.css'
import { FeedRow } from './FeedRow.tsx'
import { categories, type FeedFilter } from './search.ts'
import { unreadOf } from './words.ts'

export interface FeedListProps {
  filter: FeedFilter
  change: (filter: FeedFilter) => void
  /** An item was opened. */
  onOpen?: () => void
  /** For little space: long texts are cut. */
  short?: boolean
}

const HEIGHT = 84

export function FeedList({ filter, change, onOpen, short = false }: FeedListProps) {
  const asked = useInfiniteQuery({
    ...feedQuery(filter),
    placeholderData: keepPreviousData
  })
  const { data, hasNextPage, fetchNextPage, isFetchingNextPage, isPlaceholderData } = asked
  const { data: count } = useQuery(unreadQuery)
  const { mutate: mark } = useMark()
  const { mutate: markAll } = useMarkAll()
  const list = useRef<HTMLUListElement>(null)
  useSteps(list, 'a')
  const items: FeedItem[] | undefined = data?.pages.flatMap((page) => page.items)
  const newest = items?.[0]
  const unread = count && unreadOf(count, filter.category)

  return (
    <>
      <div className={classes.filters} data-short={short || undefined}>
        <Toggles
          label={feedText('filter.which')}
          toggles={[{ word: 'unread', label: feedText('filter.unread'), ...(unread !== undefined && { count: unread }) }]}
          pressed={filter.unread ? ['unread'] : []}
          onChange={(pressed) => change({ ...filter, unread: pressed.length > 0 })}
        />
        <div className={classes.categories}>
          <Toggles
            label={feedText('filter.category')}
            toggles={categories.map((word) => ({ word, label: feedText(`category.${word}`) }))}
            pressed={filter.category}
            onChange={(category) => change({ ...filter, category })}
          />
        </div>
        <Button
          variant="subtle"
          size="compact-sm"
          className={classes.all}
          disabled={!newest || !unread || isPlaceholderData}
          onClick={() => newest && markAll({ category: filter.category, before: newest.created_at })}
        >
          {feedText('list.mark_all')}
        </Button>
      </div>
      {!items ? (
        <Awaiting of={asked} rows={4} height={HEIGHT} />
      ) : items.length === 0 ? (
        <Nothing filter={filter} change={change} />
      ) : (
        <ul ref={list} className={classes.items} aria-label={feedText('page.title')} data-short={short || undefined}>
          {items.map((item) => (
            <FeedRow
              key={item.id}
              item={item}
              mark={(read) => mark({ item, read })}
              onOpen={() => {
                if (item.read_at === null) mark({ item, read: true })
                onOpen?.()
              }}
            />
          ))}
        </ul>
      )}
      {hasNextPage && (
        <Button
          variant="default"
          className={classes.older}
          loading={isFetchingNextPage}
          disabled={isPlaceholderData}
          onClick={() => void fetchNextPage()}
        >
          {feedText('list.older')}
        </Button>
      )}
    </>
  )
}

function Nothing({ filter, change }: Pick<FeedListProps, 'filter' | 'change'>) {
  if (filter.category.length > 0 || filter.unread) {
    return (
      <Empty
        icon={MailCheck}
        title={feedText(filter.unread ? 'empty.unread' : 'empty.category')}
        action={
          <Button variant="default" onClick={() => change({ unread: false, category: [] })}>
            {feedText('empty.clear')}
          </Button>
        }
      />
    )
  }
  return (
    <Empty icon={Inbox} title={feedText('empty.none')}>
      {feedText('empty.hint')}
    </Empty>
  )
}
