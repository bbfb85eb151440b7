/**
 * Tests that each kind that opens tickets has one open ticket about a certificate: the first
 * threshold opens it, the next ones add notes, and the renewal ends it.
 */
import t from 'tap'
import type { Message, SendOutcome } from '../../../services/channels/channel.ts'
import { channels } from '../../../services/channels/kinds/index.ts'
import { contracts } from './contract.ts'
import { context, httpOf, message, monitor, NOW } from './messages.ts'

const DAY = 86_400_000
const written = await contracts()

const certificate = (days_left: number) => ({
  host: 'api.example.com',
  subject: null,
  issuer: null,
  not_after: NOW + days_left * DAY,
  days_left,
  threshold_days: days_left
})
const about = (changes: Partial<Message>): Message => message({ key: `svc-ssl-${monitor.id}`, incident: null, failure: null, ...changes })
const ends = (year: string, days: number): Message =>
  about({ event: 'ssl_expiry', delivery_id: `${year} ${days}`, certificate: certificate(days) })
const renewed = about({ event: 'up', title_override: 'The certificate is renewed', certificate: certificate(90) })

for (const kind of ['servicenow', 'freshservice', 'linear', 'jira', 'zendesk'] as const)
  t.test(`${kind}: a certificate has one open ticket until it is renewed`, async (t) => {
    const [channel, contract] = [channels[kind], written.get(kind)]
    if (!channel || !contract) throw new Error(`${kind} is not built`)
    const config = contract.config('')
    const vendor = contract.vendor(config, '')
    const holds = () => vendor.holding?.().length
    const did: string[] = []
    const tell = (what: Message): SendOutcome => {
      const steps = channel.steps(what, config, null, context())
      for (let step = steps.next(); ; ) {
        if (step.done) return step.value
        const { method, url, headers, body } = httpOf(step.value)
        const { pathname, search } = new URL(url)
        const answer = vendor({ method, path: `${pathname}${search}`, headers, body: body ?? '' })
        if (answer.refused) throw new Error(answer.did)
        did.push(answer.did)
        step = steps.next({ status: answer.status, headers: {}, body: JSON.stringify(answer.body) })
      }
    }

    for (const year of ['first', 'second']) {
      t.match(tell(ends(year, 30)), { outcome: 'delivered' }, `${year} year, 30 days before`)
      t.equal(holds(), 1)
      const before = did.length
      t.match(tell(ends(year, 14)), { outcome: 'delivered' })
      t.equal(holds(), 1, 'a note on the same ticket')
      t.match(did.slice(before).join(', '), /note|comment/)
      t.match(tell(renewed), { outcome: 'delivered' })
      t.equal(holds(), 0, 'it is ended')
    }
  })
