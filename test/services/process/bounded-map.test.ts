/** What a bounded map keeps. */
import t from 'tap'
import { BoundedMap } from '../../../services/process/bounded-map.ts'

t.test('a full map drops the entry that was written longest ago', async (t) => {
  const map = new BoundedMap<string, number>(2)
  map.set('a', 1).set('b', 2).set('a', 3)
  t.same(
    [...map],
    [
      ['b', 2],
      ['a', 3]
    ]
  )
  map.set('c', 4)
  t.same(
    [...map],
    [
      ['a', 3],
      ['c', 4]
    ]
  )
  t.equal(map.get('a'), 3)
  map.set('d', 5)
  t.same([...map.keys()], ['c', 'd'], 'reading is no writing')
})
