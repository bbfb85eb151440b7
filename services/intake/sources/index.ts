// Written by `npm run generate` from the files of this folder. Never edited by hand.
import type { Source } from '../source.ts'
import { alertmanager } from './alertmanager.ts'
import { generic } from './generic.ts'

export const sources: Readonly<Record<string, Source>> = { alertmanager, generic }
