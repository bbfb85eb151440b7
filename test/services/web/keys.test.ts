/** Tests of what a key does where the frame and the page both bind keys. */
import t from 'tap'
import { type First, type Keys, pressed } from '../../../services/web/shell/pressed.ts'

const names =
  (...keys: string[]) =>
  (press: (name: string) => void) =>
    Object.fromEntries(keys.map((key) => [key, () => press(key)]))
const frame = names('/', '?', 'g a', 'g c', 'g i')
const incident = names('a', 'r', 'e')
const list = names('j', 'k', 'c')

/** Presses keys, each `apart` ms after the other, and returns the actions. */
function press(parts: readonly ReturnType<typeof names>[], keys: readonly string[], apart = 100): string[] {
  const done: string[] = []
  const bound: Keys[] = parts.map((part) => part((name) => done.push(name)))
  let first: First | null = null
  keys.forEach((key, index) => {
    const { action, first: next } = pressed(bound, first, key, index * apart)
    first = next
    action?.()
  })
  return done
}

t.test('g and a second key goes to a place, also where the page binds the second key', async (t) => {
  // What the page binds takes precedence over the frame.
  t.same(press([incident, frame], ['g', 'a']), ['g a'])
  t.same(press([list, frame], ['g', 'c']), ['g c'])
  t.same(press([incident, list, frame], ['g', 'i', 'a', 'g', 'a', 'c']), ['g i', 'a', 'g a', 'c'])
})

t.test('a second key that belongs to no sequence does nothing', async (t) => {
  t.same(press([incident, frame], ['g', 'r']), [])
  t.same(press([incident, frame], ['g', 'r', 'r']), ['r'])
  t.same(press([incident, frame], ['g', 'g', 'a']), ['g a'])
})

t.test('a key acts alone where no first key waits', async (t) => {
  t.same(press([incident, frame], ['a', '/', 'x', 'r']), ['a', '/', 'r'])
  t.same(press([incident, frame], ['g', 'a'], 1_200), ['a'])
})

t.test('the most recently mounted component takes precedence', async (t) => {
  const last = names('a')
  const done: string[] = []
  const [one, other] = [last(() => done.push('page')), last(() => done.push('dialog'))]
  pressed([other, one], null, 'a', 0).action?.()
  t.same(done, ['dialog'])
})
