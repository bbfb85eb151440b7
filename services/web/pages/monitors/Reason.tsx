/** Why a check failed, in words. */
import type { Check } from '../../api/shapes.ts'
import { reasonWord } from './words.ts'

export const Reason = ({ reason }: { reason: NonNullable<Check['reason']> }) => reasonWord(reason)
