import t from 'tap'
import { createRest } from '../../../streams/runtime/rest.ts'

const HOUR_MS = 3_600_000

t.test('a rest ends after its time', async (t) => {
  const { rest } = createRest()
  t.equal(await rest(1), undefined)
})

t.test('after the end, a rest returns at once', async (t) => {
  const { rest, end } = createRest()
  const under = rest(HOUR_MS)
  end()
  await under
  t.equal(await rest(HOUR_MS), undefined, 'though the loop was in the middle of its work')
})

t.test('a wake ends the current rest and does not shorten the next', async (t) => {
  const { rest, wake } = createRest()
  wake()
  let over = 0
  const first = rest(HOUR_MS).then(() => over++)
  await new Promise(setImmediate)
  t.equal(over, 0, 'a wake that came before does not end it')
  wake()
  wake()
  await first
  const second = rest(HOUR_MS).then(() => over++)
  await new Promise(setImmediate)
  t.equal(over, 1, 'the second wake was not kept for the next rest')
  wake()
  await second
  t.equal(over, 2)
})
