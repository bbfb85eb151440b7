/**
 * Tests the instruments of the fault runs against doors that fail at random: the ledger, which is
 * on the disk before anything is sent, and the load that is noted in it.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { projectRoot } from '../../schemas/files.ts'
import { markOf, openLedger, readLedger, type SentAlert } from '../chaos/ledger.ts'
import { startLoad } from '../chaos/load.ts'
import { notification, type Target } from '../chaos/senders.ts'

function folder(t: { teardown(handler: () => unknown): void }): string {
  const made = mkdtempSync(join(tmpdir(), 'service-ledger-test-'))
  t.teardown(() => rmSync(made, { recursive: true, force: true }))
  return made
}

const attempt = (id: string) => ({
  tenant_id: 'tenant',
  integration_id: 'integration',
  source: 'generic' as const,
  alerts: [{ id, key: 'key', action: 'fire' as const, at: 1, sequence: null }]
})

t.test('the ledger writes an attempt before it is sent and its outcome afterwards', async (t) => {
  const file = join(folder(t), 'ledger.jsonl')
  const ledger = await openLedger(file)
  const numbers = await Promise.all(
    ['a', 'b', 'c'].map(async (id) => {
      const n = await ledger.attempt(attempt(id))
      t.match(readFileSync(file, 'utf8'), `"id":"${id}"`)
      return n
    })
  )
  t.same(numbers, [1, 2, 3])
  ledger.outcome(1, 'accepted', 200, 3)
  ledger.outcome(2, 'refused', 422, 3)
  await ledger.close()
  t.same(
    readLedger(file).entries.map(({ n, verdict, status }) => [n, verdict, status]),
    [
      [1, 'accepted', 200],
      [2, 'refused', 422],
      [3, 'unknown', 0]
    ],
    'an attempt without an outcome is unknown'
  )
})

t.test('an attempt that cannot be written to the ledger is rejected', async (t) => {
  const ledger = await openLedger(join(folder(t), 'ledger.jsonl'))
  await ledger.close()
  await t.rejects(ledger.attempt(attempt('a')), 'the file is closed')
})

t.test('the ledger records what receivers that refuse, fail and cut connections answered', async (t) => {
  /** Statuses that were answered; 0: the connection was cut. */
  const dealt = new Set<number>()
  let requests = 0
  /** Alert → how often a door accepted it. */
  const taken = new Map<string, number>()
  const seen = new Set<string>()
  let failing = true
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => {
      body += chunk
    })
    request.on('end', () => {
      const ids = [...body.matchAll(/ledger:[\w-]+/g)].map(([text]) => markOf(text) ?? '')
      for (const id of ids) seen.add(id)
      const answer = (status: number): unknown => {
        dealt.add(status)
        if (status === 0) return request.socket.destroy()
        return response.writeHead(status, status === 503 ? { 'retry-after': '1' } : {}).end('{}')
      }
      if (request.url?.endsWith('0000')) return answer(404)
      if (body.includes('"severity":5')) return answer(422)
      const fate = failing ? requests++ % 10 : 9
      if (fate < 2) return answer(503)
      // The door accepted it; when the answer is lost, the sender cannot know.
      for (const id of ids) taken.set(id, (taken.get(id) ?? 0) + 1)
      return answer(fate === 2 ? 0 : 200)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const target = (source: Target['source']): Target => ({ tenant_id: 'tenant', integration_id: source, source, base, token: 'token' })
  const file = join(folder(t), 'ledger.jsonl')
  const ledger = await openLedger(file)
  const workspaces = [{ tenant_id: 'tenant', apiToken: '', silence_id: null, targets: [target('alertmanager'), target('generic')] }]
  const load = startLoad({ ledger, workspaces, greedy: null, rate: 300, ms: 2000, seed: 3 })
  const healed = setTimeout(() => {
    failing = false
  }, 2000)
  t.teardown(() => clearTimeout(healed))
  const result = await load.done
  await ledger.close()

  const { entries } = readLedger(file)
  const accepted = new Map<string, number>()
  const possible = new Map<string, number>()
  for (const { alerts, verdict } of entries) {
    for (const { id } of alerts) {
      if (verdict === 'accepted') accepted.set(id, (accepted.get(id) ?? 0) + 1)
      if (verdict !== 'refused') possible.set(id, (possible.get(id) ?? 0) + 1)
    }
  }
  t.same(
    [...seen].filter((id) => !entries.some(({ alerts }) => alerts.some((alert) => alert.id === id))),
    [],
    'nothing came that is not in the ledger'
  )
  const wrong = [...seen].filter((id) => (taken.get(id) ?? 0) < (accepted.get(id) ?? 0) || (taken.get(id) ?? 0) > (possible.get(id) ?? 0))
  t.same(wrong, [], 'accepted ≤ taken ≤ accepted and unknown')
  t.ok(dealt.has(503) && dealt.has(0) && dealt.has(200))
  t.same([...new Set(entries.map(({ status }) => status))].sort(), [...dealt].sort(), 'what was answered is what is noted')
  t.equal(
    [...result.statuses.values()].reduce((sum, times) => sum + times, 0),
    entries.length,
    'every attempt has its outcome'
  )

  const conditions = new Map<string, { at: number; action: string; accepted: boolean }>()
  for (const { source, alerts, verdict } of entries) {
    if (verdict === 'refused') continue
    for (const { id, key, at, action } of alerts) {
      const last = conditions.get(`${source} ${key}`)
      if (!last || at >= last.at) conditions.set(`${source} ${key}`, { at, action, accepted: accepted.has(id) })
    }
  }
  t.ok(conditions.size > 100)
  t.ok(
    [...conditions.values()].every((last) => last.accepted),
    'the last word on every condition was taken'
  )
})

t.test('generated notifications have the same fields as those of a real Alertmanager', (t) => {
  const file = join(projectRoot, 'test/fixtures/senders/alertmanager.json')
  const [recorded] = JSON.parse(readFileSync(file, 'utf8')) as { alerts: object[] }[]
  const sent: SentAlert = { id: 'a', key: 'f1ce3b9911ae1ad3', action: 'fire', at: 1, sequence: 1 }
  const made = JSON.parse(notification([{ sent, labels: { alertname: 'DiskBroken' } }])) as { alerts: object[] }
  t.same(Object.keys(made).sort(), Object.keys(recorded ?? {}).sort())
  t.same(Object.keys(made.alerts[0] ?? {}).sort(), Object.keys(recorded?.alerts[0] ?? {}).sort())
  t.end()
})
