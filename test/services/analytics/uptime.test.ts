/**
 * The uptime calculation: examples by hand, and a comparison with a clock that samples the state
 * once a minute.
 */
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import t from 'tap'
import type { Entity } from '../../../schemas/analytics.ts'
import { excludedBy, type VersionRow } from '../../../services/analytics/exclusions.ts'
import { type ExclusionRow, type LifeRow, type State, segmentsOf, summaryRows, uptimeRows } from '../../../services/analytics/uptime.ts'

const MINUTE = 60_000
const DAY = 86_400_000
const ID = '0192f0c1-5e5a-7b1c-ad55-000000000001'

const life = (changes: [at: number, state: State][], fields: Partial<LifeRow> = {}): LifeRow => ({
  kind: 'monitor',
  id: ID,
  first_previous: '',
  changes: changes.map(([at, state], index) => [at, index + 1, state]),
  ...fields
})

t.test('segments of up, down, paused and maintenance time', async (t) => {
  const cases: [what: string, of: LifeRow | undefined, born: number, maintenance: [number, number][], until: number, expected: string][] = [
    ['nothing known: up', undefined, 0, [], 10, '0-10 up'],
    ['not born yet', undefined, 10, [], 10, ''],
    [
      'the state at the begin',
      life([
        [-1, 'down'],
        [5, 'up']
      ]),
      0,
      [],
      10,
      '0-5 down 5-10 up'
    ],
    ['before the first change: what it ended', life([[5, 'down']], { first_previous: 'degraded' }), 0, [], 10, '0-5 degraded 5-10 down'],
    ['changes before the birth are past', life([[2, 'down']], { first_previous: 'up' }), 4, [], 10, '4-10 down'],
    [
      'of one instant the last counts',
      life([
        [5, 'down'],
        [5, 'up'],
        [5, 'degraded']
      ]),
      0,
      [],
      10,
      '0-5 up 5-10 degraded'
    ],
    [
      'after a clock went back, the version orders',
      {
        ...life([]),
        changes: [
          [3, 2, 'up'],
          [5, 1, 'down'],
          [8, 3, 'degraded']
        ]
      },
      0,
      [],
      10,
      '0-8 up 8-10 degraded'
    ],
    [
      'also before the begin',
      {
        ...life([]),
        changes: [
          [-5, 2, 'up'],
          [-3, 1, 'down'],
          [8, 3, 'degraded']
        ]
      },
      0,
      [],
      10,
      '0-8 up 8-10 degraded'
    ],
    [
      'a version that is used again much later counts',
      {
        ...life([]),
        changes: [
          [0, 53, 'up'],
          [DAY, 51, 'down'],
          [DAY + 5, 52, 'up'],
          [2 * DAY, 53, 'down']
        ]
      },
      0,
      [],
      2 * DAY + 1,
      `0-${DAY} up ${DAY}-${DAY + 5} down ${DAY + 5}-${2 * DAY} up ${2 * DAY}-${2 * DAY + 1} down`
    ],
    [
      'also when it was before the begin',
      {
        ...life([]),
        changes: [
          [-DAY, 53, 'up'],
          [-5, 51, 'down'],
          [5, 52, 'up']
        ]
      },
      0,
      [],
      10,
      '0-5 down 5-10 up'
    ],
    [
      'a repeat makes no break',
      life([
        [2, 'down'],
        [4, 'down']
      ]),
      0,
      [],
      10,
      '0-2 up 2-10 down'
    ],
    [
      'maintenance hides what happens in it',
      life([
        [4, 'down'],
        [6, 'up']
      ]),
      0,
      [[3, 8]],
      10,
      '0-3 up 3-8 maintenance 8-10 up'
    ],
    [
      'but not a pause',
      life([
        [4, 'paused'],
        [6, 'up']
      ]),
      0,
      [[3, 8]],
      10,
      '0-3 up 3-4 maintenance 4-6 paused 6-8 maintenance 8-10 up'
    ],
    [
      'windows overlap, touch and lie outside',
      undefined,
      2,
      [
        [5, 7],
        [0, 3],
        [6, 8],
        [8, 9],
        [20, 30]
      ],
      12,
      '2-3 maintenance 3-5 up 5-9 maintenance 9-12 up'
    ],
    ['a window over the whole range', life([[4, 'down']]), 0, [[-5, 50]], 10, '0-10 maintenance']
  ]
  for (const [what, of, born, maintenance, until, expected] of cases) {
    const found = segmentsOf(of, born, maintenance, until).map(({ from, to, state }) => `${from}-${to} ${state}`)
    t.equal(found.join(' '), expected, what)
  }
})

const states: readonly State[] = ['up', 'degraded', 'down', 'maintenance', 'unknown', 'paused']

/** Minutes of a range of three buckets. */
const LENGTH = 60
const scenes = fc.record({
  changes: fc.array(fc.tuple(fc.integer({ min: -20, max: LENGTH - 1 }), fc.constantFrom(...states)), { maxLength: 12 }),
  windows: fc.array(fc.tuple(fc.integer({ min: -20, max: LENGTH + 10 }), fc.integer({ min: 1, max: 30 })), { maxLength: 5 }),
  born: fc.integer({ min: -30, max: LENGTH + 5 }),
  until: fc.integer({ min: 1, max: LENGTH }),
  cuts: fc.tuple(fc.integer({ min: 1, max: 29 }), fc.integer({ min: 30, max: LENGTH - 1 }))
})

t.test('computed uptime matches a state that is sampled every minute', async (t) => {
  const begin = Date.UTC(2026, 5, 1)
  const at = (minute: number): number => begin + minute * MINUTE
  fc.assert(
    fc.property(scenes, ({ changes, windows, born, until, cuts }) => {
      const ordered = changes.toSorted((a, b) => a[0] - b[0])
      const row = life(
        ordered.filter(([minute]) => minute < until).map(([minute, state]) => [at(minute), state]),
        { first_previous: ordered.length > 0 ? 'unknown' : '' }
      )
      const exclusion: ExclusionRow = {
        covers_all: false,
        monitor_ids: [],
        heartbeat_ids: [],
        group_ids: ['g'],
        tags: [],
        spans: windows.map(([from, length]) => [at(from), at(from + length)])
      }
      const entity: Entity = { kind: 'monitor', id: ID, created_at: at(born), open: true, group_id: 'g' }
      const edges = [0, ...cuts].map(at)
      const rows = uptimeRows(
        [entity],
        { lives: [row], exclusions: [exclusion], openings: [], counts: [] },
        { edges, ends: [...edges.slice(1), at(LENGTH)] },
        at(until)
      )
      const stateIn = (minute: number): State | null => {
        if (minute < born) return null
        const kept = ordered.filter(([when]) => when <= minute).at(-1)?.[1] ?? (ordered.length > 0 ? 'unknown' : 'up')
        return kept !== 'paused' && windows.some(([from, length]) => from <= minute && minute < from + length) ? 'maintenance' : kept
      }
      const expected = edges.flatMap((edge, index) => {
        const [from, to] = [(edge - begin) / MINUTE, Math.min(until, index < 2 ? (cuts[index] ?? 0) : LENGTH)]
        if (from >= until) return []
        const seen = Array.from({ length: to - from }, (_, minute) => stateIn(from + minute))
        let [run, longest] = [0, 0]
        for (const state of seen) {
          run = state === 'down' ? run + 60 : 0
          longest = Math.max(longest, run)
        }
        const seconds = (state: State): number => 60 * seen.filter((one) => one === state).length
        return [[edge, ...states.map(seconds), longest]]
      })
      const found = rows.map((one) => [one.from, ...states.map((state) => one[`${state}_seconds`]), one.longest_outage_seconds])
      return isDeepStrictEqual(found, expected)
    }),
    { numRuns: 500 }
  )
  t.pass()
})

t.test('maintenance covers monitors and heartbeats by id, tag, group or all, and what is private only by id', async (t) => {
  const window = (fields: Partial<ExclusionRow>): ExclusionRow => ({
    covers_all: false,
    monitor_ids: [],
    heartbeat_ids: [],
    group_ids: [],
    tags: [],
    spans: [[0, DAY]],
    ...fields
  })
  const entities: Entity[] = [
    { kind: 'monitor', id: ID, created_at: 0, open: true, tags: ['db'], group_id: 'g' },
    { kind: 'heartbeat', id: ID, created_at: 0, open: true }
  ]
  const covered = (fields: Partial<ExclusionRow>, of: readonly Entity[] = entities): string[] =>
    uptimeRows(of, { lives: [], exclusions: [window(fields)], openings: [], counts: [] }, { edges: [0], ends: [DAY] }, DAY)
      .filter(({ maintenance_seconds }) => maintenance_seconds === 86_400)
      .map(({ kind }) => kind)
  t.same(covered({ covers_all: true }), ['heartbeat', 'monitor'])
  t.same(covered({ monitor_ids: [ID] }), ['monitor'])
  t.same(covered({ heartbeat_ids: [ID] }), ['heartbeat'])
  t.same(covered({ tags: ['x', 'db'] }), ['monitor'])
  t.same(covered({ group_ids: ['g', ''] }), ['monitor'], 'no group is no group of that name')
  t.same(covered({}), [])
  const closed = entities.map((one) => ({ ...one, open: false }))
  t.same(covered({ covers_all: true, tags: ['db'], group_ids: ['g'] }, closed), [])
  t.same(covered({ covers_all: true, monitor_ids: [ID] }, closed), ['monitor'])
  t.same(covered({ heartbeat_ids: [ID] }, closed), ['heartbeat'])
})

t.test('incidents and checks are counted in their bucket', async (t) => {
  const rows = uptimeRows(
    [{ kind: 'monitor', id: ID, created_at: 0, open: true }],
    {
      lives: [],
      exclusions: [],
      openings: [
        { kind: 'monitor', id: ID, bucket: DAY, n: 2 },
        { kind: 'heartbeat', id: ID, bucket: 0, n: 5 }
      ],
      counts: [{ id: ID, bucket: 0, checks: 8, checks_ok: 6 }]
    },
    { edges: [0, DAY, 2 * DAY], ends: [DAY, 2 * DAY, 3 * DAY] },
    DAY + 1000
  )
  t.match(rows, [
    { from: 0, to: DAY, incidents: 0, checks: 8, checks_ok: 6, checks_percent: 75, up_seconds: 86_400 },
    { from: DAY, to: 2 * DAY, incidents: 2, checks: 0, checks_percent: null, up_seconds: 1 }
  ])
  t.equal(rows.length, 2, 'what is to come has no row')
})

t.test('summaries without entities and of an always paused monitor', async (t) => {
  const edges = [0, 23 * DAY, 29 * DAY] as const
  t.same(summaryRows([], { lives: [], exclusions: [] }, edges, 30 * DAY), [])
  t.same(
    summaryRows(
      [{ kind: 'monitor', id: ID, created_at: 0, open: true }],
      { lives: [life([[-1, 'paused']])], exclusions: [] },
      edges,
      30 * DAY
    ),
    [{ kind: 'monitor', id: ID, h24: null, d7: null, d30: null }]
  )
})

t.test('a version of a maintenance window counts until a later one begins', async (t) => {
  const version = (ver: number, valid_from: number, monitor: string, spans: [number, number][], excluded = true): VersionRow => ({
    window_id: ID,
    ver,
    valid_from,
    excluded,
    covers_all: false,
    monitor_ids: [monitor],
    heartbeat_ids: [],
    group_ids: [],
    tags: [],
    spans
  })
  const cases: [what: string, rows: VersionRow[], expected: string[]][] = [
    ['as it stands, where no version is known', [version(0, 0, 'a', [[1, 2]])], ['a 1-2']],
    ['versions count instead', [version(0, 0, 'a', [[1, 2]]), version(3, 5, 'b', [[7, 8]])], ['b 7-8']],
    ['the first counts for the time before it', [version(3, 5, 'b', [[1, 2]])], ['b 1-2']],
    [
      'another scope',
      [
        version(1, 0, 'a', [
          [1, 2],
          [6, 8]
        ]),
        version(2, 4, 'b', [
          [1, 2],
          [6, 8]
        ])
      ],
      ['b 6-8', 'a 1-2']
    ],
    ['a change within an occurrence', [version(1, 0, 'a', [[1, 9]]), version(2, 4, 'b', [[1, 9]])], ['b 4-9', 'a 1-4']],
    ['it counts in uptime from then on', [version(1, 0, 'a', [[1, 9]]), version(2, 4, 'a', [[1, 9]], false)], ['a 1-4']],
    ['deleted before it began, by a clock that is behind', [version(1, 5, 'a', [[7, 9]]), version(2, 4, '', [], false)], []]
  ]
  for (const [what, rows, expected] of cases) {
    const found = excludedBy(rows).flatMap(({ monitor_ids, spans }) => spans.map(([begin, end]) => `${monitor_ids} ${begin}-${end}`))
    t.same(found, expected, what)
  }
})
