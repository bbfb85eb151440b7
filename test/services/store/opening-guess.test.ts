/** How a process guesses, from what it has seen, in which workspaces a batch may open incidents. */
import t from 'tap'
import { OpeningGuess } from '../../../services/store/opening-guess.ts'
import { nameOf } from '../../../streams/incident/fold.ts'
import type { SignalKey, SignalRow } from '../../../streams/incident/signals.ts'
import { builtIn, compile, type RuleSet } from '../../../streams/routing/rules.ts'
import { id } from '../../streams/incident/build.ts'
import { ruleOf } from '../../streams/routing/build.ts'

const [acme, globex] = [id('acme'), id('globex')]
const key = (dedup_key: string, tenant_id = acme): SignalKey => ({ tenant_id, dedup_key })
const group = ruleOf(id('group'), { actions: { group: { by: ['label.service'], window_seconds: 3600, max_alerts: 4 } } })
const grouping = compile(2, [group], [])

interface Batch {
  fires?: SignalKey[]
  ends?: SignalKey[]
  rules?: [string, RuleSet][]
  signals?: Partial<SignalRow>[]
}

function learn(guess: OpeningGuess, { fires = [], ends = [], rules = [[acme, builtIn]], signals = [] }: Batch): void {
  const last = new Map([...fires.map((one) => [nameOf(one), true] as const), ...ends.map((one) => [nameOf(one), false] as const)])
  guess.learn(last, new Map(rules), new Map(signals.map((row, nth) => [String(nth), row as SignalRow])))
}

t.test('a workspace that was never seen is not guessed', (t) => {
  const guess = new OpeningGuess()
  t.same(guess.workspaces([key('a')]), [])
  learn(guess, {})
  t.same(guess.workspaces([key('a'), key('b'), key('a', globex)]), [acme], 'once, and no other')
  t.end()
})

t.test('a key that is firing is not guessed to open an incident until it has ended', (t) => {
  const guess = new OpeningGuess()
  learn(guess, { fires: [key('a')] })
  t.same(guess.workspaces([key('a')]), [])
  t.same(guess.workspaces([key('a'), key('b')]), [acme], 'another key does')
  learn(guess, { ends: [key('a')], rules: [] })
  t.same(guess.workspaces([key('a')]), [acme])
  t.end()
})

t.test('a workspace that groups its alerts, or did so before, is not guessed', (t) => {
  const byRules = new OpeningGuess()
  learn(byRules, {
    rules: [
      [acme, grouping],
      [globex, builtIn]
    ]
  })
  t.same(byRules.workspaces([key('a'), key('a', globex)]), [globex])
  learn(byRules, { rules: [[acme, builtIn]] })
  t.same(byRules.workspaces([key('a')]), [], 'groups outlive their rule')
  const byAlerts = new OpeningGuess()
  learn(byAlerts, {
    signals: [
      { tenant_id: acme, alert_id: id('alert') },
      { tenant_id: globex, alert_id: null }
    ],
    rules: [
      [acme, builtIn],
      [globex, builtIn]
    ]
  })
  t.same(byAlerts.workspaces([key('a'), key('a', globex)]), [globex])
  t.end()
})

t.test('the keys and workspaces seen longest ago are forgotten first', (t) => {
  const guess = new OpeningGuess({ keys: 2, workspaces: 1 })
  learn(guess, { fires: [key('a'), key('b')] })
  learn(guess, { fires: [key('a'), key('c')] })
  t.same(guess.workspaces([key('a')]), [], 'seen again since')
  t.same(guess.workspaces([key('c')]), [])
  t.same(guess.workspaces([key('b')]), [acme])
  learn(guess, { rules: [[globex, builtIn]] })
  t.same(guess.workspaces([key('b'), key('b', globex)]), [globex])
  t.end()
})
