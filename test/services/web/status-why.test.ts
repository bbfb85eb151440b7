/**
 * Tests of the explanation on a monitor's page of why it has its status, for states that the fold
 * decided.
 */
import t from 'tap'
import type { MonitorConfig } from '../../../schemas/generated/events.ts'
import type { Monitor } from '../../../services/web/api/shapes.ts'
import { stepInWords } from '../../../services/web/pages/monitors/why-words.ts'
import { de } from '../../../services/web/texts/de/monitor-why.ts'
import { speak } from '../../../services/web/texts/text.ts'
import { type StatusStep, statusSteps } from '../../../streams/status/explain.ts'
import { configInput, confirmation, play, T0, tickInput, world } from '../../streams/status/build.ts'

type Shown = Pick<Monitor, 'confirmation' | 'flap' | 'prober_region_labels'>

/** Returns what the page says after these rounds, for a monitor whose region `a` has a name. */
function said(over: Partial<MonitorConfig>, rounds: string[]): string[] {
  const acme = world()
  acme.take(configInput(over), tickInput(T0))
  play(acme, rounds, T0)
  const row = acme.row()
  const { confirmation, flap } = row.config
  const shown = { confirmation, flap, prober_region_labels: { a: 'Frankfurt' } } as unknown as Shown
  return statusSteps(row).map((step) => stepInWords(step as Parameters<typeof stepInWords>[0], shown))
}

const rate = { failures: 3, window_seconds: 600 }
const flap = { enabled: true, window_rounds: 5, high_percent: 40, low_percent: 20 }
const votes = (down: number, up: number, of = 1): string =>
  `Regions that say down: ${down}; the monitor is down from ${of}. Regions that say up: ${up}; it is up again from ${of}.`
const enough = 'Its only region has a recent result.'

const rows: [name: string, over: Partial<MonitorConfig>, rounds: string[], sentences: string[]][] = [
  [
    'nothing yet',
    { regions: ['a'] },
    [],
    ['Frankfurt has no result yet.', 'Its only region has no recent result, so the status stays.', votes(0, 0)]
  ],
  [
    'all well, one region without a name',
    { regions: ['a', 'b'] },
    ['SS'],
    ['Frankfurt says up.', 'b says up.', '2 of 2 regions have a recent result. A change needs 2.', votes(0, 2, 2)]
  ],
  ['not confirmed', { regions: ['a'] }, ['S', 'F'], ['Frankfurt still says up: 1 of 2 failures in a row.', enough, votes(0, 1)]],
  ['no vote yet', { regions: ['a'] }, ['F'], ['Frankfurt does not count yet: 1 of 2 failures in a row.', enough, votes(0, 0)]],
  ['down by rounds', { regions: ['a'] }, ['S', 'F', 'F'], ['Frankfurt says down: 2 failures in a row.', enough, votes(1, 0)]],
  [
    'down at once',
    { regions: ['a'], confirmation: confirmation({ rounds: 1 }) },
    ['S', 'F'],
    ['Frankfurt says down: 1 failure.', enough, votes(1, 0)]
  ],
  [
    'down by a failure rate',
    { regions: ['a'], confirmation: confirmation({ failure_rate: rate }) },
    ['S', 'F', 'S', 'F', 'S', 'F'],
    ['Frankfurt says down: 3 failures within 10 min.', enough, votes(1, 0)]
  ],
  [
    'on its way up',
    { regions: ['a'] },
    ['S', 'F', 'F', 'S'],
    ['Frankfurt still says down: 1 of 2 successes in a row.', enough, votes(1, 0)]
  ],
  [
    'failures for too short a time',
    { regions: ['a'], confirmation: confirmation({ min_seconds: 300 }) },
    ['S', 'F', 'F', 'F', 'F'],
    ['Frankfurt still says up: failures for 3 min of 5 min.', enough, votes(0, 1)]
  ],
  [
    'failures for too short a time, without a vote',
    { regions: ['a'], confirmation: confirmation({ min_seconds: 300 }) },
    ['F', 'F'],
    ['Frankfurt does not count yet: failures for 1 min of 5 min.', enough, votes(0, 0)]
  ],
  [
    'successes for too short a time',
    { regions: ['a'], confirmation: confirmation({ recovery_seconds: 300 }) },
    ['S', 'F', 'F', 'S', 'S', 'S'],
    ['Frankfurt still says down: successes for 2 min of 5 min.', enough, votes(1, 0)]
  ],
  [
    'too many failures before',
    { regions: ['a'], confirmation: confirmation({ failure_rate: rate }) },
    ['S', 'F', 'F', 'F', 'S', 'S', 'S'],
    ['Frankfurt still says down: 3 failures within 10 min.', enough, votes(1, 0)]
  ],
  [
    'one is silent',
    { regions: ['a', 'b'] },
    ['SS', '-S', '-S', '-S'],
    [
      'Frankfurt has no recent result, so it does not count.',
      'b says up.',
      '1 of 2 regions have a recent result. A change needs 2, so the status stays.',
      votes(0, 1)
    ]
  ],
  [
    'it flaps',
    { regions: ['a'], flap, confirmation: confirmation({ rounds: 1, recovery_rounds: 1 }) },
    ['S', 'F', 'S', 'F', 'S'],
    ['Frankfurt says up.', enough, votes(0, 1), 'It is flapping: 80 % of the last 5 rounds were changes. Flapping ends at 20 %.']
  ],
  [
    'it does not flap',
    { regions: ['a'], flap },
    ['S', 'S'],
    ['Frankfurt says up.', enough, votes(0, 1), 'It is not flapping: 0 % of the last 5 rounds were changes. Flapping starts at 40 %.']
  ]
]
for (const [name, over, rounds, sentences] of rows) t.test(name, async (t) => t.same(said(over, rounds), sentences))

t.test('the explanation of a status in German', async (t) => {
  t.teardown(() => speak({}))
  speak({ 'monitor-why': { ...de } as Record<string, string> })
  t.equal(said({ regions: ['a'] }, ['S', 'F', 'F'])[0], 'Frankfurt meldet: ausgefallen. 2 Fehlschläge in Folge.')
})

t.test('explanations without a vote, and the words of the API for an unknown rule', async (t) => {
  const of = (rule: StatusStep['rule'] | 'pause' | 'maintenance' | 'dependency' | 'dedup', values = {}): string =>
    stepInWords({ rule, values, verdict: 'As the API says it.' }, {} as Shown)
  t.equal(of('pause'), 'It is paused: no region checks it.')
  t.equal(of('vote'), 'It is new: there is no result to judge yet.')
  t.equal(of('maintenance'), 'It fails during a maintenance window.')
  t.equal(of('dependency'), 'A monitor that it depends on also fails.')
  t.equal(of('dedup'), 'As the API says it.')
})
