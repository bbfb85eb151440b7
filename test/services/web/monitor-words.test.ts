/** Tests of a monitor's rules, severities and votes in words, in English and German. */
import t from 'tap'
import type { Monitor } from '../../../services/web/api/shapes.ts'
import { downInWords, severitiesInWords, upInWords, votesInWords } from '../../../services/web/pages/monitors/words.ts'
import { de } from '../../../services/web/texts/de/monitor-words.ts'
import { speak } from '../../../services/web/texts/text.ts'

type Rule = Monitor['confirmation']
const rule: Rule = {
  regions: 'majority',
  rounds: 2,
  min_seconds: 0,
  recovery_rounds: 1,
  recovery_seconds: 0,
  failure_rate: null,
  advisory_after_seconds: 900
}

t.test('rules of a monitor in words, in English and German', async (t) => {
  t.teardown(() => speak({}))
  const cases: [over: Partial<Rule>, english: string, german: string][] = [
    [{}, 'When a majority of the regions fails 2 times in a row', 'Wenn die Mehrheit der Regionen 2-mal in Folge scheitert'],
    [{ regions: 'any', rounds: 1 }, 'When any region fails once', 'Wenn irgendeine Region einmal scheitert'],
    [
      { regions: 'all', min_seconds: 60 },
      'When all regions fail 2 times in a row, for at least 1 min',
      'Wenn alle Regionen 2-mal in Folge scheitern, mindestens 1 min lang'
    ],
    [
      { regions: 3, rounds: 1, failure_rate: { failures: 5, window_seconds: 600 } },
      'When 3 regions fail once, or 5 times within 10 min',
      'Wenn 3 Regionen einmal scheitern, oder 5-mal binnen 10 min'
    ]
  ]
  for (const [over, english, german] of cases) {
    speak({})
    t.equal(downInWords({ ...rule, ...over }), english)
    speak({ 'monitor-words': { ...de } as Record<string, string> })
    t.equal(downInWords({ ...rule, ...over }), german)
  }
  speak({})
  t.equal(
    upInWords({ ...rule, recovery_rounds: 3, recovery_seconds: 120 }),
    'When most regions succeed 3 times in a row, over at least 2 min'
  )
  const severities = { severity_down: 'critical', severity_degraded: 'warning', open_on_degraded: false } as const
  t.equal(severitiesInWords(severities), 'Critical when down, nothing when degraded')
  t.equal(severitiesInWords({ ...severities, open_on_degraded: true }), 'Critical when down, warning when degraded')
})

t.test('votes of regions in words', async (t) => {
  const states = (...all: Monitor['region_states'][number]['state'][]) => all.map((state) => ({ state })) as Monitor['region_states']
  const said = (...all: Parameters<typeof states>) => votesInWords({ region_states: states(...all), confirmation: rule })
  t.equal(said('stale', 'pending'), 'No region has a recent result, so the status is not known.')
  t.equal(said('up'), 'None of 1 region says down; 1 is needed.')
  t.equal(said('down', 'down', 'up'), '2 of 3 regions say down; 2 are needed.')
  t.equal(said('up', 'degraded', 'stale'), 'None of 2 regions say down; 2 are needed, and 1 has no recent result.')
  t.equal(said('down', 'stale', 'pending'), '1 of 1 region says down; 1 is needed, and 2 have no recent result.')
})
