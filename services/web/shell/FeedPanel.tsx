/** The feed behind the bell: beside it, or on a narrow screen over everything. */
import { Drawer } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { FeedList } from '../pages/feed/FeedList.tsx'
import { type FeedFilter, toSearch } from '../pages/feed/search.ts'
import classes from './FeedPanel.module.css'

/** Kept here, not in the address: it is a look aside. The page of its own has the address. */
function Listed({ onClose }: { onClose: () => void }) {
  const [filter, setFilter] = useState<FeedFilter>({ unread: false, category: [] })
  return (
    <>
      <FeedList filter={filter} change={setFilter} onOpen={onClose} short />
      <p className={classes.foot}>
        <Link to="/feed" search={toSearch(filter)} onClick={onClose}>
          Open as a page
        </Link>
      </p>
    </>
  )
}

export function FeedPanel({ onClose }: { onClose: () => void }) {
  return (
    <>
      <h2 className={classes.head}>Feed</h2>
      <Listed onClose={onClose} />
    </>
  )
}

export function FeedSheet({ onClose }: { onClose: () => void }) {
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size="100%"
      title="Feed"
      classNames={{ content: classes.sheet, header: classes.sheet }}
      closeButtonProps={{ 'aria-label': 'Close', size: 44 }}
    >
      <Listed onClose={onClose} />
    </Drawer>
  )
}
