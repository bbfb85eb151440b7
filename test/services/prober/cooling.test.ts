/** Tests of how long a monitor's assertions are not evaluated after they took too much CPU time. */
import t from 'tap'
import { Cooling } from '../../../services/prober/cooling.ts'

const MINUTE = 60_000

t.test('the pause of costly assertions doubles up to 15 minutes, until they are decided', async (t) => {
  let now = 5
  const cooling = new Cooling(() => now)
  t.equal(cooling.rest('a'), 0)
  for (const minutes of [1, 2, 4, 8, 15, 15]) {
    cooling.tooCostly('a')
    t.equal(cooling.rest('a'), minutes * MINUTE)
    t.equal(cooling.rest('b'), 0, 'others are evaluated')
    now += minutes * MINUTE - 1
    t.equal(cooling.rest('a'), 1)
    now += 1
    t.equal(cooling.rest('a'), 0)
  }
  cooling.decided('a')
  cooling.tooCostly('a')
  t.equal(cooling.rest('a'), MINUTE)
})

t.test('the oldest of more than 10,000 monitors is forgotten', async (t) => {
  const cooling = new Cooling(() => 0)
  for (let nth = 0; nth <= 10_000; nth++) cooling.tooCostly(String(nth))
  t.equal(cooling.rest('0'), 0)
  t.equal(cooling.rest('1'), MINUTE)
})
