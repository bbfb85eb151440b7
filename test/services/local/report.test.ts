/** The summary that `npm test` prints of a file, from its TAP output. */
import { SourceMap } from 'node:module'
import t from 'tap'
import { mostOf, reportOf } from '../../harness/report.ts'
import { sourcePlaces } from '../../harness/source-places.ts'

const passing = ['TAP version 14', 'ok 1 - fine', '1..1', '# time=1234.5ms']
const failing = ['TAP version 14', 'not ok 1 - one is two', '  ---', '  diff: x', '  ...', '1..1']
const ok = 'ok  test/a.test.ts (1.2 s, 0.9 s of CPU)'
const ended = (exit: number | string): string => `not ok  test/a.test.ts (1.2 s, 0.9 s of CPU): ended with ${exit}`

//  a case                              lines                                                 exit       shown                             counts
const cases: [string, string[], number | string, (lines: string[]) => string[], { passed: number; failed: number }][] = [
  ['a file that passed is one line', [...passing, '# { total: 1, pass: 1 }'], 0, () => [ok], { passed: 1, failed: 0 }],
  [
    'a file that failed is all of it',
    [...failing, '# { total: 3, pass: 2, fail: 1 }'],
    1,
    (lines) => [...lines, ended(1)],
    { passed: 2, failed: 1 }
  ],
  ['skipped and to do are neither', [...passing, '# { total: 4, pass: 2, todo: 1, skip: 1 }'], 0, () => [ok], { passed: 2, failed: 0 }],
  [
    'a process that failed without an assertion',
    [...passing, '# { total: 1, pass: 1 }'],
    1,
    (lines) => [...lines, ended(1)],
    { passed: 1, failed: 1 }
  ],
  ['a process that was killed', passing, 'SIGKILL', (lines) => [...lines, ended('SIGKILL')], { passed: 0, failed: 1 }],
  [
    'an assertion that failed, whatever the exit code says',
    ['# { total: 1, fail: 1 }'],
    0,
    (lines) => [...lines, ended(0)],
    { passed: 0, failed: 1 }
  ],
  ['a bail-out is shown', ['Bail out! no more', '# { total: 0 }'], 1, (lines) => [...lines, ended(1)], { passed: 0, failed: 1 }],
  ['nothing run', ['TAP version 14', '1..0'], 0, (lines) => [...lines, ended(0)], { passed: 0, failed: 1 }],
  ['no output at all', [], 0, () => [ended(0)], { passed: 0, failed: 1 }]
]

for (const [name, lines, exit, shown, counts] of cases) {
  t.test(name, async (t) => {
    t.same(reportOf({ file: 'test/a.test.ts', seconds: 1.23, cpuSeconds: 0.94, lines, exit }), { shown: shown(lines), ...counts })
  })
}

t.test('stack positions are mapped to the source files', (t) => {
  // Maps the second line of the compiled file to the fourth line of its source.
  const map = new SourceMap({
    version: 3,
    file: 'a.test.js',
    sources: ['../../test/a.test.ts'],
    names: [],
    mappings: 'AAAA;AAGA',
    sourceRoot: '',
    sourcesContent: []
  })
  const read = (file: string) => (file === 'dist-test/test/a.test.js' ? map : null)
  const lines = [
    'until (dist-test/test/a.test.js:2:1)',
    '    at file:///somewhere/dist-test/test/a.test.js:1:9',
    'dist-test/test/b.js:1:1',
    'ok 1 - 2:1'
  ]
  t.same(sourcePlaces(lines, read), ['until (test/a.test.ts:4:1)', '    at test/a.test.ts:1:1', 'dist-test/test/b.js:1:1', 'ok 1 - 2:1'])
  t.end()
})

t.test('the slowest and most expensive files get one line each', async (t) => {
  const files = [3, 110.04, 20].map((seconds, n) => ({ file: `test/${n}.test.ts`, seconds, cpuSeconds: 10 - n }))
  t.same(mostOf('seconds', files, 2), [' 110.0 s     9.0 s  test/1.test.ts', '  20.0 s     8.0 s  test/2.test.ts'])
  t.same(mostOf('cpuSeconds', files, 1), ['   3.0 s    10.0 s  test/0.test.ts'])
  t.equal(files[0]?.seconds, 3, 'what is given stays')
})
