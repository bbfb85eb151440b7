/**
 * Tests of which proxies are trusted to state a sender's address. Limits per address and the
 * networks of tokens depend on it.
 */
import { once } from 'node:events'
import t from 'tap'
import { WebSocket } from 'ws'
import { ConfigError, readConfig } from '../../../services/process/config.ts'
import type { Teardown } from '../../harness/engines.ts'
import { recorder } from '../../harness/smuggling.ts'
import { type StandOptions, stand } from './stand.ts'

/** Returns the status of a read with a token that is bound to 198.51.100.0/24. */
async function reader(t: Teardown, options: StandOptions) {
  const { app, systemPool, acme } = await stand(t, options)
  await systemPool.query("UPDATE api_tokens SET allowed_cidrs = '{198.51.100.0/24}' WHERE token_id = $1", [acme.token_id])
  return async (remoteAddress: string, forwarded: string): Promise<number> => {
    const headers = { authorization: `Bearer ${acme.token}`, 'x-forwarded-for': forwarded }
    return (await app.inject({ method: 'GET', url: '/api/v1/workspace', remoteAddress, headers })).statusCode
  }
}

t.test('without a named proxy, X-Forwarded-For is ignored', async (t) => {
  const read = await reader(t, {})
  t.equal(await read('172.30.0.5', '198.51.100.7'), 403)
  t.equal(await read('127.0.0.1', '198.51.100.7'), 403)
  t.equal(await read('198.51.100.7', '192.0.2.1'), 200)
})

t.test('a named proxy is trusted only for the address that it added itself', async (t) => {
  const read = await reader(t, { config: { trustedProxies: ['172.30.0.0/24'] } })
  t.equal(await read('172.30.0.5', '198.51.100.7'), 200)
  t.equal(await read('172.30.0.5', '198.51.100.7, 192.0.2.1'), 403, 'what the sender itself put before it')
  t.equal(await read('172.30.1.5', '198.51.100.7'), 403, 'another network')
})

t.test('a WebSocket handshake is passed on with the address that a named proxy gave', async (t) => {
  const gateway = await recorder(t)
  for (const [trustedProxies, expected] of [
    [[], '127.0.0.1'],
    [['127.0.0.0/8'], '198.51.100.7']
  ] as const) {
    const { app } = await stand(t, { config: { trustedProxies: [...trustedProxies], gatewayUrl: `http://127.0.0.1:${gateway.port}` } })
    const base = await app.listen({ host: '127.0.0.1', port: 0 })
    const socket = new WebSocket(`${base.replace('http', 'ws')}/api/v1/ws`, { headers: { 'x-forwarded-for': '203.0.113.5, 198.51.100.7' } })
    await once(socket, 'unexpected-response')
    t.same(
      gateway.read.at(-1)?.headers.filter(([name]) => name === 'x-forwarded-for'),
      [['x-forwarded-for', expected]]
    )
  }
})

t.test('a trusted proxy that is no network is a configuration error', async (t) => {
  const environment = { SERVICE_TRUSTED_PROXIES: '172.30.0.0/24, caddy' }
  t.throws(() => readConfig(environment, []), { message: /SERVICE_TRUSTED_PROXIES: expected networks/ })
  t.throws(() => readConfig(environment, []), ConfigError)
  t.same(readConfig({ SERVICE_TRUSTED_PROXIES: '172.30.0.0/24, 10.0.0.1' }, []).trustedProxies, ['172.30.0.0/24', '10.0.0.1'])
})
