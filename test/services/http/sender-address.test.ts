/** The sender of a request is the peer, unless the peer is a proxy that the operator named. */
import t from 'tap'
import { createSenderAddress } from '../../../services/http/sender-address.ts'

t.test('without named proxies, the sender is always the peer', async (t) => {
  const addressOf = createSenderAddress([])
  for (const peer of ['9.9.9.9', '127.0.0.1', '10.0.0.1', '::1', 'fd00::1']) t.equal(addressOf(peer, '198.51.100.7'), peer)
  t.equal(addressOf('0000:0000:0000:0000:0000:ffff:0a00:0001', ''), '10.0.0.1', 'in the plain form')
  t.equal(addressOf('0000:0000:0000:0000:0000:0000:0000:0001', ''), '::1')
})

t.test('a named proxy is trusted for the address that it added itself', async (t) => {
  const addressOf = createSenderAddress(['10.0.0.0/8', '127.0.0.1', '::1', 'nonsense'])
  const cases: [peer: string, forwarded: string, sender: string][] = [
    ['10.0.0.1', '', '10.0.0.1'],
    ['10.0.0.1', '198.51.100.7', '198.51.100.7'],
    ['10.0.0.1', '203.0.113.5, 198.51.100.7', '198.51.100.7'],
    ['10.0.0.1', '203.0.113.5,198.51.100.7 , 10.9.9.9', '198.51.100.7'],
    ['10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
    ['10.0.0.1', 'x', 'x'],
    ['10.0.0.1', '198.51.100.7,', ''],
    ['0000:0000:0000:0000:0000:ffff:0a00:0001', '198.51.100.7', '198.51.100.7'],
    ['0000:0000:0000:0000:0000:0000:0000:0001', '0000:0000:0000:0000:0000:ffff:c633:6407', '198.51.100.7'],
    ['11.0.0.1', '198.51.100.7', '11.0.0.1'],
    ['', '198.51.100.7', '']
  ]
  for (const [peer, forwarded, sender] of cases) t.equal(addressOf(peer, forwarded), sender, `${peer} says ${forwarded}`)
})
