/** Tests of what the dashboard's connection does next, and of how live it says that it is. */
import t from 'tap'
import { closeCodes } from '../../../services/gateway/close-codes.ts'
import { isOld, type LiveState, LiveStore, polls } from '../../../services/web/live/live-state.ts'
import { type Moment, nextStep, retryPauseMs, stateAfter } from '../../../services/web/live/steps.ts'

const now = 1_000_000
const quiet: Moment = { now, hasSocket: true, retryAt: 0, askedAt: null, heardAt: now, isOnline: true, isVisible: true }

t.test('next steps of the connection', async (t) => {
  const rows: [name: string, moment: Partial<Moment>, step: ReturnType<typeof nextStep>][] = [
    ['all is well', {}, null],
    ['no socket, and its pause is over', { hasSocket: false, retryAt: now }, 'open'],
    ['no socket, and its pause is not over', { hasSocket: false, retryAt: now + 1 }, null],
    ['no socket and no network', { hasSocket: false, retryAt: now, isOnline: false }, null],
    ['a question still has time', { askedAt: now - 6000 }, null],
    ['a question stayed without an answer', { askedAt: now - 6001 }, 'give up'],
    ['a page that nobody sees gives up, too', { askedAt: now - 6001, isVisible: false }, 'give up'],
    ['nothing heard for 25 s', { heardAt: now - 25_001 }, 'ask'],
    ['nothing heard for a little less', { heardAt: now - 25_000 }, null],
    ['nobody looks: nothing is asked', { heardAt: now - 60_000, isVisible: false }, null]
  ]
  for (const [name, moment, step] of rows) t.equal(nextStep({ ...quiet, ...moment }), step, name)
})

t.test('pauses double up to 15 s, with a jitter of half', async (t) => {
  const rows: [attempts: number, random: number, ms: number][] = [
    [0, 0.5, 500],
    [1, 0.5, 1000],
    [4, 0.5, 8000],
    [5, 0.5, 15_000],
    [50, 0.5, 15_000],
    [0, 0, 250],
    [50, 1, 22_500]
  ]
  for (const [attempts, random, ms] of rows) t.equal(retryPauseMs(attempts, random), ms, `${attempts} ${random}`)
})

t.test('a page beyond the connections of the plan polls, and tries again after minutes', async (t) => {
  const rows: [name: string, code: number | null, isOnline: boolean, state: ReturnType<typeof stateAfter>][] = [
    ['too many connections', closeCodes.tooMany, true, 'full'],
    ['too many connections, and no network now', closeCodes.tooMany, false, 'offline'],
    ['a restart', 1001, true, 'reconnecting'],
    ['given up', null, true, 'reconnecting'],
    ['no network', 1006, false, 'offline']
  ]
  for (const [name, code, isOnline, state] of rows) t.equal(stateAfter(code, isOnline), state, name)
  t.equal(retryPauseMs(0, 0, 'full'), 60_000)
  t.equal(retryPauseMs(50, 1, 'full'), 180_000)
  t.equal(retryPauseMs(1, 0.5, 'offline'), 1000)
  const states: LiveState[] = ['connecting', 'live', 'reconnecting', 'full', 'stale', 'offline', 'ended']
  t.same(states.filter(polls), ['reconnecting', 'full', 'stale'])
  t.same(states.filter(isOld), ['reconnecting', 'stale', 'offline'], 'readings alone tell whether a full page is old')
})

t.test('the time since which the page is not live', async (t) => {
  const rows: [name: string, states: LiveState[], since: number | null][] = [
    ['from the first state that is not live', ['connecting', 'reconnecting', 'offline'], 0],
    ['live: not at all', ['connecting', 'live'], null],
    ['from the end of the last live time', ['connecting', 'live', 'stale', 'reconnecting'], 2]
  ]
  for (const [name, states, since] of rows) {
    const store = new LiveStore()
    for (const [at, state] of states.entries()) store.become(state, at)
    t.equal(store.now.since, since, name)
  }
})

t.test('a listener hears each state once, until it unsubscribes', async (t) => {
  const store = new LiveStore()
  let heard = 0
  const stop = store.subscribe(() => {
    heard++
  })
  store.become('connecting', 0)
  store.become('connecting', 1)
  store.sawFrame(2)
  t.equal(heard, 1)
  t.match(store.now, { state: 'connecting', since: 0, lastFrameAt: 2 })
  stop()
  store.become('live', 3)
  t.equal(heard, 1)
})
