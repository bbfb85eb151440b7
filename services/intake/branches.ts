/**
 * Decides which runs of a CI system count: only those of watched branches. Otherwise every feature
 * branch would open an incident that nobody closes.
 *
 * Source: docs/design/inbound-sources.md#s23 to #s26.
 */
import { textsOption } from './readers.ts'
import type { Json, Setting } from './source.ts'

const MAX_BRANCHES = 50

/**
 * Describes the option `branches`. `otherwise` is a phrase that says which branches count when the
 * option is not set.
 */
export const branchesSetting = (otherwise: string): Setting => ({
  type: 'texts',
  most: MAX_BRANCHES,
  description: `The branches whose runs open and resolve incidents; "release/*" takes all that begin with "release/", "*" takes any. Not set: ${otherwise}.`
})

/**
 * Returns whether runs of a branch count. `otherwise` lists the branches that count when the option
 * is not set; when it is empty, every branch counts.
 */
export function isWatched(options: Json, branch: string | null, otherwise: readonly string[]): boolean {
  const chosen = textsOption(options, 'branches')
  const names = chosen.length > 0 ? chosen : otherwise
  if (names.length === 0) return true
  return branch !== null && names.some((name) => (name.endsWith('*') ? branch.startsWith(name.slice(0, -1)) : branch === name))
}

const subject = /^[^\r\n]*/

/** Returns the first line of a commit message. */
export const firstLine = (message: string | null): string | null => (message === null ? null : (subject.exec(message)?.[0] ?? null))
