/** What `npm test` prints at its end, from the runner's TAP. */
import t from 'tap'
import { createReport } from '../harness/report.ts'

const passing = [
  'TAP version 14',
  '1..1',
  '# Subtest: test/a.test.ts',
  '    ok 1 - fine',
  '    1..1',
  'ok 1 - test/a.test.ts # time=1234.5ms',
  ''
]
const failing = ['# Subtest: test/b.test.ts', '    not ok 1 - one is two', '      ---', '      diff: x', '      ...', '    1..1']
const verdict = ['not ok 2 - test/b.test.ts # time=10ms', '  ---', '  exitCode: 1', '  ...', '']

//  a case                                         lines                                                            exit  shown                                    counts
const cases: [string, string[], number, string[], { passed: number; failed: number }][] = [
  ['a file that passed is one line', [...passing, '# { total: 1, pass: 1 }'], 0, ['ok  test/a.test.ts (1.2 s)'], { passed: 1, failed: 0 }],
  [
    'a file that failed is all of it',
    [...failing, ...verdict, '# { total: 3, pass: 2, fail: 1 }'],
    1,
    [...failing, ...verdict.slice(0, 4)],
    { passed: 2, failed: 1 }
  ],
  [
    'skipped and to do are neither',
    [...passing, '# { total: 4, pass: 2, todo: 1, skip: 1 }'],
    0,
    ['ok  test/a.test.ts (1.2 s)'],
    { passed: 2, failed: 0 }
  ],
  [
    'a runner that failed without an assertion',
    [...passing, '# { total: 1, pass: 1 }'],
    1,
    ['ok  test/a.test.ts (1.2 s)'],
    { passed: 1, failed: 1 }
  ],
  ['a bail-out is shown', ['Bail out! no more', '# { total: 0 }'], 1, ['Bail out! no more'], { passed: 0, failed: 1 }],
  ['nothing run', ['TAP version 14', '1..0'], 0, [], { passed: 0, failed: 1 }],
  ['no output at all', [], 0, [], { passed: 0, failed: 1 }]
]

for (const [name, lines, exitCode, shown, counts] of cases) {
  t.test(name, async (t) => {
    const report = createReport()
    t.same(
      lines.flatMap((line) => report.take(line)),
      shown
    )
    t.same(report.counts(exitCode), counts)
  })
}
