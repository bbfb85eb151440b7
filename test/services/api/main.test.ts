/**
 * Tests of the api role as a process: it starts without a connection to the log, serves requests,
 * and leaves nothing behind when it ends.
 */

import { once } from 'node:events'
import { connect } from 'node:net'
import { pino } from 'pino'
import t from 'tap'
import { start } from '../../../services/api/main.ts'
import { createMetrics } from '../../../services/process/metrics.ts'
import { localCodec } from '../../harness/codec.ts'
import { testConfig } from '../../harness/engines.ts'

t.test('the api starts without Kafka, serves requests and closes', async (t) => {
  const config = await testConfig(t, { publicUrl: 'https://alerts.example.test:8443', domains: ['status.example.test'] })
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
  const names = ['alerts.example.test', 'Status.Example.Test', 'other.status.example.test', 'example.test', '127.0.0.1', '']
  t.same(
    names.filter((name) => role.serves?.(name)),
    ['alerts.example.test', 'Status.Example.Test'],
    'the names that certificates are made for'
  )
  t.equal((await fetch(`${base}/domain?domain=alerts.example.test`)).status, 404, 'and nobody asks for them in public')
  t.equal((await fetch(`${base}/api/v1/incidents/INC-1`)).status, 401)
  t.match(
    await metrics.registry.metrics(),
    /service_api_request_seconds_count\{route="\/api\/v1\/incidents\/:id",method="GET",status="401"\} 1/
  )
  // Browsers open connections before they need them. No request ever comes on this one, and the
  // shutdown must not wait for it.
  const silent = connect(role.port ?? 0, '127.0.0.1')
  t.teardown(() => silent.destroy())
  await once(silent, 'connect')
  await role.close()
  await t.rejects(fetch(`${base}/health`), 'nobody listens')
})
