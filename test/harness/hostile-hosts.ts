/**
 * Hosts that lead into the internal network, in every notation that a person might use, and names
 * that resolve to such addresses. No monitor and no channel may connect to them.
 */
import type { Resolve } from '../../services/http/address-guard.ts'

const unknown: Resolve = async (name) => {
  throw Object.assign(new Error(`the test knows no ${name}`), { code: 'ENOTFOUND' })
}

/** Names that the tests use, and the addresses that they resolve to. */
export const names: Record<string, string[]> = {
  'loopback.test': ['127.0.0.1'],
  'loopback6.test': ['::1'],
  'private.test': ['10.1.2.3'],
  'metadata.test': ['169.254.169.254'],
  'metadata.google.internal': ['169.254.169.254'],
  'mapped.test': ['::ffff:169.254.169.254'],
  'one-of-two.test': ['93.184.215.14', '127.0.0.1'],
  'one-of-two6.test': ['2606:2800:21f:cb07:6820:80da:af6b:8b2c', 'fd00::2'],
  'unspecified.test': ['0.0.0.0']
}
export const ask: Resolve = async (name, family) => names[name] ?? unknown(name, family)

// Each row: what is tested, then hosts as a person might write them into a monitor.
export const refused: [what: string, ...hosts: string[]][] = [
  ['loopback', '127.0.0.1', '127.0.0.2', '127.255.255.254', '[::1]', '[0:0:0:0:0:0:0:1]'],
  ['decimal', '2130706433', '2852039166', '3232235777', '167772161'],
  ['octal', '0177.0.0.1', '0177.0000.0000.0001', '017700000001', '0251.0376.0251.0376', '012.1.2.3'],
  ['hexadecimal', '0x7f000001', '0x7f.0.0.1', '0x7f.1', '0xa9fea9fe', '0xA9.0xFE.0xA9.0xFE'],
  ['short', '127.1', '127.0.1', '0', '10.1', '0x7f.0x1'],
  ['written to deceive', '127.0.0.1.', '%31%32%37.0.0.1', '①②⑦.0.0.1', '127。0。0。1', 'loc%61lhost', 'LOCALHOST', '１２７.0.0.1'],
  ['names of this machine', 'localhost', 'localhost.', 'a.b.localhost', 'localhost.localdomain', 'ip6-localhost', 'ip6-loopback'],
  ['IPv4 in IPv6', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::FFFF:a9fe:a9fe]', '[0:0:0:0:0:ffff:10.0.0.1]', '[::ffff:0:127.0.0.1]'],
  ['compatible', '[::127.0.0.1]', '[::7f00:1]', '[::a9fe:a9fe]', '[::93.184.215.14]'],
  ['NAT64', '[64:ff9b::127.0.0.1]', '[64:ff9b::a9fe:a9fe]', '[64:ff9b:1::10.0.0.1]', '[64:ff9b::93.184.215.14]'],
  ['6to4 and Teredo', '[2002:7f00:1::]', '[2002:a9fe:a9fe::1]', '[2001:0:7f00:1::]', '[2001::80ff:fffe]'],
  ['private', '10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', '[fd00::2]', '[fc00::1]'],
  ['link-local and site-local', '169.254.0.1', '[fe80::1]', '[fec0::1]'],
  ['metadata', '169.254.169.254', '[fd00:ec2::254]', '100.100.100.200', '168.63.129.16', '192.0.0.192', '169.254.170.2'],
  ['shared', '100.64.0.1', '100.127.255.254'],
  ['unspecified', '0.0.0.0', '[::]', '0.1.2.3'],
  ['multicast and broadcast', '224.0.0.1', '239.255.255.250', '255.255.255.255', '[ff02::1]'],
  ['documentation and benchmarking', '192.0.2.1', '198.51.100.7', '203.0.113.9', '198.18.0.1', '[2001:db8::1]', '[2001:2::1]', '[3fff::1]'],
  ['reserved', '240.0.0.1', '192.88.99.1', '[100::1]', '[4000::1]', '[5f00::1]', '[::2]'],
  ['names that lead there', ...Object.keys(names)]
]
