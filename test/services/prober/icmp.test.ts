/** Tests of the requests that `icmp` sends, with a stand-in for the system's ping. */
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { ping, repliesIn } from '../../../services/prober/types/icmp.ts'

/** Puts a script into PATH as `ping`. It writes its arguments to a file, whose path is returned. */
function standIn(t: Test, script: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'ping-'))
  const { PATH } = process.env
  t.teardown(() => {
    process.env.PATH = PATH
    rmSync(folder, { recursive: true })
  })
  const file = join(folder, 'ping')
  writeFileSync(file, `#!/bin/sh\necho "$@" > ${folder}/arguments\n${script}\n`)
  chmodSync(file, 0o755)
  process.env.PATH = `${folder}:${PATH}`
  return join(folder, 'arguments')
}

const reply = (seq: number): string => `echo "64 bytes from 192.0.2.1: icmp_seq=${seq} ttl=64 time=1.50 ms"`
const target = { address: '192.0.2.1', family: 4 as const }
const never = new AbortController().signal

t.test('it sends as many requests as are wanted, and none for those that are lost', async (t) => {
  const file = standIn(t, `${reply(1)}; ${reply(3)}`)
  t.same(await ping(target, 3, 56, 5000, never), { answered: 2, averageMs: 1.5, fault: null })
  const words = readFileSync(file, 'utf8').trim().split(' ')
  t.same([words[words.indexOf('-c') + 1], words.at(-1)], ['3', '192.0.2.1'])
  t.notOk(words.includes('-w'), 'with a deadline, ping sends more than it is asked for')
})

t.test('replies that came before the end of the time count', async (t) => {
  standIn(t, `trap 'exit 0' INT; ${reply(1)}; while :; do sleep 0.05; done`)
  t.same(await ping(target, 3, 56, 1000, never), { answered: 1, averageMs: 1.5, fault: null })
})

t.test('a program that cannot send says why', async (t) => {
  standIn(t, 'echo "ping: socket: Operation not permitted" >&2; exit 2')
  t.same(await ping(target, 1, 56, 1000, never), { answered: 0, averageMs: null, fault: 'ping: socket: Operation not permitted' })
})

t.test('what ping prints', async (t) => {
  const from = '64 bytes from 192.0.2.1: icmp_seq='
  const rows: [name: string, lines: string[], answered: number, averageMs: number | null][] = [
    ['no reply', ['--- 192.0.2.1 ping statistics ---', '3 packets transmitted, 0 received'], 0, null],
    ['two replies', [`${from}1 ttl=64 time=1.00 ms`, `${from}2 ttl=64 time=3.00 ms`], 2, 2],
    ['a reply that comes twice', [`${from}1 ttl=64 time=1.00 ms`, `${from}1 ttl=64 time=3.00 ms (DUP!)`], 1, 1],
    ['a reply that is cut off', [`${from}1 ttl=64 (truncated)`, 'rtt min/avg/max/mdev = 4.0/5.0/6.0/0.0 ms'], 1, 5],
    ['a reply without any time', [`${from}1 ttl=64`], 1, null],
    ['what others say', ['From 192.0.2.254 icmp_seq=1 Destination Host Unreachable'], 0, null]
  ]
  for (const [name, lines, answered, averageMs] of rows) t.same(repliesIn(`PING …\n${lines.join('\n')}\n`), { answered, averageMs }, name)
})
