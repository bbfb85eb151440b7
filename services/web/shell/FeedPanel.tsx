/** The feed that the bell opens, beside it or over the page. */
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { FeedList } from '../pages/feed/FeedList.tsx'
import { type FeedFilter, toSearch } from '../pages/feed/search.ts'
import { shellText } from '../texts/shell.ts'
import classes from './FeedPanel.module.css'

/**
 * The filter is not stored in the address, because this is only a quick look. The feed's own page
 * stores it.
 */
export function ListedFeed({ onClose }: { onClose: () => void }) {
  const [filter, setFilter] = useState<FeedFilter>({ unread: false, category: [] })
  return (
    <>
      <FeedList filter={filter} change={setFilter} onOpen={onClose} short />
      <p className={classes.foot}>
        <Link to="/feed" search={toSearch(filter)} onClick={onClose}>
          {shellText('feed.page')}
        </Link>
      </p>
    </>
  )
}

export function FeedPanel({ onClose }: { onClose: () => void }) {
  return (
    <>
      <h2 className={classes.head}>{shellText('place.feed')}</h2>
      <ListedFeed onClose={onClose} />
    </>
  )
}
