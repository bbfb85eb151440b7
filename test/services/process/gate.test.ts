/** Tests of the gate that workspaces share: single cases, and any order of entering and leaving. */
import fc from 'fast-check'
import t from 'tap'
import { FairGate } from '../../../services/process/gate.ts'

/** Names in the order in which they entered. */
function door(places: number, isAlone?: () => boolean) {
  const gate = new FairGate(places, isAlone)
  const inside: string[] = []
  const come = (...names: string[]): void => {
    for (const name of names) void gate.enter(name[0] ?? '').then(() => inside.push(name))
  }
  const settled = async (): Promise<string[]> => {
    await new Promise((resolve) => setImmediate(resolve))
    return inside
  }
  return { gate, come, settled }
}

const many = (share: string, count: number): string[] => Array.from({ length: count }, (_, n) => `${share}${n + 1}`)

t.test('one workspace holds at most half of the places', async (t) => {
  const { gate, come, settled } = door(10)
  come(...many('a', 20))
  t.same(await settled(), many('a', 5), 'holds half of the places at most, in the order of asking')
  t.equal(gate.waiting, 15)
  gate.leave('a')
  t.same(await settled(), many('a', 6), 'a place that it frees is its own again')
  come('b1', 'b2', 'b3', 'b4')
  t.same((await settled()).slice(6), ['b1', 'b2', 'b3'], 'others begin at once')
  t.same([gate.held('a'), gate.held('b'), gate.isWaiting('c')], [5, 3, false])
  t.same([gate.waitingOf('a'), gate.waitingOf('b'), gate.waitingOf('c')], [14, 1, 0])
})

t.test('a workspace that is alone gets all places', async (t) => {
  let isAlone = true
  const { gate, come, settled } = door(10, () => isAlone)
  come(...many('a', 20))
  t.equal((await settled()).length, 10)
  isAlone = false
  come('b1')
  gate.leave('a')
  t.equal((await settled()).at(-1), 'b1', 'the first place that is freed goes to the one that comes')
  for (let n = 0; n < 4; n++) gate.leave('a')
  t.equal((await settled()).length, 11, 'until half of them are free of it')
})

t.test('waiting workspaces take turns', async (t) => {
  const { gate, come, settled } = door(1)
  come('a1', 'a2', 'a3', 'b1', 'b2', 'c1')
  for (let n = 0; n < 5; n++) {
    const inside = await settled()
    gate.leave(inside.at(-1)?.[0] ?? '')
  }
  t.same(await settled(), ['a1', 'a2', 'b1', 'c1', 'a3', 'b2'])
})

t.test('a waiter that gives up is skipped', async (t) => {
  const { gate, come, settled } = door(1)
  come('a1')
  const gone = new AbortController()
  const given = gate.enter('b', gone.signal)
  come('c1')
  gone.abort(new Error('enough'))
  await t.rejects(given, { message: 'enough' })
  await t.rejects(gate.enter('b', gone.signal), { message: 'enough' })
  gate.leave('a')
  t.same(await settled(), ['a1', 'c1'])
  t.equal(gate.waiting, 0)
})

t.test('the gate stays fair in any order of entering, leaving and giving up', async () => {
  const step = fc.record({
    share: fc.constantFrom('a', 'b', 'c', 'd'),
    what: fc.constantFrom('come', 'come', 'come', 'leave', 'leave', 'give up')
  })
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 12 }), fc.array(step, { maxLength: 80 }), async (places, steps) => {
      const gate = new FairGate(places)
      const inside: string[] = []
      const waits: { share: string; order: number; giveUp: AbortController; state: 'waits' | 'in' | 'gone' }[] = []
      for (const { share, what } of steps) {
        const wasFree = places - inside.length
        const held = inside.filter((one) => one === share).length
        if (what === 'come') {
          const one = { share, order: waits.length, giveUp: new AbortController(), state: 'waits' as 'waits' | 'in' | 'gone' }
          waits.push(one)
          gate.enter(share, one.giveUp.signal).then(
            () => {
              one.state = 'in'
              inside.push(share)
            },
            () => {
              one.state = 'gone'
            }
          )
        } else if (what === 'leave') {
          if (held === 0) continue
          inside.splice(inside.indexOf(share), 1)
          gate.leave(share)
        } else waits.find((one) => one.share === share && one.state === 'waits')?.giveUp.abort()
        await new Promise((resolve) => setImmediate(resolve))
        const free = places - inside.length
        const now = (name: string): number => inside.filter((one) => one === name).length
        const waiting = waits.filter(({ state }) => state === 'waits')
        if (free < 0) throw new Error('more inside than there are places')
        if (gate.waiting !== waiting.length) throw new Error('it counts others than wait')
        for (const name of ['a', 'b', 'c', 'd']) {
          if (gate.held(name) !== now(name)) throw new Error('it counts others than are inside')
          const waitsHere = waiting.filter((one) => one.share === name)
          if (waitsHere.length > 0 && now(name) < free) throw new Error(`${name} waits beside free places`)
          const last = waits.filter((one) => one.share === name && one.state === 'in').at(-1)
          if (waitsHere.some(({ order }) => order < (last?.order ?? -1))) throw new Error(`${name} does not come in its order`)
        }
        if (what === 'come' && held === 0 && wasFree > 0 && now(share) === 0) throw new Error('a newcomer waits beside free places')
      }
    }),
    { numRuns: 400 }
  )
})
