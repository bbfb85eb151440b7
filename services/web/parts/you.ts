/** The person who looks, as their name stands in sentences. */
import { namesText } from '../texts/names.ts'

/** The person, as useNames names them; within a sentence, not at its beginning. */
export const isYou = (name: string): boolean => name === namesText('you.begin')
export const inSentence = (name: string): string => (isYou(name) ? namesText('you.within') : name)
