/** Tests why a signal changed nothing: what the row of its key remembers. */
import t from 'tap'
import { type Accepted, acceptedAt, MAX_RUNS, type Run, runsAfter } from '../../../streams/incident/unapplied.ts'

const after = (...signals: [Accepted, number][]): readonly Run[] | null =>
  signals.reduce<readonly Run[] | null>((runs, [as, offset]) => runsAfter(runs, as, offset), null)

t.test('consecutive signals with one result share an entry, starting at the first unapplied signal', async (t) => {
  t.equal(after(['applied', 3], ['applied', 9]), null)
  t.strictSame(after(['applied', 3], ['repeat', 5], ['repeat', 9], ['applied', 11], ['applied', 12], ['older', 20]), [
    ['repeat', 5, 9],
    ['applied', 11, 12],
    ['older', 20, 20]
  ])
  const storm = Array.from({ length: 10_000 }, (_, offset): [Accepted, number] => ['repeat', offset])
  t.strictSame(after(...storm), [['repeat', 0, 9999]])
  const changing = Array.from({ length: 100 }, (_, offset): [Accepted, number] => [offset % 2 ? 'repeat' : 'suppressed', offset])
  t.equal(after(...changing)?.length, MAX_RUNS)
  t.strictSame(after(['repeat', 500], ['older', 2]), [['older', 2, 2]], 'a new log')
  t.equal(after(['repeat', 500], ['applied', 2]), null)
})

t.test('the stored result of a signal is found by its offset', async (t) => {
  const runs = after(['repeat', 5], ['repeat', 9], ['applied', 11], ['suppressed', 20])
  const cases: [string, readonly Run[] | null, number, boolean, Accepted | null][] = [
    ['in a run', runs, 7, true, 'repeat'],
    ['applied between', runs, 11, true, 'applied'],
    ['the last', runs, 20, true, 'suppressed'],
    ['before the first that was not applied', runs, 2, true, 'applied'],
    ['not decided yet', runs, 21, false, null],
    ['nothing but applied ones', null, 4, true, 'applied'],
    ['nothing yet', null, 4, false, null],
    ['no longer known', after(...Array.from({ length: 40 }, (_, n): [Accepted, number] => [n % 2 ? 'repeat' : 'older', n])), 3, true, null]
  ]
  for (const [name, known, offset, isSeen, expected] of cases) t.equal(acceptedAt(known, offset, isSeen), expected, name)
})
