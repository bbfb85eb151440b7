/** Which prober versions work with which service versions. */
import t from 'tap'
import type { VersionSkew } from '../../../schemas/http/private-locations.ts'
import { leastVersion, skewOf } from '../../../services/checks/versions.ts'

t.test('the version skew between a prober and the service', async (t) => {
  const cases: [prober: string, service: string, skew: VersionSkew][] = [
    ['0.4.0', '0.4.0', 'none'],
    ['0.4.9', '0.4.0', 'none'],
    ['0.3.7', '0.4.0', 'none'],
    ['0.2.9', '0.4.0', 'too_old'],
    ['0.5.0', '0.4.9', 'too_new'],
    ['0.0.1', '0.1.0', 'none'],
    ['1.0.0', '2.0.0', 'too_old'],
    ['2.0.0', '1.9.0', 'too_new'],
    ['1.4.0-rc.1', '1.4.0', 'none'],
    ['test', '1.4.0', 'unknown'],
    ['1.4', '1.4.0', 'unknown'],
    ['', '1.4.0', 'unknown']
  ]
  for (const [prober, service, skew] of cases) t.equal(skewOf(prober, service), skew, `${prober} beside ${service}`)
})

t.test('the oldest prober version that works with a service version', async (t) => {
  t.equal(leastVersion('0.4.2'), '0.3.0')
  t.equal(leastVersion('0.0.3'), '0.0.0')
  t.equal(leastVersion('2.0.1'), '2.0.0')
  t.equal(leastVersion('next'), '0.0.0')
})
