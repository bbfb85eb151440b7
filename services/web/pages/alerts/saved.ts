/** What an action on an alert ends with. */
import { useShowAlert } from '../../api/alerts.ts'
import type { Alert } from '../../api/shapes.ts'
import { tellDone } from '../../parts/tell.ts'

/** What the server answered is shown, and the dialog has done its work. */
export function useSaved(onClose: () => void, done: string): (saved: Alert) => void {
  const show = useShowAlert()
  return (saved) => {
    show(saved)
    tellDone(done)
    onClose()
  }
}
