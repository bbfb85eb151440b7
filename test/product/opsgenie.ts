/**
 * A story of product.test.ts: Opsgenie's official Python client runs against the native receiver of
 * the running product. Only its host and its key are changed.
 */
import { join } from 'node:path'
import type { Test } from 'tap'
import { projectRoot } from '../../schemas/files.ts'
import type { Product } from '../harness/product.ts'
import { pythonWith } from '../harness/python.ts'
import { until } from '../harness/until.ts'

const PACKAGES = [
  'opsgenie-sdk==2.1.5',
  'certifi==2026.10.18',
  'python-dateutil==2.9.0.post0',
  'six==1.17.0',
  'tenacity==9.1.2',
  'urllib3==2.5.0'
]

interface Step {
  step: string
  [name: string]: unknown
}

export async function officialClient(t: Test, product: Product): Promise<void> {
  const python = await pythonWith(PACKAGES)
  const made = await product.api('POST', '/api/v1/integrations/inbound', { name: 'Opsgenie', source_type: 'alertmanager' })
  const heartbeat = await product.api('POST', '/api/v1/heartbeats', {
    name: 'Nightly copy',
    slug: 'nightly-copy',
    schedule: { kind: 'period', period_seconds: 3600 },
    grace_seconds: 600
  })
  t.equal(heartbeat.status, 201)
  const printed = await python.script(join(projectRoot, 'test/fixtures/senders/opsgenie_client.py'), {
    HOST: `${product.access.base_url}/api/v1/opsgenie`,
    KEY: String(made.body.token),
    HEARTBEAT: 'nightly-copy'
  })
  const steps = new Map(
    printed
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Step)
      .map((step): [string, Step] => [step.step, step])
  )
  const alert = { alias: 'sdk/db 7 ü', message: 'Disk full', status: 'open', priority: 'P1', tags: ['db'] }
  const id = String(steps.get('create request')?.alert_id)
  for (const [name, action] of [
    ['create', 'Create'],
    ['acknowledge', 'Acknowledge'],
    ['note', 'AddNote'],
    ['message', 'UpdateMessage'],
    ['close', 'Close']
  ] as const) {
    t.match(steps.get(name), { result: 'Request will be processed', request_id: /^[0-9a-f-]{36}$/ }, name)
    t.match(steps.get(`${name} request`), { action, is_success: true, alert_id: id, integration_id: made.body.id }, name)
  }
  for (const name of ['get by id', 'get by alias', 'list']) t.match(steps.get(name), { ...alert, id }, name)
  t.match(steps.get('closed'), { id, message: 'Disk 99 % full', status: 'closed' })
  t.match(steps.get('ping'), { result: /^PONG/, request_id: String })
  t.match(steps.get('unknown'), { status: 404, message: String })
  t.match(steps.get('wrong key'), { status: 401, message: /GenieKey/ })

  const { body: incident } = await product.api('GET', `/api/v1/incidents/${id}`)
  t.match(incident, { title: 'Disk 99 % full', status: 'resolved', severity: 'critical', acknowledged_at: null, summary: '97 %' })
  const { body: timeline } = await product.api('GET', `/api/v1/incidents/${id}/timeline`)
  t.match(
    (timeline.items as { type: string; data: object }[])
      .filter(({ type }) => type !== 'escalated')
      .map(({ type, data }) => ({ type, data })),
    [
      { type: 'opened' },
      { type: 'comment', data: { comment: 'Ann acknowledged the alert in sdk: on it' } },
      { type: 'comment', data: { comment: 'Ann: found it' } },
      { type: 'updated', data: { title: 'Disk 99 % full' } },
      { type: 'comment', data: { comment: 'Ann: restarted' } },
      { type: 'recovered' }
    ]
  )
  await until('the ping to be seen', async () => {
    const { body } = await product.api('GET', `/api/v1/heartbeats/${heartbeat.body.id}`)
    return body.last_ping_at !== null
  })
}
