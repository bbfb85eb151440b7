/** Selects one row of a list, to act on several. */
import { memo } from 'react'
import { bulkText } from '../texts/bulk.ts'
import classes from './BulkFrame.module.css'

export interface SelectBoxProps {
  id: string
  /** Of the thing. */
  name: string
  selected: boolean
  select: (id: string, selected: boolean) => void
}

/**
 * The box of one row, beside its link. The browser's own: a list draws a dozen at once while it is
 * scrolled, and those of the library cost more than the rest of the row.
 */
export const SelectBox = memo(function SelectBox({ id, name, selected, select }: SelectBoxProps) {
  return (
    <label className={classes.box}>
      <input
        type="checkbox"
        className={classes.check}
        checked={selected}
        onChange={(event) => select(id, event.currentTarget.checked)}
        aria-label={bulkText('bulk.one', { name })}
      />
    </label>
  )
})
