/** Downloading the engines, with scripts in place of Maven. */
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { fetchKafka, fetchRegistry } from '../../../services/local/fetch.ts'

const jvm = { home: '/nowhere', version: '25' }
const never = new AbortController().signal
/** An empty file, as `touch` makes it. */
const EMPTY = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'
const jars = [{ name: 'kafka', version: '1', sha256: EMPTY }]

/**
 * Makes a folder with a program called mvn that runs `script`; $folder is where the files are
 * expected.
 */
function maven(t: Test, script: string): { cache: string; log: string } {
  const root = t.testdir({ bin: {}, cache: {} })
  const file = join(root, 'bin/mvn')
  const find = 'for word in "$@"; do case "$word" in -DoutputDirectory=*) folder="$' + '{word#*=}";; esac; done'
  writeFileSync(file, `#!/bin/sh\necho "$@" >> ${root}/log\n${find}\n${script}\n`)
  chmodSync(file, 0o755)
  const path = process.env.PATH
  process.env.PATH = `${join(root, 'bin')}:${path}`
  delete process.env.MAVEN_HOME
  delete process.env.M2_HOME
  t.teardown(() => {
    process.env.PATH = path
  })
  return { cache: join(root, 'cache'), log: join(root, 'log') }
}

t.test('jars are downloaded once', async (t) => {
  const { cache, log } = maven(t, 'touch "$folder/kafka-1.jar"')
  const folder = await fetchKafka(jvm, never, cache, jars)
  t.same(readdirSync(folder), ['kafka-1.jar'])
  writeFileSync(log, '')
  t.equal(await fetchKafka(jvm, never, cache, jars), folder)
  t.same(readdirSync(cache).length, 1)
})

t.test('an error of Maven is passed on, and no partial download stays', async (t) => {
  const { cache } = maven(t, 'touch "$folder/half.jar"; echo "[ERROR] Could not transfer artifact: connection refused"; exit 1')
  await t.rejects(fetchKafka(jvm, never, cache, jars), {
    message: /Maven could not fetch .*Could not transfer artifact: connection refused/
  })
  t.same(readdirSync(cache), [])
})

t.test('a failed download is retried', async (t) => {
  const { cache, log } = maven(t, 'touch "$folder/kafka-1.jar"; [ "$(wc -l < "$(dirname "$0")/../log")" -ge 3 ] || exit 1')
  const folder = await fetchKafka(jvm, never, cache, jars)
  t.same(readdirSync(folder), ['kafka-1.jar'])
  const asked = readFileSync(log, 'utf8').trim().split('\n')
  t.same(
    asked.map((words) => words.includes(' -U ')),
    [false, true, true],
    'and not answered from what Maven remembers'
  )
})

t.test('of two concurrent downloads the slower one uses the finished folder', async (t) => {
  // Plays two downloads: this one finds the folder there when it is done, because the other was
  // faster.
  const { cache } = maven(t, 'touch "$folder/kafka-1.jar"; mkdir -p "$' + '{folder%.*.half}"; touch "$' + '{folder%.*.half}/kafka-1.jar"')
  const folder = await fetchKafka(jvm, never, cache, jars)
  t.same(readdirSync(folder), ['kafka-1.jar'])
  t.same(readdirSync(cache).length, 1, 'and nothing half done stays')
})

t.test('an archive with another checksum than the pinned one is refused', async (t) => {
  const { cache } = maven(t, 'echo other > "$folder/apicurio-registry-app-3.3.3-all.tar.gz"')
  await t.rejects(fetchRegistry(jvm, never, cache), { message: /has the SHA-256 [0-9a-f]{64}, expected 8bc6751c/ })
  t.same(readdirSync(cache), [])
})

t.test('a jar that is not pinned, has another checksum or is missing is refused', async (t) => {
  const cases: [string, RegExp][] = [
    ['echo other > "$folder/kafka-1.jar"', /kafka-1\.jar has the SHA-256 [0-9a-f]{64}, expected e3b0c442/],
    ['touch "$folder/kafka-1.jar" "$folder/extra-1.jar"', /extra-1\.jar is none of the jars that .* pins/],
    ['true', /kafka-1\.jar is pinned by .*, and Maven did not give it/]
  ]
  for (const [script, message] of cases) {
    await t.test(script, async (t) => {
      const { cache } = maven(t, script)
      await t.rejects(fetchKafka(jvm, never, cache, jars), { message })
      t.same(readdirSync(cache), [])
    })
  }
})

t.test('leftovers of a killed download are removed', async (t) => {
  const { cache } = maven(t, 'touch "$folder/kafka-1.jar"')
  const left = join(cache, 'kafka-old.999999999.half')
  writeFileSync(left, '')
  await fetchKafka(jvm, never, cache, jars)
  t.notOk(existsSync(left))
})

t.test('a stop ends a running download', async (t) => {
  const { cache } = maven(t, 'exec sleep 600')
  const stop = new AbortController()
  const fetching = fetchKafka(jvm, stop.signal, cache, jars)
  stop.abort()
  await t.rejects(fetching, { message: /could not fetch/ })
  t.same(readdirSync(cache), [])
})
