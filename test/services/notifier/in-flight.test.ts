/** Tests of what a process knows about its attempts in flight. */
import t from 'tap'
import { InFlight } from '../../../services/notifier/in-flight.ts'

const rows = (target_id: string, count: number, tenant_id = 'acme', kind = 'webhook') =>
  Array.from({ length: count }, () => ({ tenant_id, target_id, kind }))

t.test('a target is full with four attempts and followed until nothing waits there', (t) => {
  const hand = new InFlight()
  hand.add([...rows('a', 3), ...rows('b', 1)])
  t.equal(hand.total, 4)
  t.notOk(hand.isFull('a'))
  t.notOk(hand.isFollowed('a'), 'it has room: nothing waits')
  hand.add(rows('a', 1))
  t.ok(hand.isFull('a'))
  t.ok(hand.isFollowed('a'))
  hand.remove(rows('a', 2))
  t.ok(hand.isFollowed('a'), 'nobody has said that nothing waits')
  hand.unfollow('a')
  t.notOk(hand.isFollowed('a'))
  hand.follow('b')
  t.ok(hand.isFollowed('b'))
  hand.remove(rows('b', 1))
  t.notOk(hand.isFollowed('b'), "what is in nobody's hand is forgotten")
  hand.follow('c')
  t.notOk(hand.isFollowed('c'), 'a look finds it')
  t.equal(hand.total, 2)
  t.end()
})

t.test('attempts are counted by workspace', (t) => {
  const hand = new InFlight()
  hand.add([...rows('a', 2), ...rows('b', 1), ...rows('c', 3, 'globex')])
  t.same([hand.of('acme'), hand.of('globex'), hand.of('initech')], [3, 3, 0])
  hand.remove([...rows('b', 1), ...rows('c', 3, 'globex')])
  t.same([hand.of('acme'), hand.of('globex'), hand.total], [2, 0, 2])
  t.end()
})

t.test('attempts by mail are counted, in total and by workspace', (t) => {
  const hand = new InFlight()
  hand.add([...rows('a', 2), ...rows('b', 3, 'acme', 'email'), ...rows('c', 1, 'globex', 'email')])
  t.same([hand.mails, hand.mailsOf('acme'), hand.mailsOf('globex'), hand.mailsOf('initech')], [4, 3, 1, 0])
  hand.remove([...rows('a', 2), ...rows('b', 1, 'acme', 'email'), ...rows('c', 1, 'globex', 'email')])
  t.same([hand.mails, hand.mailsOf('acme'), hand.mailsOf('globex'), hand.total], [2, 2, 0, 2])
  t.end()
})
