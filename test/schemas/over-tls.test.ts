/** Which check settings use TLS. */
import t from 'tap'
import type { CheckConfig } from '../../schemas/http/check-config.ts'
import type { MonitorType } from '../../schemas/http/monitors.ts'
import { overTls } from '../../schemas/http/over-tls.ts'

const steps = (...urls: string[]): CheckConfig => ({ steps: urls.map((url) => ({ url })) }) as CheckConfig

const cases: [type: MonitorType, target: string, config: CheckConfig, isOver: boolean][] = [
  ['http', 'https://shop.example/', {}, true],
  ['http', 'HTTPS://shop.example/', {}, true],
  ['http', 'http://shop.example/', {}, false],
  ['http', 'http://shop.example/?to=https://x', {}, false],
  ['api', 'https://shop.example/', steps('/'), true],
  ['api', 'http://shop.example/', steps('/', 'http://other.example/'), false],
  ['api', 'http://shop.example/', steps('/', 'https://other.example/'), true],
  ['api', 'http://shop.example/', steps('{{place}}/x'), true],
  ['api', 'http://shop.example/', {}, false],
  ['websocket', 'wss://shop.example/', {}, true],
  ['websocket', 'ws://shop.example/', {}, false],
  ['tls', 'shop.example:443', {}, true],
  ['tcp', 'shop.example:443', {}, false],
  ['tcp', 'shop.example:443', { tls: true } as CheckConfig, true],
  ['grpc', 'shop.example:443', {}, true],
  ['grpc', 'shop.example:443', { tls: false } as CheckConfig, false],
  ['smtp', 'mail.example:25', {}, true],
  ['imap', 'mail.example:143', { security: 'none' } as CheckConfig, false],
  ['pop3', 'mail.example:995', { security: 'tls' } as CheckConfig, true],
  ['icmp', 'shop.example', {}, false],
  ['dns', 'shop.example', {}, false],
  ['udp', 'shop.example:53', {}, false],
  ['domain', 'shop.example', {}, false],
  ['external', '', {}, false]
]

t.test('check settings that use TLS', async (t) => {
  for (const [type, target, config, isOver] of cases)
    t.equal(overTls({ type, target, config }), isOver, `${type} ${target} ${JSON.stringify(config)}`)
})
