/**
 * B14: sending by the notifier. It measures three things, each also alone with `--only
 * rate|latency|fair`:
 *
 *   rate     deliveries a second from the durable queue to a local server, compared with
 *            graphile-worker running the same POST as jobs on the same Postgres; in alternation
 *   latency  from the answer of the door to the first POST, at 50 alerts a second, compared with
 *            Alertmanager without a group_wait that posts to the same server
 *   fair     one workspace alone, and then beside a dead channel and 10,000 deliveries of another
 */
import { parseArgs } from 'node:util'
import { fair } from './deliver-fair.ts'
import { latency } from './deliver-latency.ts'
import { rate } from './deliver-rate.ts'
import { printMachine } from './figures.ts'

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      only: { type: 'string', default: 'rate,latency,fair' },
      rounds: { type: 'string', default: '4' },
      count: { type: 'string', default: '10000' },
      secs: { type: 'string', default: '20' },
      relay: { type: 'boolean', default: false }
    }
  })
  const asked = values.only.split(',')
  printMachine(`${values.rounds} rounds of ${values.count} deliveries by turns; ${values.secs} s of alerts; one notifier`)
  if (asked.includes('rate')) await rate({ rounds: Number(values.rounds), count: Number(values.count), relay: values.relay })
  if (asked.includes('latency')) await latency({ seconds: Number(values.secs) })
  if (asked.includes('fair')) await fair({ seconds: Number(values.secs) })
}
