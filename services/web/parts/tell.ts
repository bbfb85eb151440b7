/** Short words about what was done, or why a change was taken back. */
import { createElement, Fragment } from 'react'
import { toRefusal } from '../api/client.ts'
import { hideNotice, showNotice } from './notices.ts'
import { Retry } from './Retry.tsx'
import { explainAction } from './States.tsx'

const closeButtonProps = { 'aria-label': 'Dismiss' }
/** Time to read why, and to press the button. */
const REFUSED_MS = 12_000
const RETRY_MS = 60_000

/** `bad`: it was done, and what came of it is not good. */
export const tellDone = (message: string, outcome: 'good' | 'bad' = 'good'): void =>
  showNotice({
    message,
    color: outcome === 'good' ? 'green' : 'red',
    autoClose: outcome === 'good' ? 3_000 : 8_000,
    closeButtonProps
  })

/** `retry` does it once more; it is offered where that may go well. */
export function tellRefused(what: string, error: unknown, retry?: () => void): void {
  const refusal = toRefusal(error)
  const { hint } = explainAction(refusal)
  const request = refusal.request_id ? ` Request ${refusal.request_id}.` : ''
  const offered = retry !== undefined && refusal.mayPass
  const id = `refused ${what}`
  const again = (): void => {
    hideNotice(id)
    retry?.()
  }
  // One for each thing that was tried: the newest counts.
  hideNotice(id)
  showNotice({
    id,
    title: `${what} did not work`,
    message: createElement(Fragment, null, `${hint}${request}`, offered && createElement(Retry, { act: again })),
    color: 'red',
    autoClose: offered ? RETRY_MS : REFUSED_MS,
    closeButtonProps
  })
}

/** A part of the page does not load just now; it appears when it does. */
export const tellMissing = (): void =>
  showNotice({
    id: 'missing part',
    title: 'This did not load',
    message: navigator.onLine
      ? 'It is tried again in a few seconds. If it does not appear, load the page again.'
      : 'This device has no network. It opens by itself when the network is back.',
    color: 'red',
    autoClose: REFUSED_MS,
    closeButtonProps
  })
