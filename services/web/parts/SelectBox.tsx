/** The checkbox of one row of a list, to act on several rows. */
import { memo } from 'react'
import { bulkText } from '../texts/bulk.ts'
import classes from './BulkFrame.module.css'

export interface SelectBoxProps {
  id: string
  /** The name of the thing that is selected. */
  name: string
  selected: boolean
  select: (id: string, selected: boolean) => void
}

/**
 * The checkbox stands beside the row's link. It is the browser's own: scrolling draws a dozen rows
 * at once, and the library's checkbox costs more than the rest of the row.
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
