/**
 * Below a list of more than one page: which part is shown, and buttons to the next and previous
 * page.
 */
import { Button } from '@mantine/core'
import { listsText } from '../texts/lists.ts'
import classes from './Pager.module.css'

export interface PagerProps {
  /** From 1 on. */
  page: number
  perPage: number
  total: number
  /** The requested page is still loading. */
  waits?: boolean
  go: (page: number | undefined) => void
}

export function Pager({ page, perPage, total, waits = false, go }: PagerProps) {
  const last = Math.max(1, Math.ceil(total / perPage))
  if (last === 1 && page === 1) return null
  const first = (page - 1) * perPage + 1
  return (
    <nav className={classes.pager} aria-label={listsText('pager.label')}>
      <span>{listsText('pager.part', { first, last: Math.min(total, page * perPage), total })}</span>
      <Button variant="default" disabled={page === 1 || waits} onClick={() => go(page > 2 ? page - 1 : undefined)}>
        {listsText('pager.before')}
      </Button>
      <Button variant="default" disabled={page >= last || waits} onClick={() => go(page + 1)}>
        {listsText('pager.next')}
      </Button>
    </nav>
  )
}
