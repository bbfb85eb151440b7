/**
 * Test files, compiled, one after the other in one process: what they import is loaded once, which
 * takes longer than what most of them do. To each file `t` is a test of its own that is named after
 * it; when it has ended, its counts follow, as they do in a process of its own, and what it took of
 * a processor. The files are named in the environment: of arguments tap makes names of folders.
 */
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { usedSeconds } from './cpu.ts'
import { running } from './running-test.ts'
import { t } from './whole-tap.ts'

/** Variable with a JSON list of files. */
const FILES = 'TEST_FILES'
/** Variable with the folder of what was compiled. */
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
