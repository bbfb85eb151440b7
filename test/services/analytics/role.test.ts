/**
 * The role as a process runs it: it fills the engine from the log, answers over its socket, reports
 * until when its data is complete, and releases the folder.
 */
import { request } from 'node:http'
import { join } from 'node:path'
import t from 'tap'
import { topicNames } from '../../../schemas/topics.ts'
import { start } from '../../../services/analytics/main.ts'
import { createLog } from '../../../services/process/log.ts'
import { createMetrics } from '../../../services/process/metrics.ts'
import type { RoleContext } from '../../../services/process/role.ts'
import { connectStream } from '../../../streams/runtime/connect.ts'
import { testConfig, testTopics } from '../../harness/engines.ts'
import { until } from '../../harness/until.ts'
import { codec, content } from './scene.ts'

t.setTimeout(120_000)

const log = createLog('analytics', 'fatal')

async function ask(socketPath: string, body: object): Promise<{ rows: { checks: number }[]; complete_until: number | null }> {
  return new Promise((resolve, reject) => {
    const sent = request({ socketPath, path: '/v1/query', method: 'POST' }, async (response) => {
      let got = ''
      for await (const part of response) got += String(part)
      resolve(JSON.parse(got))
    })
    sent.once('error', reject)
    sent.end(JSON.stringify(body))
  })
}

t.test('the role stores records from the log and answers queries, also after a restart', async (t) => {
  const config = await testConfig(t)
  const socket = join(config.dataDir, 'analytics.sock')
  const metrics = createMetrics()
  const kafka = { brokers: config.kafkaBrokers, clientId: 'test-analytics', topicPrefix: config.topicPrefix, log }
  const stream = await connectStream({ ...kafka, metrics })
  t.teardown(() => stream.close())
  const fatals: unknown[] = []
  const context: RoleContext = {
    config: { ...config, clickhouseUrls: [], analyticsUrl: `unix:${socket}`, analyticsSecret: '' },
    log,
    metrics,
    stream: async () => stream,
    codec: async () => codec,
    fatal: (reason, error) => void fatals.push({ reason, error })
  }
  await t.rejects(start(context), /checks\.results\.v1 is missing/, 'topics are verified first')
  await testTopics(t, config, topicNames)
  const ledger = content(['checks.results.v1'])
  await stream.log.append(ledger.records)
  const monitors = [...new Set(ledger.records.flatMap(({ key }) => (key === 'clock' ? [] : [String(key)])))]
  const appended = Date.now()
  for (const turn of ['first', 'after a restart']) {
    const role = await start(context)
    const entities = monitors.map((id) => ({ kind: 'monitor', id, created_at: 0 }))
    const params = { entities, from: appended - 7_200_000, to: appended + 60_000, bucket: 'all' }
    const whole = await until(
      'a complete answer',
      async () => {
        const answer = await ask(socket, { name: 'uptime', tenant_id: ledger.tenant_id, params })
        return (answer.complete_until ?? 0) > appended && answer
      },
      40_000
    )
    t.equal(
      whole.rows.reduce((sum, row) => sum + row.checks, 0),
      ledger.checks,
      turn
    )
    t.same(role.ready(), { sink: true })
    await role.close()
  }
  t.same(fatals, [])
})
