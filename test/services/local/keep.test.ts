/**
 * Keeping a process running: restart with back-off, holding, giving up, stopping. On real
 * processes.
 */
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { type Child, startChild } from '../../../services/local/child.ts'
import { identify, isRunning } from '../../../services/local/identity.ts'
import { type KeepOptions, keep, nextDelay } from '../../../services/local/keep.ts'
import { loaderOf, moduleUrl } from '../../harness/modules.ts'
import { until } from '../../harness/until.ts'

t.jobs = 4

/** A shell that is kept running; `script` decides how it lives. */
function shell(t: Test, script: string, overrides: Partial<KeepOptions> = {}) {
  const folder = t.testdir()
  const pids: number[] = []
  const told: string[] = []
  const logFile = join(folder, 'part.log')
  const kept = keep({
    name: 'part',
    start: () => startChild({ command: '/bin/sh', args: ['-c', script], logFile, leash: 'none' }),
    ready: async () => undefined,
    stopSignal: 'SIGTERM',
    stopMs: 5000,
    readyMs: 5000,
    logFile,
    lastWords: (child) => child.lastLines(),
    onPid: (pid) => {
      if (pid !== null) pids.push(pid)
    },
    tell: (line) => told.push(line),
    ...overrides
  })
  t.teardown(() => kept.stop())
  return { kept, pids, told, folder }
}

t.test('the restart delay doubles up to ten seconds and resets after a steady half minute', async (t) => {
  const pauses: number[] = []
  for (let delay = 100; pauses.length < 8; pauses.push(delay)) delay = nextDelay(delay, 1000)
  t.same(pauses, [200, 400, 800, 1600, 3200, 6400, 10_000, 10_000])
  t.equal(nextDelay(10_000, 29_999), 10_000)
  t.equal(nextDelay(10_000, 30_000), 200)
})

t.test('a killed process is restarted', async (t) => {
  const { kept, pids, told } = shell(t, 'exec sleep 600')
  await kept.ready
  const first = kept.pid()
  if (!first) return t.fail('it runs')
  process.kill(first, 'SIGKILL')
  const second = await until('the second process', () => (pids.length === 2 ? kept.pid() : null))
  t.not(second, first)
  t.match(told, [/^part ended by SIGKILL; started again in 200 ms/, 'part is back'])
})

t.test('a stopped process is not restarted', async (t) => {
  const { kept, pids } = shell(t, 'exec sleep 600')
  await kept.ready
  const who = identify(kept.pid() ?? 0)
  if (!who) return t.fail('it runs')
  await kept.stop()
  t.notOk(isRunning(who))
  t.equal(kept.pid(), null)
  t.equal(pids.length, 1)
})

t.test('a process that ignores the stop signal is killed', async (t) => {
  const { kept } = shell(t, "trap '' TERM; echo trapped; while :; do sleep 0.1; done", {
    stopMs: 100,
    ready: async (child: Child) => void (await until('the trap', () => child.lastLines() === 'trapped'))
  })
  await kept.ready
  const who = identify(kept.pid() ?? 0)
  if (!who) return t.fail('it runs')
  await kept.stop()
  t.notOk(isRunning(who))
})

t.test('a process that never gets ready is given up, with its last output', { timeout: 60_000 }, async (t) => {
  const { kept, pids } = shell(t, 'echo the disk is full >&2; exit 3', { ready: () => new Promise(() => undefined) })
  await t.rejects(kept.ready, { message: /part ended with code 3, saying:\nthe disk is full\nIts log: / })
  t.equal(pids.length, 5)
})

t.test('a command that does not exist is given up', { timeout: 60_000 }, async (t) => {
  const { kept } = shell(t, '', {
    start: () => startChild({ command: '/nowhere/at/all', args: [], logFile: join(t.testdir(), 'x.log'), leash: 'none' })
  })
  await t.rejects(kept.ready, { message: /could not be started: .*ENOENT/ })
})

t.test('a held process is not restarted until it is released', async (t) => {
  let held = true
  const { kept, pids, told } = shell(t, 'exec sleep 600', { held: () => held })
  await kept.ready
  process.kill(kept.pid() ?? 0, 'SIGKILL')
  await until('the message', () => told.some((line) => line.includes('it is held')))
  t.equal(pids.length, 1)
  held = false
  await until('the second process', () => pids.length === 2)
})

t.test('engines end when their supervisor is killed', async (t) => {
  const folder = t.testdir()
  const script = `
    import { startChild } from '${moduleUrl('../../../services/local/child.ts', import.meta.url)}'
    const child = await startChild({ command: 'sleep', args: ['600'], logFile: process.argv[1], leash: { signal: 'SIGTERM' } })
    process.stdout.write(String(child.pid) + '\\n')
  `
  const supervisor = await startChild({
    command: process.execPath,
    args: [...loaderOf(import.meta.url), '--input-type=module', '-e', script, join(folder, 'engine.log')],
    logFile: join(folder, 'supervisor.log'),
    leash: 'none'
  })
  const engine = await until('the engine', () => identify(Number(supervisor.lastLines())))
  supervisor.signal('SIGKILL')
  await until('the end of the engine', () => !isRunning(engine))
  t.pass('it ended')
})

t.test('a log that is too large is rotated', async (t) => {
  const folder = t.testdir()
  const logFile = join(folder, 'noisy.log')
  writeFileSync(logFile, 'x'.repeat(9 * 1_048_576))
  const child = await startChild({ command: '/bin/sh', args: ['-c', 'echo one; echo two'], logFile, leash: 'none' })
  await child.exited
  await until('the new log', () => existsSync(logFile) && readFileSync(logFile, 'utf8') === 'one\ntwo\n')
  t.equal(statSync(`${logFile}.1`).size, 9 * 1_048_576)
})
