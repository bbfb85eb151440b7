/** Short messages about what was done, or why a change was undone. */
import { createElement, Fragment } from 'react'
import { toRefusal } from '../api/client.ts'
import { statesText } from '../texts/states.ts'
import { hideNotice, showNotice } from './notices.ts'
import { Retry } from './Retry.tsx'
import { explainAction } from './States.tsx'

const closeButtonProps = () => ({ 'aria-label': statesText('toast.dismiss') })
/** Long enough to read the reason and to press the button. */
const REFUSED_MS = 12_000
const RETRY_MS = 60_000

/** `bad`: the action ran, but its result is not good. */
export const tellDone = (message: string, outcome: 'good' | 'bad' = 'good'): void =>
  showNotice({
    message,
    color: outcome === 'good' ? 'green' : 'red',
    autoClose: outcome === 'good' ? 3_000 : 8_000,
    closeButtonProps: closeButtonProps()
  })

/** `retry` runs the action again; it is offered when a retry may succeed. */
export function tellRefused(what: string, error: unknown, retry?: () => void): void {
  const refusal = toRefusal(error)
  const { hint } = explainAction(refusal)
  const request = refusal.request_id ? ` ${statesText('toast.request', { id: refusal.request_id })}` : ''
  const offered = retry !== undefined && refusal.mayPass
  const id = `refused ${what}`
  const again = (): void => {
    hideNotice(id)
    retry?.()
  }
  // One message for each kind of action: a newer one replaces the older one.
  hideNotice(id)
  showNotice({
    id,
    title: statesText('toast.refused', { what }),
    message: createElement(Fragment, null, `${hint}${request}`, offered && createElement(Retry, { act: again })),
    color: 'red',
    autoClose: offered ? RETRY_MS : REFUSED_MS,
    closeButtonProps: closeButtonProps()
  })
}

/** Says that a part of the page does not load at the moment. The part appears once it does. */
export const tellMissing = (): void =>
  showNotice({
    id: 'missing part',
    title: statesText('part.title'),
    message: statesText(navigator.onLine ? 'part.hint' : 'part.offline'),
    color: 'red',
    autoClose: REFUSED_MS,
    closeButtonProps: closeButtonProps()
  })
