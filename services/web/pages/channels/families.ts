/** Groups the kinds of channels by family, in the order in which people look for them. Pure. */
import type { ChannelKindItem } from '../../api/shapes.ts'
import { channelsText } from '../../texts/channels.ts'

export const families = ['chat', 'email', 'telephony', 'push', 'paging', 'ticketing', 'webhook', 'topic'] as const
export type Family = (typeof families)[number]

export interface Group {
  family: Family
  kinds: ChannelKindItem[]
}

const isFamily = (word: string): word is Family => families.some((family) => family === word)

export const familyName = (family: string): string => (isFamily(family) ? channelsText(`family.${family}`) : family)

/**
 * Returns the kinds that contain `q` in their name, kind, family or description, sorted by name
 * within each family.
 */
export function grouped(kinds: readonly ChannelKindItem[], q: string): Group[] {
  const wanted = q.trim().toLowerCase()
  const found = kinds.filter(({ kind, name, hint, family }) =>
    `${kind} ${name} ${hint} ${familyName(family)}`.toLowerCase().includes(wanted)
  )
  return families
    .map((family) => ({
      family,
      kinds: found.filter((one) => one.family === family).sort((a, b) => a.name.localeCompare(b.name))
    }))
    .filter((group) => group.kinds.length > 0)
}
