/** What happens after an action on an alert succeeded. */
import { useShowAlert } from '../../api/alerts.ts'
import type { Alert } from '../../api/shapes.ts'
import { tellDone } from '../../parts/tell.ts'

/** Returns the handler that shows the alert as the server answered it, and closes the dialog. */
export function useSaved(onClose: () => void, done: string): (saved: Alert) => void {
  const show = useShowAlert()
  return (saved) => {
    show(saved)
    tellDone(done)
    onClose()
  }
}
