/** The feed on a narrow screen, over everything. */
import { Drawer } from '@mantine/core'
import classes from './FeedPanel.module.css'
import { ListedFeed } from './FeedPanel.tsx'

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
      <ListedFeed onClose={onClose} />
    </Drawer>
  )
}
