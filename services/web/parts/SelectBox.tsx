/** Selects one row of a list, to act on several. */
import { Checkbox } from '@mantine/core'
import { bulkText } from '../texts/bulk.ts'
import classes from './BulkFrame.module.css'

export interface SelectBoxProps {
  /** Of the thing. */
  name: string
  selected: boolean
  select: (selected: boolean) => void
}

/** The box of one row, beside its link. */
export function SelectBox({ name, selected, select }: SelectBoxProps) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the box is within it, by a component
    <label className={classes.box}>
      <Checkbox
        size="xs"
        checked={selected}
        onChange={(event) => select(event.currentTarget.checked)}
        aria-label={bulkText('bulk.one', { name })}
      />
    </label>
  )
}
