/** Parses the addresses of the maintenance pages. */
import { type WindowState, windowStates } from '../../../../schemas/http/maintenance-words.ts'
import { idOf, pageOf, wordOf, wordsOf } from '../../search.ts'

const views = ['list', 'calendar', 'deployments'] as const
export type View = (typeof views)[number]

export interface MaintenanceSearch {
  /** Missing: the list. */
  view?: View
  /** States, separated by commas. Absent: every state. */
  state?: string
  page?: number
  /** The position of the calendar, in weeks from now. */
  at?: number
}

export const maintenanceSearch = ({ view, state, page, at }: Record<string, unknown>): MaintenanceSearch => {
  const shown = wordOf(view, views)
  const states = wordsOf(state, windowStates)
  const paged = pageOf(page)
  const weeks = Number(at)
  return {
    ...(shown !== undefined && shown !== 'list' && { view: shown }),
    ...(states.length > 0 && { state: states.join(',') }),
    ...(paged !== undefined && { page: paged }),
    ...(Number.isInteger(weeks) && weeks !== 0 && Math.abs(weeks) <= 52 && { at: weeks })
  }
}

export const statesOf = ({ state }: MaintenanceSearch): WindowState[] => wordsOf(state, windowStates)

/** Parses what a new window starts from: a monitor, or an earlier window. */
export const newWindowSearch = ({ monitor, like }: Record<string, unknown>): { monitor?: string; like?: string } => {
  const found = { monitor: idOf(monitor), like: idOf(like) }
  return Object.fromEntries(Object.entries(found).filter(([, id]) => id !== undefined))
}
