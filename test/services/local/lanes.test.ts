/**
 * The runner of the test files: a file that hangs or leaves programs behind is ended, and the other
 * files still run.
 */
import { join, relative } from 'node:path'
import t, { type Test } from 'tap'
import { projectRoot } from '../../../schemas/files.ts'
import { identify, isRunning } from '../../../services/local/identity.ts'
import { productsOf, runFiles, tellsStories } from '../../harness/lanes.ts'
import type { Ended } from '../../harness/report.ts'
import { until } from '../../harness/until.ts'

/** Runs programs as if they were compiled test files, in one lane, one after the other. */
async function ran(t: Test, programs: Record<string, string>, limitSeconds = 100): Promise<Ended[]> {
  const named = Object.entries(programs).flatMap(([name, text]) => [[`${name}.test.ts`, ''] as const, [`${name}.test.js`, text] as const])
  const folder = t.testdir({ 'package.json': '{"type":"module"}', ...Object.fromEntries(named) })
  const files = Object.keys(programs).map((name) => relative(projectRoot, join(folder, `${name}.test.ts`)))
  const all: Ended[] = []
  const { done } = runFiles(files, {
    lanes: 1,
    env: process.env,
    limitSeconds,
    graceSeconds: 0,
    out: '.',
    onEnd: (ended) => void all.push(ended)
  })
  await done
  return all
}

/** A program that runs for ten minutes, told to do so by a file that prints its pid. */
const sleeper = (options: string): string => `
  import { spawn } from 'node:child_process'
  const child = spawn('sleep', ['600'], ${options})
  child.unref()
  process.stdout.write(String(child.pid) + '\\n')
`
const pidIn = ({ lines }: Ended): number => Number(lines[0])

t.test('the runner reports the output and exit code of each file', async (t) => {
  t.match(await ran(t, { one: 'console.log("a\\nb")', two: 'process.exit(3)' }), [
    { lines: ['a', 'b'], exit: 0 },
    { lines: [], exit: 3 }
  ])
})

t.test('the CPU time of a file includes the programs it started', async (t) => {
  const busy = (ms: number): string =>
    `const end = process.cpuUsage().user + ${ms} * 1000; while (process.cpuUsage().user < end) for (let n = 0; n < 1e6; n++);`
  const child = `import { spawnSync } from 'node:child_process'; spawnSync(process.execPath, ['-e', '${busy(600)}'])`
  const [idle, own, started] = await ran(t, { idle: 'setTimeout(() => undefined, 700)', own: busy(600), started: child })
  if (!idle || !own || !started) return t.fail('they ended')
  t.ok(own.cpuSeconds >= 0.6 && started.cpuSeconds >= 0.6, 'counted')
  t.ok(idle.cpuSeconds < own.cpuSeconds && idle.cpuSeconds > 0, 'waiting takes none')
})

t.test('among the files that start products, the longest start first', (t) => {
  const texts: Readonly<Record<string, string>> = {
    'test/plain.test.ts': "import t from 'tap'",
    'test/short.test.ts': 't.setTimeout(60_000)\nawait startProduct()',
    'test/long.test.ts': 't.setTimeout(900_000)\nawait startProduct()',
    'test/one.test.ts': "import { one } from './stories/one.ts'\ntellStories({ one })",
    'test/two.test.ts': "import { one } from './stories/one.ts'\nimport { two } from './stories/two.ts'\ntellStories({ one, two })"
  }
  const names = ['long', 'two', 'one', 'short'].map((name) => `test/${name}.test.ts`)
  t.same(
    productsOf(Object.keys(texts), (file) => texts[file] ?? ''),
    names
  )
  t.end()
})

t.test('files that share the product of the run', (t) => {
  const cases = { 'tellStories({ live })': true, 'tellStories({ live }, { alone: true })': false, 'await startProduct()': false }
  for (const [text, shares] of Object.entries(cases))
    t.equal(
      tellsStories('', () => text),
      shares,
      text
    )
  t.end()
})

t.test('a file gets its environment, even if that is known only later', async (t) => {
  const folder = t.testdir({ 'package.json': '{"type":"module"}', 'asks.test.ts': '', 'asks.test.js': 'console.log(process.env.PLACE)' })
  const file = relative(projectRoot, join(folder, 'asks.test.ts'))
  const all: Ended[] = []
  const envOf = async (of: string): Promise<NodeJS.ProcessEnv> => ({ PLACE: `of ${of === file}` })
  await runFiles([file], { lanes: 1, env: process.env, limitSeconds: 100, out: '.', envOf, onEnd: (ended) => void all.push(ended) }).done
  t.match(all, [{ lines: ['of true'], exit: 0 }])
})

t.test('an uncaught error fails the innermost running test, and the next tests run', async (t) => {
  const thrown = (how: string): string => `
    import t from '${import.meta.resolve('tap')}'
    t.test('outer', async (t) => {
      await t.test('first', async (t) => {
        ${how}
        await new Promise((resolve) => setTimeout(resolve, 500))
        t.pass('goes on')
      })
      await t.test('second', async (t) => t.pass('runs'))
    })`
  const ways = {
    timer: "setTimeout(() => { throw new Error('planted') }, 1)",
    promise: "Promise.reject(new Error('planted'))",
    later: "setTimeout(async () => { throw new Error('planted') }, 1)",
    handler: "const c = new AbortController(); c.signal.addEventListener('abort', () => { throw new Error('planted') }); c.abort()"
  }
  for (const ended of await ran(t, Object.fromEntries(Object.entries(ways).map(([name, how]) => [name, thrown(how)])))) {
    const lines = ended.lines.map((line) => line.trim())
    t.equal(ended.exit, 1, ended.file)
    t.match(
      lines.find((line) => /^not ok .*planted/.test(line)),
      'planted'
    )
    t.ok(
      lines.some((line) => /^not ok \d+ - first/.test(line)),
      'the test that ran'
    )
    t.ok(
      lines.some((line) => /^ok \d+ - second/.test(line)),
      'the next one runs'
    )
  }
})

t.test('an uncaught error outside of any test fails its file', async (t) => {
  const begun = `import t from '${import.meta.resolve('tap')}'\nt.test('fine', async (t) => t.pass())\n`
  const thrown = "throw new Error('planted')"
  const files = { loading: thrown, between: begun + thrown, after: `${begun}setTimeout(() => { ${thrown} }, 300)` }
  for (const ended of await ran(t, files)) {
    t.equal(ended.exit, 1, ended.file)
    t.ok(
      ended.lines.some((line) => /^not ok .*planted/.test(line)),
      'by its words'
    )
  }
})

t.test('a program left behind by a file is ended with it', async (t) => {
  const [ended] = await ran(t, { leaves: sleeper("{ stdio: 'ignore' }") })
  if (!ended) return t.fail('it ended')
  await until('the end of what it left', () => !identify(pidIn(ended)))
  t.equal(ended.exit, 0)
})

t.test('a detached program that holds the output does not delay the next file', { timeout: 60_000 }, async (t) => {
  const all = await ran(t, { holds: sleeper("{ stdio: ['ignore', 'inherit', 'ignore'], detached: true }"), next: 'console.log("next")' })
  const left = identify(all[0] ? pidIn(all[0]) : 0)
  t.teardown(() => left && isRunning(left) && process.kill(left.pid, 'SIGKILL'))
  t.ok(left, 'it runs on')
  t.match(all[1], { lines: ['next'], exit: 0 })
})

t.test('a file over its time limit is killed together with what it started', { timeout: 90_000 }, async (t) => {
  // The limit of both files. The second file must end within it, even on a busy machine.
  const limitSeconds = 15
  const hangs = `${sleeper("{ stdio: 'inherit' }")}\nAtomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)`
  const [ended, next] = await ran(t, { hangs, next: 'console.log("next")' }, limitSeconds)
  if (!ended) return t.fail('it ended')
  t.equal(ended.exit, 'SIGKILL')
  await until('the end of what it started', () => !identify(pidIn(ended)))
  t.match(next, { lines: ['next'], exit: 0 })
})
