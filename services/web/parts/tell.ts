/** Short words about what was done, or why a change was taken back. */
import { notifications } from '@mantine/notifications'
import { toRefusal } from '../api/client.ts'
import { explain } from './States.tsx'

const closeButtonProps = { 'aria-label': 'Dismiss' }

/** `bad`: it was done, and what came of it is not good. */
export const tellDone = (message: string, outcome: 'good' | 'bad' = 'good'): void =>
  void notifications.show({
    message,
    color: outcome === 'good' ? 'green' : 'red',
    autoClose: outcome === 'good' ? 3_000 : 8_000,
    closeButtonProps
  })

export function tellRefused(what: string, error: unknown): void {
  const refusal = toRefusal(error)
  const { hint } = explain(refusal)
  const request = refusal.request_id ? ` Request ${refusal.request_id}.` : ''
  notifications.show({ title: `${what} did not work`, message: `${hint}${request}`, color: 'red', autoClose: 12_000, closeButtonProps })
}
