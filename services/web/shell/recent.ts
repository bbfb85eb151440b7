/**
 * The last things that a person looked at, in this tab: for search, before anything is typed. They
 * belong to one person in one workspace; whoever is logged in next sees none of them.
 */

import type { Visited } from './hits.ts'

const KEY = 'recent'
const MOST = 8
/** Pages of one thing; lists have a place of their own in the search. */
const ONE =
  /^\/(?:incidents|alerts|silences|monitors|heartbeats|integrations|on-call\/(?:schedules|policies)|settings\/(?:teams|channels|routing|templates))\/(?!new$|certificates$|groups$|try$|versions$|backtest$)[^/]+$/

let owner = ''

interface Kept {
  owner: string
  visited: Visited[]
}

function kept(): Visited[] {
  const text = sessionStorage.getItem(KEY)
  if (text === null || owner === '') return []
  // Written by this page alone; what an older one wrote is of no use.
  const { owner: whose, visited } = JSON.parse(text) as Kept
  return whose === owner && Array.isArray(visited) ? visited : []
}

/** Whose visits count from now on: a person in a workspace. */
export const visitsOf = (person: string): void => {
  owner = person
}

/** The page that is shown got its title. */
export function noteVisit(path: string, title: string): void {
  if (owner === '' || !ONE.test(path)) return
  const visited = [{ path, title }, ...kept().filter((one) => one.path !== path)].slice(0, MOST)
  sessionStorage.setItem(KEY, JSON.stringify({ owner, visited } satisfies Kept))
}

/** Newest first, without the page that is shown. */
export const lastVisits = (path: string): Visited[] => kept().filter((one) => one.path !== path)
