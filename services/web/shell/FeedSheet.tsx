/** The feed on a narrow screen, over the whole page. */
import { Drawer } from '@mantine/core'
import '@mantine/core/styles/Drawer.css'
import { shellText } from '../texts/shell.ts'
import classes from './FeedPanel.module.css'
import { ListedFeed } from './FeedPanel.tsx'

export function FeedSheet({ onClose }: { onClose: () => void }) {
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size="100%"
      title={shellText('place.feed')}
      classNames={{ content: classes.sheet, header: classes.sheet }}
      closeButtonProps={{ 'aria-label': shellText('dialog.close'), size: 44 }}
    >
      <ListedFeed onClose={onClose} />
    </Drawer>
  )
}
