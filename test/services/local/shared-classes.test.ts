/** The archive of parsed classes, with a real JVM and the tool of Kafka that formats a log. */
import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { fetchKafka } from '../../../services/local/fetch.ts'
import { findJava } from '../../../services/local/java.ts'
import { sharedClasses } from '../../../services/local/shared-classes.ts'

const run = promisify(execFile)
const jvm = findJava()
const folder = mkdtempSync(join(tmpdir(), 'service-test-classes-'))
const archive = join(folder, `classes-${jvm.version}.jsa`)
t.teardown(() => rmSync(folder, { recursive: true, force: true }))

/** Runs Kafka's tool to its end, and returns how many classes it took from the archive. */
async function start(jars: string): Promise<number> {
  const options = sharedClasses(folder, jvm)
  const words = [...options, '-Xlog:class+load', '-cp', join(jars, '*'), 'kafka.tools.StorageTool', 'random-uuid']
  const { stdout } = await run(join(jvm.home, 'bin/java'), words, { maxBuffer: 64 * 1024 * 1024 })
  return stdout.split('\n').filter((line) => line.includes('shared objects file (top)')).length
}

t.test('an archive that was cut off is made again', { timeout: 300_000 }, async (t) => {
  const jars = await fetchKafka(jvm, AbortSignal.timeout(120_000))
  // A JVM that is killed while it writes leaves zeros at the start of the file.
  writeFileSync(archive, Buffer.alloc(1_048_576))
  t.equal(await start(jars), 0, 'the first start has no archive')
  t.ok((await start(jars)) > 0, 'the second one uses that of the first')
  const { mtimeMs } = statSync(archive)
  sharedClasses(folder, jvm)
  t.equal(statSync(archive).mtimeMs, mtimeMs, 'a whole archive is kept')
})

t.test('an empty archive is deleted, too', (t) => {
  writeFileSync(archive, '')
  sharedClasses(folder, jvm)
  t.notOk(existsSync(archive))
  t.end()
})
