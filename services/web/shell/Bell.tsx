/** The button with the bell and the number of unread items. */
import { UnstyledButton } from '@mantine/core'
import { Bell as BellIcon } from 'lucide-react'
import type { ComponentProps } from 'react'
import { shellText } from '../texts/shell.ts'
import classes from './FeedBell.module.css'

const MOST = 99

export function Bell({ unread, opened, ...props }: { unread: number; opened: boolean } & ComponentProps<'button'>) {
  return (
    <UnstyledButton {...props} className={classes.bell} aria-haspopup="dialog" aria-expanded={opened}>
      <BellIcon size={17} aria-hidden />
      <span className={classes.word}>{shellText('place.feed')}</span>
      {unread > 0 && (
        <b className={classes.count}>
          {unread > MOST ? `${MOST}+` : unread}
          <span className="unseen"> {shellText('feed.unread')}</span>
        </b>
      )}
    </UnstyledButton>
  )
}
