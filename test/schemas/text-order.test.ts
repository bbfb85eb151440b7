import fc from 'fast-check'
import t from 'tap'
import { byText, sortedByKey } from '../../schemas/text-order.ts'

t.test('texts are ordered by UTF-16 unit, as sort() without a rule orders them', (t) => {
  t.same([byText('a', 'b'), byText('b', 'a'), byText('a', 'a'), byText('Z', 'a'), byText('', 'a')], [-1, 1, 0, -1, -1])
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary' })), (texts) => t.same([...texts].sort(byText), [...texts].sort())),
    { numRuns: 50 }
  )
  t.end()
})

t.test('records with the same entries are equal as JSON when their keys are sorted', (t) => {
  t.equal(JSON.stringify(sortedByKey({ b: 2, B: 3, a: 1 })), '{"B":3,"a":1,"b":2}')
  const given = { z: '1', y: '2' }
  t.not(sortedByKey(given), given)
  t.same(Object.keys(given), ['z', 'y'], 'the record itself is left as it is')
  t.end()
})
