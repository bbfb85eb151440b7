/**
 * A short run of the folds under simulated time against the models; `npm run simulate` runs it in
 * full. It also checks that bugs can be found: bugs planted into the real code are.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { projectRoot } from '../../schemas/files.ts'
import { realCode } from './code.ts'
import { lineOf } from './operations.ts'
import { type Plant, planted, Rotten, seek, withPlant } from './planted.ts'
import { plants } from './plants.ts'
import { runSeed, shrink } from './run.ts'

const EVENTS = 8000

t.test('the folds agree with the models in six simulated histories', async (t) => {
  const seen = new Set<string>()
  for (let seed = 1; seed <= 6; seed++) {
    const { finding, counts, events } = runSeed(realCode, seed, EVENTS)
    t.equal(finding, null, `seed ${seed}, ${events} events: npm run simulate -- --seed ${seed} --events ${EVENTS}`)
    for (const what of Object.keys(counts)) seen.add(what)
  }
  const all = [
    'CheckResult',
    'MonitorConfig',
    'HeartbeatPing',
    'HeartbeatConfig',
    'DoorGap',
    'Tick',
    'InboundAlert',
    'MonitorTransition',
    'settings',
    'dependencies',
    'windows'
  ]
  t.strictSame(
    all.filter((record) => !seen.has(record)),
    [],
    'every kind of record came, and rules, silences, dependencies and windows changed'
  )
})

t.test('the same seed gives the same history', async (t) => {
  const lines = (): string[] => runSeed(realCode, 3, 3000).operations.map(lineOf)
  t.strictSame(lines(), lines())
})

t.test('every planted bug can still be put into the code', async (t) => {
  t.ok(plants.length >= 20)
  t.strictSame(new Set(plants.flatMap(({ point }) => (point === undefined ? [] : [point]))), new Set([1, 2, 3, 5]))
  for (const { name, changes } of plants) {
    const texts = new Map<string, string>()
    for (const change of changes) {
      const text = texts.get(change.file) ?? (await readFile(join(projectRoot, change.file), 'utf8'))
      const bad = planted(text, change)
      t.not(bad, text, name)
      texts.set(change.file, bad)
    }
  }
  const rotten = { file: 'a.ts', find: 'not there', put: '' }
  t.throws(() => planted('some text', rotten), Rotten)
})

t.test('planted bugs are found, and the failing history is made small', async (t) => {
  const quick = plants.filter((plant) => plant.quick)
  t.ok(quick.length >= 5)
  let last: { plant: Plant; seed: number } | null = null
  for (const plant of quick) {
    const found = await seek(plant, 8, EVENTS)
    t.ok(found, plant.name)
    if (found) last = { plant, seed: found.seed }
  }
  if (!last) return
  const { plant, seed } = last
  const least = await withPlant(plant, (code) => {
    const ran = runSeed(code, seed, EVENTS)
    return ran.finding && shrink(code, ran)
  })
  t.ok(least && least.operations.length <= 12, least?.operations.map(lineOf).join('\n') ?? 'nothing was found')
})
