/** The component that draws the notices. Only notices.ts loads it. */
import '@mantine/core/styles/Notification.css'
import '@mantine/notifications/styles.css'
import { Notifications } from '@mantine/notifications'

export { notifications } from '@mantine/notifications'

export const NoticeBoard = () => <Notifications position="bottom-right" />
