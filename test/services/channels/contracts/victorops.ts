/** The REST endpoint of Splunk On-Call, as in docs/design/outbound-channels.md#s3-20. */
import { type Answer, type Asked, type Contract, holding, isText, jsonIn, refused, took, withJson, withPath } from '../contract.ts'

type Config = { api_key: string; routing_key: string }

const TYPES = ['CRITICAL', 'WARNING', 'ACKNOWLEDGEMENT', 'INFO', 'RECOVERY']

export const contract: Contract<Config> = {
  config: () => ({ api_key: '6b7d1e20-93c4-4f0a-a1d2-7c5e8f9a0b11', routing_key: 'database' }),
  rotated: () => ({ api_key: '1f0c4a11-7b11-4aa0-8c3e-5a1d2e3f4a5c', routing_key: 'database' }),
  vendor({ api_key }) {
    const open = new Map<string, Asked>()
    const vendor = (asked: Asked): Answer => {
      const [, key, routing] = /^\/integrations\/generic\/20131114\/alert\/([^/]+)\/([^/]+)$/.exec(asked.path) ?? []
      if (asked.method !== 'POST' || key !== api_key || !routing) return refused(404, 'no such key')
      const body = jsonIn(asked)
      const failed = (why: string) => refused(400, why, { result: 'failure', message: why })
      if (body === null) return failed('no JSON')
      const { message_type, entity_id, entity_display_name, state_message, state_start_time } = body
      const type = String(message_type)
      if (!TYPES.includes(type)) return failed('message_type')
      if (!isText(entity_id, 512)) return failed('entity_id')
      if (entity_display_name !== undefined && !isText(entity_display_name, 250)) return failed('entity_display_name')
      if (state_message !== undefined && !isText(state_message, 20_480)) return failed('state_message')
      if (state_start_time !== undefined && !Number.isInteger(state_start_time)) return failed('state_start_time')
      const late = (type === 'ACKNOWLEDGEMENT' || type === 'RECOVERY') && !open.has(entity_id)
      if (type === 'CRITICAL' || type === 'WARNING') open.set(entity_id, asked)
      if (type === 'RECOVERY') open.delete(entity_id)
      return took(late ? `${type} of what is not open` : type, { result: 'success', entity_id })
    }
    return holding(vendor, open)
  },
  faults: { '400': { answer: { status: 400, body: { result: 'failure', message: 'invalid' } } } },
  wrong: {
    'another key': withPath((path) => path.replace('/6b7d1e20', '/2b7d1e20')),
    'no routing key': withPath((path) => path.replace(/\/[^/]+$/, '')),
    'no such type': withJson((body) => ({ ...body, message_type: 'DOWN' })),
    'no entity': withJson(({ entity_id: _gone, ...rest }) => rest),
    'a time that is a text': withJson((body) => ({ ...body, state_start_time: '2026-01-01' })),
    'a text that is too long': withJson((body) => ({ ...body, state_message: 'x'.repeat(20_481) }))
  },
  apprise: { target: () => 'victorops://database@6b7d1e20-93c4-4f0a-a1d2-7c5e8f9a0b11', hosts: ['alert.victorops.com'] },
  checked: 'Alertmanager and Apprise: what they send is taken by the same contract server',
  row: {
    create: 'nothing → saved',
    test: 'INFO → arrived',
    down: 'CRITICAL → sent',
    update: 'nothing → suppressed (no_event)',
    acknowledge: 'ACKNOWLEDGEMENT → sent',
    recover: 'RECOVERY → sent',
    rotate: 'CRITICAL → sent',
    '400': '400 → failed',
    '401': '3× 401 → failed, channel off',
    '404': '3× 404 → failed, channel off',
    '413': '413 → failed',
    '429': '429 (10 min), CRITICAL → sent',
    '500': '500, CRITICAL → sent',
    timeout: 'no answer, CRITICAL → sent',
    malformed: 'nonsense, CRITICAL → sent'
  }
}
