/**
 * Which test files share a process, and how the output of that process is attributed to each file.
 */
import t from 'tap'
import { packsOf } from '../../harness/packs.ts'
import type { Ended } from '../../harness/report.ts'
import { readSeveral } from '../../harness/several-report.ts'

t.test('files of a folder share processes in packs of equal size', async (t) => {
  const names = (folder: string, count: number): string[] => Array.from({ length: count }, (_, n) => `test/${folder}/${n}.test.ts`)
  const files = [...names('a', 33), ...names('b', 1), ...names('c', 3), ...names('d/e', 2)]
  const packs = packsOf(files, () => '')
  t.same(packs.flat().sort(), files.toSorted(), 'each file once')
  t.same(
    packs.map((pack) => pack.length),
    [17, 16, 4, 2]
  )
  t.same(packs[2], [...names('b', 1), ...names('c', 3)], 'small folders share one, in their order')
  t.same(packs[3], names('d/e', 2), 'but not with those of another folder')
})

t.test('a file that is long or changes its process gets a process of its own', async (t) => {
  const texts = [
    'process.env.TZ',
    '  process.exit(3)',
    't.setTimeout(900_000)',
    'process.memoryUsage()',
    '  t.setTimeout(900_000)',
    'process.env.TZ = "UTC"',
    "t.test('x', { timeout: 500_000 }, async (t) => {"
  ]
  const files = texts.map((_, n) => `test/a/${n}.test.ts`)
  const packs = packsOf(files, (file) => texts[files.indexOf(file)] ?? '')
  const named = (...which: number[]) => which.map((n) => files[n])
  t.same(packs, [named(2), named(6), named(1), named(3), named(5), named(0, 4)], 'the longest first')
})

t.test('the pack with the longest file comes first', async (t) => {
  const texts: Record<string, string> = { 'test/a/x/1.test.ts': '', 'test/b/x/1.test.ts': 't.setTimeout(90_000)', 'test/c/x/1.test.ts': '' }
  const files = Object.keys(texts)
  t.equal(packsOf(files, (file) => texts[file] ?? '')[0]?.[0], 'test/b/x/1.test.ts')
})

t.test('a pack whose files wait comes before one of the same limits whose files do not', async (t) => {
  const texts: Record<string, string> = { 'test/a/x/1.test.ts': '', 'test/b/x/1.test.ts': "await until('it is there', look)" }
  const files = Object.keys(texts)
  t.equal(packsOf(files, (file) => texts[file] ?? '')[0]?.[0], 'test/b/x/1.test.ts')
})

const [one, two, three] = ['test/a/1.test.ts', 'test/a/2.test.ts', 'test/a/3.test.ts']
const files = [one, two, three] as [string, string, string]
const block = (file: string, verdict: string, summary: string): string[] => [
  `# Subtest: ${file}`,
  '    # Subtest: x',
  '        ok 1 - y',
  '        1..1',
  '    ok 1 - x # time=1ms',
  '    1..1',
  `${verdict} 1 - ${file} # time=2ms`,
  summary,
  '# cpu=0.25'
]
const own = ['# Subtest: x', '    ok 1 - y', '    1..1', 'ok 1 - x # time=1ms', '1..1']
const [good, bad] = ['# { total: 1, pass: 1 }', '# { total: 1, fail: 1 }']
const end = ['1..3', '# { total: 3, pass: 3 }', '# time=9ms']

function read(lines: readonly string[], exit: number | string): { all: Ended[]; left: string[] } {
  const all: Ended[] = []
  let ms = 0
  const reader = readSeveral(
    files,
    (ended) => void all.push(ended),
    () => (ms += 1000)
  )
  lines.forEach(reader.line)
  return { left: reader.end(exit), all }
}

t.test('each file gets the same lines as if it ran alone', async (t) => {
  const lines = ['TAP version 14', ...block(one, 'ok', good), ...block(two, 'not ok', bad), ...block(three, 'ok', good), ...end]
  const { all, left } = read(lines, 1)
  t.same(left, [])
  t.same(all, [
    { file: one, seconds: 1, cpuSeconds: 0.25, lines: [...own, good], exit: 0 },
    { file: two, seconds: 1, cpuSeconds: 0.25, lines: [...own, bad], exit: 1 },
    { file: three, seconds: 1, cpuSeconds: 0.25, lines: [...own, good], exit: 0 }
  ])
})

t.test('if the process ends early, the running file fails and the remaining files are named', async (t) => {
  const { all, left } = read(['TAP version 14', ...block(one, 'ok', good), `# Subtest: ${two}`, '    # Subtest: x'], 'SIGKILL')
  t.match(all, [
    { file: one, exit: 0 },
    { file: two, exit: 'SIGKILL', lines: ['# Subtest: x'] }
  ])
  t.same(left, [three])
  t.same(read(['TAP version 14'], 1), { all: [{ file: one, seconds: 1, cpuSeconds: 0, lines: ['TAP version 14'], exit: 1 }], left: files })
  t.match(
    read([...block(one, 'ok', good), `# Subtest: ${two}`], 0).all,
    [{ exit: 0 }, { exit: 'nothing' }],
    'nor is a silent end one in order'
  )
})

t.test('an error after the last file counts as a failure of that file', async (t) => {
  const late = ['not ok 4 - a promise that nobody awaits', ...end]
  const { all } = read([...block(one, 'ok', good), ...block(two, 'ok', good), ...block(three, 'ok', good), ...late], 1)
  t.equal(all.length, 4)
  t.match(all[3], { file: three, exit: 1, lines: late })
})
