/** The real tap, also within dist-test, where the name `tap` resolves to own-test.ts (build.ts). */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { TAP } from 'tap'
import { projectRoot } from '../../schemas/files.ts'

const main = join(projectRoot, 'node_modules/tap/dist/esm/main.js')

export const { t } = (await import(pathToFileURL(main).href)) as { t: TAP }
