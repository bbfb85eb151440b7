/** Names of people and other actors, for use inside sentences. */
import { namesText } from '../texts/names.ts'

/** Whether the name is the viewer's own, as useNames gives it. */
export const isYou = (name: string): boolean => name === namesText('you.begin')

/** Common nouns that `useNames` gives. Inside a sentence they begin with a lower-case letter. */
const ours = [
  'token.unknown',
  'integration.deleted',
  'integration.unknown',
  'somebody.left',
  'somebody.unknown',
  'part.monitor',
  'part.heartbeat',
  'part.timer',
  'part.api',
  'part.service'
] as const

/** Returns a name from useNames as written within a sentence, not at its beginning. */
export function inSentence(name: string): string {
  if (isYou(name)) return namesText('you.within')
  const key = ours.find((one) => namesText(one) === name)
  if (key !== undefined) return namesText(`${key}.within`)
  const token = namesText('token.named', { name: '' })
  return name.startsWith(token) ? namesText('token.named.within', { name: name.slice(token.length) }) : name
}
