/** Tests the explanation of a monitor's status, in the words of its steps. */
import t from 'tap'
import type { MonitorConfig } from '../../../schemas/generated/events.ts'
import { statusSteps } from '../../../streams/status/explain.ts'
import { configInput, confirmation, play, T0, tickInput, world } from './build.ts'

const rate = { failures: 3, window_seconds: 600 }
const rows: [name: string, over: Partial<MonitorConfig>, rounds: string[], verdicts: RegExp[]][] = [
  [
    'nothing yet',
    { regions: ['a'] },
    [],
    [/^a has no result yet/, /^0 of 1 regions have a fresh result; 1 is needed .*stays/, /^0 vote down/]
  ],
  [
    'all well',
    { regions: ['a', 'b'] },
    ['SS'],
    [/^a votes up/, /^b votes up/, /^2 of 2 regions .* 2 are needed for a change\.$/, /^0 vote down, and 2 would/]
  ],
  [
    'a failure that is not confirmed',
    { regions: ['a'] },
    ['S', 'F'],
    [/^a still votes up: it failed 1 of 2 times/, /^1 of 1/, /^0 vote down/]
  ],
  ['down by rounds', { regions: ['a'] }, ['S', 'F', 'F'], [/^a votes down: 2 failures in a row/, /^1 of 1/, /^1 vote down, and 1 would/]],
  [
    'down by a failure rate',
    { regions: ['a'], confirmation: confirmation({ failure_rate: rate }) },
    ['S', 'F', 'S', 'F', 'S', 'F'],
    [/^a votes down: 3 failures within 600 s/, /^1 of 1/, /^1 vote down/]
  ],
  [
    'on its way up',
    { regions: ['a'] },
    ['S', 'F', 'F', 'S'],
    [/^a still votes down: it succeeded 1 of 2 times/, /^1 of 1/, /^1 vote down/]
  ],
  [
    'enough failures, but not for long enough',
    { regions: ['a'], confirmation: confirmation({ min_seconds: 300 }) },
    ['S', 'F', 'F', 'F', 'F'],
    [/^a still votes up: it has failed for 180 of 300 s\.$/, /^1 of 1/, /^0 vote down/]
  ],
  [
    'the same without a vote',
    { regions: ['a'], confirmation: confirmation({ min_seconds: 300 }) },
    ['F', 'F'],
    [/^a has no vote yet: it has failed for 60 of 300 s\.$/, /^1 of 1/, /^0 vote down/]
  ],
  [
    'enough successes, but not for long enough',
    { regions: ['a'], confirmation: confirmation({ recovery_seconds: 300 }) },
    ['S', 'F', 'F', 'S', 'S', 'S'],
    [/^a still votes down: it has succeeded for 120 of 300 s\.$/, /^1 of 1/, /^1 vote down/]
  ],
  [
    'enough successes, but too many failures before',
    { regions: ['a'], confirmation: confirmation({ failure_rate: rate }) },
    ['S', 'F', 'F', 'F', 'S', 'S', 'S'],
    [/^a still votes down: 3 failures within 600 s\.$/, /^1 of 1/, /^1 vote down/]
  ],
  [
    'one is silent',
    { regions: ['a', 'b'] },
    ['SS', 'S-', 'S-', 'S-'],
    [/^a votes up/, /^b abstains/, /^1 of 2 .* so the status stays/, /^0 vote down/]
  ],
  [
    'it flaps',
    {
      regions: ['a'],
      flap: { enabled: true, window_rounds: 5, high_percent: 40, low_percent: 20 },
      confirmation: confirmation({ rounds: 1, recovery_rounds: 1 })
    },
    ['S', 'F', 'S', 'F', 'S'],
    [/^a votes up/, /^1 of 1/, /^0 vote down/, /^It flaps: 80 % of the last 5 rounds are changes; it ends at 20 %/]
  ]
]
for (const [name, over, rounds, verdicts] of rows) {
  t.test(name, async (t) => {
    const acme = world()
    acme.take(configInput(over), tickInput(T0))
    play(acme, rounds, T0)
    const steps = statusSteps(acme.row())
    t.equal(steps.length, verdicts.length)
    for (const [nth, verdict] of verdicts.entries()) t.match(steps[nth]?.verdict, verdict)
  })
}

t.test('a paused monitor has no status steps', async (t) => {
  const acme = world()
  acme.take(configInput({ paused: true }), tickInput(T0))
  t.same(statusSteps(acme.row()), [])
})
