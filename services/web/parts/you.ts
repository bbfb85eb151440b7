/** Names of those who did something, for use inside sentences. */
import { namesText } from '../texts/names.ts'

/** The person who looks, as useNames names them. */
export const isYou = (name: string): boolean => name === namesText('you.begin')

/** Common nouns that `useNames` gives: inside a sentence they begin with a small letter. */
const ours = [
  'token.unknown',
  'integration.deleted',
  'somebody.left',
  'somebody.unknown',
  'part.monitor',
  'part.heartbeat',
  'part.timer',
  'part.api',
  'part.service'
] as const

/** A name that useNames gave, within a sentence and not at its beginning. */
export function inSentence(name: string): string {
  if (isYou(name)) return namesText('you.within')
  const key = ours.find((one) => namesText(one) === name)
  if (key !== undefined) return namesText(`${key}.within`)
  const token = namesText('token.named', { name: '' })
  return name.startsWith(token) ? namesText('token.named.within', { name: name.slice(token.length) }) : name
}
