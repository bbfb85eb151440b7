/** Uses moto's Amazon SNS as the receiver: what our sender publishes reaches the subscribers. */
import { join } from 'node:path'
import t from 'tap'
import { projectRoot } from '../../../schemas/files.ts'
import type { Message } from '../../../services/channels/channel.ts'
import { channel as sns } from '../../../services/channels/kinds/sns.ts'
import { performAttempt } from '../../../services/delivery/perform.ts'
import { freePorts } from '../../harness/free-ports.ts'
import { pythonWith } from '../../harness/python.ts'
import { until } from '../../harness/until.ts'
import { localSenders } from '../notifier/channels.ts'
import { deployment as base, DELIVERY, INCIDENT, message, up } from './messages.ts'

const ACCOUNT = 'arn:aws:sns:eu-central-1:123456789012'
const KEY = { access_key: 'AKIAIOSFODNN7EXAMPLE', secret_key: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' }

t.test('an SNS topic delivers our messages, filters by event and drops a repeat', async (t) => {
  // moto's extra `server` adds packages for other parts of AWS, and takes twice as long to install.
  const python = await pythonWith(['moto==5.2.5', 'flask==3.1.3', 'flask-cors==6.0.5'])
  const [port = 0] = await freePorts(1)
  const wanted = { all: 2, ends: 1, ordered: 2 }
  const printed = python.script(join(projectRoot, 'test/services/channels/moto-sns.py'), {
    PORT: String(port),
    WANTED: JSON.stringify(wanted)
  })
  const senders = localSenders()
  t.teardown(() => senders.http.close())
  const deployment = { ...base, base_urls: { sns: `http://127.0.0.1:${port}` } }
  const publish = (what: Message, topic: string) =>
    performAttempt(senders, {
      channel: sns as never,
      message: what,
      config: { ...KEY, topic_arn: `${ACCOUNT}:${topic}` },
      secrets: [],
      remote_ref: null,
      attempt: 1,
      deployment
    })
  const sent = async (what: Message, topic: string) => {
    const { result } = await publish(what, topic)
    t.match(result, { outcome: 'delivered', provider_message_id: /./ }, `${topic}: ${what.event}`)
  }
  await until('the topics to be there', async () => (await publish(message(), 'ready')).result.outcome === 'delivered')
  await sent(message(), 'alerts')
  await sent(up(), 'alerts')
  await sent(message(), 'ordered.fifo')
  await sent(message(), 'ordered.fifo')
  await sent(up({ delivery_id: DELIVERY.replace('aaaa', 'abab') }), 'ordered.fifo')
  t.match((await publish(message(), 'nowhere')).result, { outcome: 'permanent', scope: 'channel' }, 'a topic that is not there')

  const heard = JSON.parse(await printed) as Record<keyof typeof wanted, { Subject: string; Message: string; MessageAttributes: object }[]>
  const events = (name: keyof typeof wanted) => heard[name].map(({ Message }) => JSON.parse(Message).event)
  t.same(events('all').sort(), ['monitor.down', 'monitor.up'])
  t.same(events('ends'), ['monitor.up'], 'the filter policy reads our attribute')
  t.same(events('ordered'), ['monitor.down', 'monitor.up'], 'the second of the same is not handed on')
  t.match(heard.all[0], { Subject: /api\.example\.com/, MessageAttributes: { event: { Type: 'String' }, severity: { Type: 'String' } } })
  t.equal(JSON.parse(heard.all[0]?.Message ?? '').incident.id, INCIDENT)
})
