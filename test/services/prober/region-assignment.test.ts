/**
 * Tests of which monitors a prober checks after each answer, and of the correction of its clock.
 */
import t from 'tap'
import type { Assignment, ConfigAnswer } from '../../../schemas/http/prober.ts'
import { RegionAssignment } from '../../../services/prober/region-assignment.ts'
import { correctionOf } from '../../../services/prober/service-clock.ts'
import { isOwn } from '../../../services/prober/share.ts'

const monitor = (monitor_id: string, type = 'http') => ({ monitor_id, type }) as Assignment
const answer = (overrides: Partial<ConfigAnswer>): ConfigAnswer => ({
  version: 1,
  full: false,
  monitors: [],
  removed: [],
  once: [],
  ...overrides
})
const full = (...ids: string[]): ConfigAnswer => answer({ full: true, monitors: ids.map((id) => monitor(id)) })
const check = (check_id: string, expires: number) => ({
  check_id,
  monitor_id: 'a',
  scheduled_at: new Date(0).toISOString(),
  count: true,
  expires_at: new Date(expires).toISOString()
})
const alone = [{ instance_id: 'own', kinds: ['http'] }]

/** Makes an assignment over rounds that only record calls. */
function stand() {
  const watched = new Set<string>()
  const done: string[] = []
  let counted = [0, 0]
  const assignment = new RegionAssignment({
    instance: 'own',
    rounds: {
      watch: ({ monitor_id }) => void watched.add(monitor_id),
      unwatch: (id) => void watched.delete(id),
      watches: (id) => watched.has(id),
      once: (_, { checkId }) => void done.push(checkId),
      trial: ({ monitor_id }, { checkId }) => void done.push(`${checkId} tries ${monitor_id}`),
      get size() {
        return watched.size
      }
    },
    now: () => 1000,
    onCount: (region, own) => {
      counted = [region, own]
    }
  })
  assignment.setLive(alone)
  return { assignment, watched: () => [...watched].sort(), done, counted: () => counted }
}

t.test('an unsaved definition is tried once, by the prober that would own it', async (t) => {
  const trial = { ...check('1', 2000), definition: monitor('new') }
  const { assignment, done, watched } = stand()
  t.equal(assignment.apply(answer({ once: [trial] })), true)
  t.equal(assignment.apply(answer({ once: [trial] })), false)
  t.same(done, ['1 tries new'])
  t.same(watched(), [], 'it is not watched')
  assignment.setLive([{ instance_id: 'other', kinds: ['http'] }])
  assignment.apply(answer({ once: [{ ...trial, check_id: '2' }] }))
  t.same(done, ['1 tries new'], 'a sibling does that one')
})

t.test('changes to the watched monitors after each configuration answer', async (t) => {
  const rows: { name: string; before: ConfigAnswer[]; last: ConfigAnswer; isNews: boolean; watched: string[] }[] = [
    { name: 'a full one brings all', before: [], last: full('a', 'b'), isNews: true, watched: ['a', 'b'] },
    { name: 'a full one without monitors is news, too', before: [], last: full(), isNews: true, watched: [] },
    { name: 'a later full one replaces everything', before: [full('a', 'b')], last: full('b', 'c'), isNews: true, watched: ['b', 'c'] },
    { name: 'a change adds', before: [full('a')], last: answer({ monitors: [monitor('b')] }), isNews: true, watched: ['a', 'b'] },
    { name: 'a change removes', before: [full('a', 'b')], last: answer({ removed: ['a'] }), isNews: true, watched: ['b'] },
    {
      name: 'what was never held is removed without harm',
      before: [full('a')],
      last: answer({ removed: ['x'] }),
      isNews: true,
      watched: ['a']
    },
    { name: 'an empty one is no news', before: [full('a')], last: answer({}), isNews: false, watched: ['a'] },
    { name: 'a check to do now is news', before: [full('a')], last: answer({ once: [check('1', 2000)] }), isNews: true, watched: ['a'] },
    {
      name: 'a check that was told before is none',
      before: [full('a'), answer({ once: [check('1', 2000)] })],
      last: answer({ once: [check('1', 2000)] }),
      isNews: false,
      watched: ['a']
    },
    {
      name: 'a check that has expired is none',
      before: [full('a')],
      last: answer({ once: [check('1', 999)] }),
      isNews: false,
      watched: ['a']
    }
  ]
  for (const { name, before, last, isNews, watched } of rows) {
    const { assignment, watched: all } = stand()
    for (const one of before) assignment.apply(one)
    t.equal(assignment.apply(last), isNews, name)
    t.same(all(), watched, name)
  }
})

t.test('a check is done once, even if several answers contain it', async (t) => {
  const { assignment, done } = stand()
  for (let times = 0; times < 3; times++) assignment.apply(answer({ once: [check('1', 2000), check('2', 999)] }))
  t.same(done, ['1'])
})

t.test('a prober watches only its share, and an unchanged list of live probers is no news', async (t) => {
  const { assignment, watched, counted } = stand()
  const ids = Array.from({ length: 40 }, (_, nth) => `m${nth}`)
  assignment.apply(full(...ids))
  const both = [...alone, { instance_id: 'other', kinds: ['http'] }]
  t.equal(assignment.setLive(both), true)
  t.same(watched(), ids.filter((id) => isOwn('own', id, 'http', both)).sort())
  t.same(counted(), [40, watched().length])
  t.equal(assignment.setLive([...both]), false)
  t.equal(assignment.setLive([]), true)
  t.same(watched(), [], 'a prober that is to stop checks nothing')
})

t.test('the configuration version is kept until it is forgotten', async (t) => {
  const { assignment } = stand()
  t.equal(assignment.version, undefined)
  assignment.apply(answer({ version: 7 }))
  t.equal(assignment.version, 7)
  assignment.forgetVersion()
  t.equal(assignment.version, undefined)
})

t.test('a monitor of an unknown type belongs to exactly one live prober', async (t) => {
  const live = ['own', 'other', 'third'].map((instance_id) => ({ instance_id, kinds: ['http'] }))
  for (const id of ['m1', 'm2', 'm3']) t.equal(live.filter(({ instance_id }) => isOwn(instance_id, id, 'icmp', live)).length, 1, id)
})

t.test('corrections of the clock for different offsets', async (t) => {
  const rows: [name: string, ahead: number, current: number, next: number, error?: number][] = [
    ['a little off is left alone', 2000, 0, 0],
    ['too far ahead', 2001, 0, -2001],
    ['too far behind', -5000.4, 0, 5000],
    ['a small change of it is not worth one', 5900, -5000, -5000],
    ['a larger one is', 6001, -5000, -6001],
    ['right again', 10, -5000, 0],
    ['no more off than the estimate may be', 4000, 0, 0, 4000],
    ['right again, as far as the estimate can tell', 1000, -5000, -5000, 4000],
    ['more than that', 4001, 0, -4001, 2000]
  ]
  for (const [name, ahead, current, next, error = 0] of rows) t.equal(correctionOf(ahead, current, error), next, name)
})
