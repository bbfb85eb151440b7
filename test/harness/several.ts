/**
 * Runs compiled test files one after the other in one process. Their shared imports are loaded
 * once, because loading takes longer than most files run. In each file, `t` is a subtest named
 * after the file. When it has ended, its counts and its CPU time are printed, as for a process of
 * its own. The files are named in an environment variable, because tap makes folder names of
 * arguments.
 */
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { usedSeconds } from './cpu.ts'
import { running } from './running-test.ts'
import { t } from './whole-tap.ts'

/** Environment variable: a JSON list of files. */
const FILES = 'TEST_FILES'
/** Environment variable: the folder of the compiled files. */
const OUT = 'TEST_OUT'

const files = JSON.parse(process.env[FILES] ?? '[]') as string[]
const urlOf = (file: string): string => pathToFileURL(resolve(join(process.env[OUT] ?? '', file.replace(/\.ts$/, '.js')))).href

let before = 0
for (const file of files) {
  const ran = t.test(file, async (its) => {
    running.test = its
    await import(urlOf(file))
  })
  await ran
  const used = usedSeconds()
  t.comment(ran.subtest?.counts.toJSON())
  t.comment(`cpu=${(used - before).toFixed(2)}`)
  before = used
}
