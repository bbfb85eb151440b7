/**
 * Tests that the breaker tells a schema break from bad data, and from bad records that one
 * workspace sends.
 */
import t from 'tap'
import { createBreaker } from '../../../streams/runtime/breaker.ts'
import type { Poison } from '../../../streams/runtime/dead-letter.ts'

type Bad = Pick<Poison, 'reason' | 'tenant_id'>

/** Nobody can read them. */
const unread = (count: number): Bad[] => Array.from({ length: count }, () => ({ reason: 'decode', tenant_id: null }))
/** Refused records of `workspaces` workspaces in turn. */
const refused = (count: number, workspaces: number): Bad[] =>
  Array.from({ length: count }, (_, index) => ({ reason: 'refused', tenant_id: `workspace ${index % workspaces}` }))
const skipped = (count: number): Bad[] => Array.from({ length: count }, () => ({ reason: 'skipped', tenant_id: null }))

//  a case, the chunks of the minute as [records, poison, ms later], and whether the last one is
//  too much
const cases: [string, [number, Bad[], number][], boolean][] = [
  ['no poison', [[100_000, [], 0]], false],
  ['fewer than 20 say nothing', [[19, unread(19), 0]], false],
  ['20 of 2,000 are exactly one per cent', [[2000, unread(20), 0]], false],
  ['20 of 1,999 are more', [[1999, unread(20), 0]], true],
  [
    'counts add up within a minute',
    [
      [500, unread(10), 0],
      [500, unread(10), 59_000]
    ],
    true
  ],
  [
    'what is older than a minute does not count',
    [
      [500, unread(19), 0],
      [500, unread(19), 60_000]
    ],
    false
  ],
  [
    'the minute slides: it does not begin anew with a chunk',
    [
      [500, unread(5), 0],
      [500, unread(10), 40_000],
      [500, unread(10), 30_000]
    ],
    true
  ],
  [
    'good records count as much as bad ones',
    [
      [10, unread(10), 0],
      [5000, [], 1000],
      [10, unread(10), 1000]
    ],
    false
  ],
  ['one workspace alone is never too much', [[500, refused(500, 1), 0]], false],
  ['nor are three', [[500, refused(500, 3), 0]], false],
  ['four with five each are', [[500, refused(20, 4), 0]], true],
  ['twenty with one each are', [[500, refused(20, 20), 0]], true],
  [
    'what a workspace counts is bounded over the minute, not over a chunk',
    [
      [100, refused(5, 1), 0],
      [100, refused(5, 1), 6000],
      [100, refused(5, 1), 6000],
      [100, refused(5, 1), 6000]
    ],
    false
  ],
  ['one workspace beside 19 that nobody can read', [[500, [...unread(19), ...refused(1, 1)], 0]], true],
  ['what an operator had passed over does not count', [[500, skipped(400), 0]], false]
]

for (const [name, chunks, tooMuch] of cases)
  t.test(name, async (t) => {
    const breaker = createBreaker()
    let now = 1_000_000
    for (const [index, [records, poison, later]] of chunks.entries()) {
      now += later
      const trips = breaker.trips(records, poison, now)
      t.equal(breaker.trips(records, poison, now), trips, 'asking counts nothing')
      if (index === chunks.length - 1) t.equal(trips, tooMuch)
      else {
        t.equal(trips, false, `chunk ${index} passes`)
        breaker.count(records, poison, now)
      }
    }
  })
