/** Work that waits for the page to rest continues once nobody scrolls, a few items in each task. */
import t from 'tap'
import { hearScrolling, onRest } from '../../../services/web/parts/rested.ts'
import { until } from '../../harness/until.ts'

t.test('work waits while the page is scrolled, and then all of it runs', async (t) => {
  let now = 0
  t.intercept(performance, 'now', { value: () => now })
  const heard: (() => void)[] = []
  hearScrolling({ addEventListener: (_, hear) => void heard.push(hear) })
  for (const scroll of heard) scroll()
  /** Each inner list holds what ran in one task. */
  const tasks: number[][] = []
  let isOpen = false
  const note = (nth: number): void => {
    if (!isOpen) {
      tasks.push([])
      queueMicrotask(() => {
        isOpen = false
      })
    }
    isOpen = true
    tasks.at(-1)?.push(nth)
  }
  const prevent = Array.from({ length: 10 }, (_, nth) => onRest(() => note(nth)))
  prevent[3]?.()
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setTimeout(resolve))
  t.same(tasks, [], 'the clock stands still: it is scrolled')
  now = 1_000
  await until('all of them', () => tasks.length === 3)
  t.same(tasks, [[0, 1, 2, 4], [5, 6, 7, 8], [9]])
  onRest(() => note(10))
  await until('one that comes later', () => tasks.length === 4)
})
