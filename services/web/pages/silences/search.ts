/** Search parameters in the addresses of these pages. */
import { type SilenceState, silenceStates } from '../../../../schemas/http/silence-words.ts'
import { idOf, pageOf, wordsOf } from '../../search.ts'

export interface SilencesSearch {
  /** States separated by commas; if absent, every state. */
  state?: string
  page?: number
}

export const silencesSearch = ({ state, page }: Record<string, unknown>): SilencesSearch => {
  const states = wordsOf(state, silenceStates)
  const at = pageOf(page)
  return { ...(states.length > 0 && { state: states.join(',') }), ...(at !== undefined && { page: at }) }
}

export const statesOf = ({ state }: SilencesSearch): SilenceState[] => wordsOf(state, silenceStates)

/** What a new silence starts from: an incident, an alert or an earlier silence. */
export const silenceSearch = ({ incident, alert, like }: Record<string, unknown>): { incident?: string; alert?: string; like?: string } => {
  const found = { incident: idOf(incident), alert: idOf(alert), like: idOf(like) }
  return Object.fromEntries(Object.entries(found).filter(([, id]) => id !== undefined))
}
