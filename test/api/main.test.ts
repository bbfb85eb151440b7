/** The role as a process runs it: it starts without asking for the log, serves, and leaves nothing behind. */

import { pino } from 'pino'
import t from 'tap'
import { start } from '../../services/api/main.ts'
import { createMetrics } from '../../services/metrics.ts'
import { localCodec } from '../harness/codec.ts'
import { testConfig } from '../harness/engines.ts'

t.test('start and close', async (t) => {
  const config = await testConfig(t)
  const metrics = createMetrics()
  const role = await start({
    config,
    log: pino({ level: 'silent' }),
    metrics,
    stream: () => Promise.reject(new Error('the api never talks to Kafka')),
    codec: async () => localCodec(),
    fatal: (reason) => t.fail(reason)
  })
  const base = `http://127.0.0.1:${role.port}`
  t.equal((await fetch(`${base}/health`)).status, 200)
  t.match(await (await fetch(`${base}/health/ready`)).json(), { status: 'ok' })
  t.same(role.ready(), { store: true, schema: true })
  t.equal((await fetch(`${base}/api/v1/incidents/INC-1`)).status, 401)
  t.match(
    await metrics.registry.metrics(),
    /service_api_request_seconds_count\{route="\/api\/v1\/incidents\/:id",method="GET",status="401"\} 1/
  )
  await role.close()
  await t.rejects(fetch(`${base}/health`), 'nobody listens')
})
