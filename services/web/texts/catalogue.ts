/**
 * The dashboard's texts by area: pages written from now on take theirs from here. A text is plain,
 * or has places for values in braces, as ICU messages have them (`{count} open`): a library for
 * translations can take the catalogue over as it is. Keys, and the values that a text asks for, are
 * checked by the compiler.
 */
import { alerts } from './alerts.ts'
import { channels } from './channels.ts'
import { escalation } from './escalation.ts'
import { incidents } from './incidents.ts'
import { integrations } from './integrations.ts'
import { onCall } from './on-call.ts'
import { postmortems } from './postmortems.ts'
import { routing } from './routing.ts'
import { silences } from './silences.ts'
import { teams } from './teams.ts'
import { why } from './why.ts'

export const catalogue = {
  alerts,
  channels,
  escalation,
  incidents,
  integrations,
  onCall,
  postmortems,
  routing,
  silences,
  teams,
  why
} as const

type Catalogue = typeof catalogue
export type Area = keyof Catalogue
export type Key<A extends Area> = keyof Catalogue[A] & string

/** Names in braces. */
type Places<T> = T extends `${string}{${infer Name}}${infer Rest}` ? Name | Places<Rest> : never
type Values<T> = [Places<T>] extends [never] ? [] : [values: Readonly<Record<Places<T>, string | number>>]

/** `text` with its places filled; one without a value stays as it is written. */
export const filled = (text: string, values: Readonly<Record<string, string | number>>): string =>
  text.replace(/\{(\w+)\}/g, (place, name: string) => String(values[name] ?? place))

/** The text of a key, with its places filled. */
export const text = <A extends Area, K extends Key<A>>(area: A, key: K, ...[values]: Values<Catalogue[A][K]>): string =>
  filled(String(catalogue[area][key]), values ?? {})
