/**
 * tap itself, also within dist-test, where its name leads to own-test.ts (build.ts).
 */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { TAP } from 'tap'
import { projectRoot } from '../../schemas/files.ts'

const { t: whole } = (await import(pathToFileURL(join(projectRoot, 'node_modules/tap/dist/esm/main.js')).href)) as { t: TAP }

export const t = whole
