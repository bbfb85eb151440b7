/**
 * Rows of a list are fetched together once the list rests. Rows that are gone by then are not
 * fetched.
 */
import t from 'tap'
import { type Clock, createGather } from '../../../services/web/api/gather.ts'

/** A clock that the test moves on. */
function stage() {
  let now = 0
  let timers: { due: number; work: () => void }[] = []
  const clock: Clock = {
    now: () => now,
    after(ms, work) {
      const timer = { due: now + ms, work }
      timers.push(timer)
      return () => {
        timers = timers.filter((one) => one !== timer)
      }
    }
  }
  const pass = (ms: number): void => {
    const end = now + ms
    for (;;) {
      const [next] = timers.filter(({ due }) => due <= end).sort((one, other) => one.due - other.due)
      if (!next) break
      timers = timers.filter((one) => one !== next)
      now = next.due
      next.work()
    }
    now = end
  }
  const asked: string[][] = []
  const failures: Error[] = []
  const ask = createGather<string>(async (ids, answer) => {
    asked.push([...ids])
    const [failure] = failures
    if (failure) throw failure
    for (const id of ids) answer(id, `data of ${id}`)
  }, clock)
  const row = (id: string) => {
    const gone = new AbortController()
    return { data: ask(id, gone.signal), leave: () => gone.abort(new Error(`${id} is gone`)) }
  }
  return { asked, row, pass, failures }
}

t.test('rows that are drawn together are fetched together', async (t) => {
  const { asked, row, pass } = stage()
  const rows = ['a', 'b', 'c', 'a'].map(row)
  t.same(asked, [])
  pass(1_000)
  t.same(asked, [['a', 'b', 'c']])
  t.same(await Promise.all(rows.map(({ data }) => data)), ['data of a', 'data of b', 'data of c', 'data of a'])
})

t.test('a row that is gone before the list rests is not fetched', async (t) => {
  const { asked, row, pass } = stage()
  const [first, second] = [row('a'), row('b')]
  first.leave()
  await t.rejects(first.data, { message: 'a is gone' })
  pass(1_000)
  t.same(asked, [['b']])
  t.equal(await second.data, 'data of b')
  const third = row('c')
  third.leave()
  await t.rejects(third.data)
  pass(10_000)
  t.equal(asked.length, 1, 'nobody is left')
})

t.test('during long scrolling, the visible rows are fetched now and then', (t) => {
  const { asked, row, pass } = stage()
  const rows: ReturnType<typeof row>[] = []
  // A new row every 40 ms, each visible for a second.
  for (let nth = 0; nth < 1_500; nth++) {
    const here = row(`row ${nth}`)
    here.data.catch(() => undefined)
    rows.push(here)
    rows[nth - 25]?.leave()
    pass(40)
  }
  // One minute of scrolling: two requests for each reading of a list of monitors.
  t.ok(asked.length >= 20 && asked.length <= 30, `${asked.length} readings`)
  t.ok(
    asked.every((ids) => ids.length <= 25),
    'only rows in sight'
  )
  t.end()
})

t.test('a list scrolled in steps makes few requests, and each row gets its data', async (t) => {
  const { asked, row, pass } = stage()
  const rows: Promise<string>[] = []
  for (let nth = 0; nth < 120; nth++) {
    rows.push(row(`row ${nth}`).data)
    pass(500)
  }
  t.ok(asked.length <= 36, `${asked.length} readings in a minute`)
  pass(10_000)
  t.equal((await Promise.all(rows)).length, 120)
  t.equal(asked.flat().length, 120, 'each once')
})

t.test('a failed read rejects its rows, and the next row is requested', async (t) => {
  const { asked, row, pass, failures } = stage()
  failures.push(new Error('nobody answers'))
  const first = row('a')
  pass(1_000)
  await t.rejects(first.data, { message: 'nobody answers' })
  const second = row('a')
  second.data.catch(() => undefined)
  pass(1_000)
  t.same(asked, [['a'], ['a']])
})
