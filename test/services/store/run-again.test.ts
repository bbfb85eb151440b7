/**
 * Tests which failed transactions run again at once: those that lost a deadlock, or whose row had
 * moved. Nothing else does.
 */
import t from 'tap'
import { RowMoved, retrying } from '../../../services/store/row-moved.ts'

const failing = (code: string): Error => Object.assign(new Error(code), { code })

for (const [error, tries] of [
  [failing('40P01'), 2],
  [new RowMoved('moved'), 2],
  [failing('23505'), 1],
  [failing('57014'), 1],
  [new Error('no code'), 1]
] as const)
  t.test(`work that fails with ${error.message} is done ${tries === 2 ? 'again' : 'once'}`, async (t) => {
    let done = 0
    const work = async (): Promise<string> => {
      done += 1
      if (done === 1) throw error
      return 'done'
    }
    t.equal(await retrying(work).catch(({ message }: Error) => message), tries === 2 ? 'done' : error.message)
    t.equal(done, tries)
  })

t.test('work that loses every deadlock is given up after three tries', async (t) => {
  let done = 0
  await t.rejects(
    retrying(async () => {
      done += 1
      throw failing('40P01')
    }),
    { code: '40P01' }
  )
  t.equal(done, 3)
})
