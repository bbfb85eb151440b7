/**
 * One instance per data folder: the error that a second one gets, and what remains when the first
 * is killed.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { identify, isRunning } from '../../../services/local/identity.ts'
import { takeLock } from '../../../services/local/lock.ts'
import { loaderOf, moduleUrl } from '../../harness/modules.ts'
import { until } from '../../harness/until.ts'

const quiet = (): void => undefined

const ended = (child: ChildProcess): Promise<unknown> => new Promise((resolve) => child.once('exit', resolve))

/**
 * Starts another process that takes the lock of `folder`, records a child that may ignore SIGTERM
 * (`stubborn`), and waits.
 */
async function instance(t: Test, folder: string, stubborn = false): Promise<ChildProcess> {
  const script = `
    import { spawn } from 'node:child_process'
    import { takeLock } from '${moduleUrl('../../../services/local/lock.ts', import.meta.url)}'
    const lock = await takeLock(process.argv[1], () => undefined)
    const child = spawn('/bin/sh', ['-c', ${JSON.stringify(stubborn ? "trap '' TERM; while :; do sleep 1; done" : 'sleep 600')}], { detached: true, stdio: 'ignore' })
    lock.note('engine', child.pid)
    process.stdout.write('held\\n')
    setInterval(() => undefined, 1000)
  `
  const child = spawn(process.execPath, [...loaderOf(import.meta.url), '--input-type=module', '-e', script, folder], {
    stdio: ['ignore', 'pipe', 'inherit']
  })
  t.teardown(() => child.kill('SIGKILL'))
  await new Promise((resolve) => child.stdout?.once('data', resolve))
  return child
}

const pidsOf = (folder: string): Record<string, number> => JSON.parse(readFileSync(join(folder, 'pids.json'), 'utf8'))

t.test('a second instance is refused with the pid of the first', async (t) => {
  const folder = t.testdir()
  const first = await instance(t, folder)
  const { engine } = pidsOf(folder)
  t.same(pidsOf(folder), { supervisor: first.pid, engine })
  await t.rejects(takeLock(folder, quiet), {
    name: 'Occupied',
    message: new RegExp(`in use by another instance \\(pid ${first.pid}\\).*SERVICE_DATA_DIR`)
  })
  t.ok(engine && identify(engine), 'and nothing of the first was touched')
  first.kill('SIGKILL')
  await ended(first)
  await (await takeLock(folder, quiet)).release()
})

t.test('the data folder is made accessible to its owner only', async (t) => {
  const root = t.testdir({ old: { 'kept.txt': 'x' } })
  const modeOf = (name: string): number => statSync(join(root, name)).mode & 0o777
  const told: string[] = []
  await (await takeLock(join(root, 'new'), (line) => told.push(line))).release()
  t.equal(modeOf('new'), 0o700)
  t.same(told, [])
  chmodSync(join(root, 'old'), 0o755)
  await (await takeLock(join(root, 'old'), (line) => told.push(line))).release()
  t.equal(modeOf('old') & 0o767, 0o700)
  t.match(told, [/old could be entered by others: it is its owner's alone now/])
  await (await takeLock(join(root, 'old'), (line) => told.push(line))).release()
  t.equal(told.length, 1, 'told once')
})

t.test('instances on two folders do not affect each other', async (t) => {
  const root = t.testdir({ a: {}, b: {} })
  const a = await takeLock(join(root, 'a'), quiet)
  const b = await takeLock(join(root, 'b'), quiet)
  await a.release()
  await b.release()
})

t.test('processes left by a killed instance are ended before the folder is handed over', async (t) => {
  const folder = t.testdir()
  const first = await instance(t, folder)
  const engine = identify(pidsOf(folder).engine ?? 0)
  if (!engine) return t.fail('the engine runs')
  first.kill('SIGKILL')
  await ended(first)
  t.ok(isRunning(engine), 'it outlived its supervisor')
  const told: string[] = []
  const lock = await takeLock(folder, (line) => told.push(line))
  t.notOk(isRunning(engine))
  t.match(told.slice(-1), [new RegExp(`ending what it left: engine \\(${engine.pid}\\)`)])
  await lock.release()
})

t.test('a leftover process that ignores the stop signal is ended, too', async (t) => {
  const folder = t.testdir()
  const first = await instance(t, folder, true)
  const engine = identify(pidsOf(folder).engine ?? 0)
  if (!engine) return t.fail('the engine runs')
  first.kill('SIGKILL')
  await ended(first)
  const lock = await takeLock(folder, quiet, 300)
  t.notOk(isRunning(engine))
  await lock.release()
})

t.test('a pid that now belongs to another process is left alone', async (t) => {
  const folder = t.testdir()
  const stranger = spawn('sleep', ['600'], { stdio: 'ignore' })
  t.teardown(() => stranger.kill('SIGKILL'))
  const who = await until('the stranger to run', () => identify(stranger.pid ?? 0))
  const before = { ...who, started: 'another time' }
  writeFileSync(join(folder, 'instance.json'), JSON.stringify({ supervisor: before, children: { kafka: before } }))
  const told: string[] = []
  const lock = await takeLock(folder, (line) => told.push(line))
  t.ok(isRunning(who))
  t.notMatch(told.join(), 'ending')
  await lock.release()
})

t.test('unreadable lock files do not block a start', async (t) => {
  const folder = t.testdir({ 'instance.json': '{"superv', 'pids.json': '' })
  await (await takeLock(folder, quiet)).release()
})
