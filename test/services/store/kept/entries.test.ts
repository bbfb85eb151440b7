/** What a table of look-ups keeps. Each row lists the steps, and what is kept afterwards. */
import t from 'tap'
import { Entries } from '../../../../services/store/kept/entries.ts'
import { usableMs } from '../../../../services/store/kept/table.ts'

/** Values are `group/name`. */
const limits = { entries: 3, negativeEntries: 2, negativeMs: 5 }
const groupOf = (value: string): string => value.slice(0, value.indexOf('/'))

interface Row {
  name: string
  steps(entries: Entries<string>): void
  /** The kept values: key → value. */
  found: Record<string, string>
  /** Keys from a to f that are kept as having no value, at the instant 10. */
  absent?: string[]
}

const use = (entries: Entries<string>, key: string): void => {
  const entry = entries.get(key)
  if (entry) entry.used = true
}
/** Keeps a value for each key, each at the next instant. */
const fill = (entries: Entries<string>, ...keys: string[]): void => {
  for (const [nth, key] of keys.entries()) entries.keep(key, `g/${key}`, nth)
}

const rows: Row[] = [
  { name: 'nothing is kept at first', steps: () => undefined, found: {} },
  { name: 'a value is kept', steps: (entries) => fill(entries, 'a'), found: { a: 'g/a' } },
  { name: 'a later answer replaces it', steps: (entries) => [fill(entries, 'a'), entries.keep('a', 'h/2', 1)], found: { a: 'h/2' } },
  {
    name: 'beyond the bound the oldest goes',
    steps: (entries) => fill(entries, 'a', 'b', 'c', 'd'),
    found: { b: 'g/b', c: 'g/c', d: 'g/d' }
  },
  {
    name: 'one that was used stays, and the oldest that was not goes',
    steps: (entries) => [fill(entries, 'a', 'b', 'c'), use(entries, 'a'), fill(entries, 'd')],
    found: { a: 'g/a', c: 'g/c', d: 'g/d' }
  },
  {
    name: 'a use counts for one round',
    steps: (entries) => [fill(entries, 'a', 'b', 'c'), use(entries, 'a'), fill(entries, 'd', 'e', 'f')],
    found: { d: 'g/d', e: 'g/e', f: 'g/f' }
  },
  {
    name: 'an answer for a kept key pushes nothing out',
    steps: (entries) => [fill(entries, 'a', 'b', 'c'), entries.keep('c', 'g/2', 3)],
    found: { a: 'g/a', b: 'g/b', c: 'g/2' }
  },
  {
    name: 'none such takes the value away',
    steps: (entries) => [fill(entries, 'a'), entries.keep('a', null, 6)],
    found: {},
    absent: ['a']
  },
  { name: 'none such ends after its time', steps: (entries) => entries.keep('a', null, 5), found: {} },
  { name: 'a value takes none such away', steps: (entries) => [entries.keep('a', null, 6), fill(entries, 'a')], found: { a: 'g/a' } },
  {
    name: 'none such is bounded by itself: the oldest goes, values stay',
    steps: (entries) => [fill(entries, 'f'), ...['a', 'b', 'c'].map((key) => entries.keep(key, null, 6))],
    found: { f: 'g/f' },
    absent: ['b', 'c']
  },
  { name: 'a drop forgets a value', steps: (entries) => [fill(entries, 'a', 'b'), entries.drop('a')], found: { b: 'g/b' } },
  { name: 'a drop forgets none such', steps: (entries) => [entries.keep('a', null, 6), entries.drop('a')], found: {} },
  {
    name: 'a group goes together, and with it every none such',
    steps: (entries) => [
      entries.keep('a', 'x/a', 0),
      entries.keep('b', 'y/b', 0),
      entries.keep('c', 'x/c', 0),
      entries.keep('d', null, 6),
      entries.dropGroup('x')
    ],
    found: { b: 'y/b' }
  },
  {
    name: 'a value that moved to another group does not go with its old one',
    steps: (entries) => [entries.keep('a', 'x/a', 0), entries.keep('a', 'y/a', 1), entries.dropGroup('x')],
    found: { a: 'y/a' }
  },
  {
    name: 'outdated values are kept, and none such is not',
    steps: (entries) => [fill(entries, 'a'), entries.keep('b', null, 6), entries.outdate(-60)],
    found: { a: 'g/a' }
  }
]

for (const { name, steps, found, absent = [] } of rows) {
  t.test(name, async (t) => {
    const entries = new Entries<string>(limits, groupOf)
    steps(entries)
    const keys = ['a', 'b', 'c', 'd', 'e', 'f']
    const kept = keys.flatMap((key) => {
      const entry = entries.get(key)
      return entry ? [[key, entry.value]] : []
    })
    t.same(Object.fromEntries(kept), found)
    t.equal(entries.size, kept.length)
    t.same(
      keys.filter((key) => entries.isAbsent(key, 10)),
      absent
    )
  })
}

t.test('a value is outdated until it is kept anew', async (t) => {
  const entries = new Entries<string>(limits)
  fill(entries, 'a', 'b')
  entries.outdate(4)
  entries.keep('b', 'g/b', 5)
  t.same([entries.get('a')?.isOutdated, entries.get('b')?.isOutdated], [true, false])
})

t.test('outdating lowers the check time of newer values and keeps that of older ones', async (t) => {
  const entries = new Entries<string>(limits)
  entries.keep('a', 'a', 1)
  entries.keep('b', 'b', 9)
  entries.outdate(4)
  t.equal(entries.get('a')?.checkedAt, 1)
  t.equal(entries.get('b')?.checkedAt, 4)
})

t.test('the greatest age at which a value is used without a new query', async (t) => {
  const ages = { staleMs: 600, freshMs: 60, freshUnheardMs: 4 }
  const table: [failing: boolean, listening: boolean, expected: number][] = [
    [false, true, 60],
    [false, false, 4],
    [true, true, 600],
    [true, false, 600]
  ]
  for (const [failing, listening, expected] of table) t.equal(usableMs(failing, listening, ages), expected, `${failing} ${listening}`)
})
