/**
 * The pages that a person recently viewed in this tab, for the search before anything is typed.
 * They belong to one person in one workspace, so the next person who logs in does not see them.
 */

import type { Visited } from './hits.ts'

const KEY = 'recent'
const MOST = 8
/**
 * Pages of single things. Lists already appear in the search as places. A page that was opened by
 * the key of an incident gets the address with the id at once.
 */
const ONE =
  /^\/(?:incidents(?!\/[Ii][Nn][Cc]-\d+$)|alerts|silences|monitors|heartbeats|integrations|on-call\/(?:schedules|policies)|settings\/(?:teams|channels|routing|templates))\/(?!new$|certificates$|groups$|try$|versions$|backtest$)[^/]+$/

let owner = ''

interface Kept {
  owner: string
  visited: Visited[]
}

function kept(): Visited[] {
  const text = sessionStorage.getItem(KEY)
  if (text === null || owner === '') return []
  // Only the dashboard writes the value. A value of another owner, or in an older form, is ignored.
  const { owner: whose, visited } = JSON.parse(text) as Kept
  return whose === owner && Array.isArray(visited) ? visited : []
}

/** Sets the owner of the visits from now on: a person in a workspace. */
export const visitsOf = (person: string): void => {
  owner = person
}

/** Records a visit once the page has its title. */
export function noteVisit(path: string, title: string): void {
  if (owner === '' || !ONE.test(path)) return
  const visited = [{ path, title }, ...kept().filter((one) => one.path !== path)].slice(0, MOST)
  sessionStorage.setItem(KEY, JSON.stringify({ owner, visited } satisfies Kept))
}

/** Returns the visits, newest first, without the current page. */
export const lastVisits = (path: string): Visited[] => kept().filter((one) => one.path !== path)
