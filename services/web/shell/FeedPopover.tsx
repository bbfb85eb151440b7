/** The feed beside its bell. It loads on first use and takes the place of the bell. */
import { Popover } from '@mantine/core'
import { useTakenPlace } from '../parts/taken-place.ts'
import { shellText } from '../texts/shell.ts'
import { Bell } from './Bell.tsx'
import classes from './FeedBell.module.css'
import { FeedPanel } from './FeedPanel.tsx'

export interface FeedPopoverProps {
  unread: number
  opened: boolean
  onChange: (opened: boolean) => void
}

export function FeedPopover({ unread, opened, onChange }: FeedPopoverProps) {
  const { button, isThere } = useTakenPlace()
  return (
    <Popover opened={isThere && opened} onChange={onChange} position="right-end" width="27rem" shadow="md" trapFocus returnFocus>
      <Popover.Target>
        <Bell ref={button} unread={unread} opened={opened} onClick={() => onChange(!opened)} />
      </Popover.Target>
      <Popover.Dropdown className={classes.panel} aria-label={shellText('place.feed')}>
        <FeedPanel onClose={() => onChange(false)} />
      </Popover.Dropdown>
    </Popover>
  )
}
