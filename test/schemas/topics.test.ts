/** Checks the topic table against what docs/design/architecture.md#s4 says of every topic. */
import t from 'tap'
import { specOf, type TopicName, topicConfig, topicNames, topics } from '../../schemas/topics.ts'

const DAY = 86_400_000

t.test('each of the 17 topics has a writer, a reader, an owner, a key and a doc', async (t) => {
  t.equal(topics.length, 17)
  t.equal(new Set(topicNames).size, 17)
  for (const spec of topics) {
    t.match(spec.name, /^[a-z]+(\.[a-z]+)?\.v\d+$/)
    t.ok(spec.written_by.length > 0 && spec.read_by.length > 0, `${spec.name}: written and read`)
    t.ok(spec.owner && spec.key && spec.doc && spec.ordering, `${spec.name}: described`)
  }
})

t.test('partition counts are frozen', async (t) => {
  t.same(Object.fromEntries(topics.map(({ name, partitions }) => [name, partitions])), {
    'checks.results.v1': 12,
    'heartbeat.pings.v1': 12,
    'alerts.inbound.v1': 12,
    'alerts.raw.v1': 12,
    'checks.captures.v1': 6,
    'monitor.transitions.v1': 6,
    'heartbeat.transitions.v1': 6,
    'monitor.state.v1': 6,
    'incident.events.v1': 6,
    'incident.state.v1': 6,
    'alert.events.v1': 6,
    'notification.deliveries.v1': 6,
    'maintenance.windows.v1': 6,
    'ingest.usage.v1': 6,
    'tenant.budgets.v1': 6,
    'realtime.frames.v1': 24,
    'dlq.v1': 3
  })
})

t.test('data teams read only fully compatible topics without restricted data', async (t) => {
  for (const spec of topics) {
    t.equal(spec.public, spec.read_by.includes('data teams'), spec.name)
    t.equal(spec.compatibility, spec.public ? 'FULL_TRANSITIVE' : 'BACKWARD_TRANSITIVE', spec.name)
    if (spec.public) t.not(spec.pii, 'restricted', spec.name)
  }
})

t.test('control records have event types, and topics with several records use TopicRecordName', async (t) => {
  for (const spec of topics) {
    for (const entry of spec.records) t.equal(entry.event_type !== null, entry.kind === 'control', `${spec.name} ${entry.record}`)
    t.equal(spec.strategy === 'TopicRecordName', spec.records.length > 1, spec.name)
    t.equal(
      spec.records.filter(({ kind }) => kind !== 'control').length,
      spec.name === 'realtime.frames.v1' ? 0 : 1,
      `${spec.name}: one record of its own`
    )
  }
})

t.test('exactly the topics with ticks get their timestamps from the broker', async (t) => {
  const timed = topics.filter(({ timestamps }) => timestamps === 'append').map(({ name }) => name)
  t.same(timed, ['checks.results.v1', 'heartbeat.pings.v1'])
  t.same(
    topics.filter(({ records }) => records.some(({ record }) => record === 'Tick')).map(({ name }) => name),
    timed
  )
})

t.test('the broker configuration follows from the topic table', async (t) => {
  t.same(topicConfig(specOf('checks.results.v1')), {
    'cleanup.policy': 'delete',
    'retention.ms': String(7 * DAY),
    'segment.ms': String((7 * DAY) / 8),
    'message.timestamp.type': 'LogAppendTime',
    'max.message.bytes': '1048576',
    'compression.type': 'producer'
  })
  t.same(topicConfig(specOf('incident.state.v1')), {
    'cleanup.policy': 'compact',
    'min.cleanable.dirty.ratio': '0.1',
    'delete.retention.ms': String(7 * DAY),
    'segment.ms': String(DAY),
    'message.timestamp.type': 'CreateTime',
    'max.message.bytes': '1048576',
    'compression.type': 'producer'
  })
  t.equal(topicConfig(specOf('alerts.raw.v1'))['retention.ms'], String(3 * DAY), 'raw payloads go after three days')
  t.equal(topicConfig(specOf('checks.captures.v1'))['retention.ms'], String(3 * DAY), 'and so do answers of failed checks')
})

t.test('an unknown topic is an error', async (t) => {
  t.throws(() => specOf('nowhere.v1' as TopicName), /no topic nowhere\.v1/)
})
