/** Sends frames that no client should send, over the WebSocket at the public address. */
import { once } from 'node:events'
import { WebSocket } from 'ws'
import { type Dice, diceOf, mutate, texts } from '../mutate.ts'
import type { Fault } from './checks.ts'
import { anAddress, foreignIn, mayHear, PUBLIC_URL, type Tenant, type Victim } from './world.ts'

export interface SocketRun {
  sockets: number
  frames: number
  /** How many sockets ended with each code. */
  codes: Map<number, number>
  faults: (Fault & { frames: readonly string[] })[]
}

/** Close codes of the gateway, and 1006 for a broken connection. */
const CODES = new Set([1000, 1001, 1005, 1006, 1002, 1003, 1007, 1009, 4400, 4401, 4403, 4404, 4408, 4410, 4429])
const FRAMES = 12
const QUIET_MS = 20

function frameOf(dice: Dice, victim: Tenant): string | Buffer {
  const channels = [
    'incidents',
    'incident.events',
    'monitors',
    'heartbeats',
    'notifications.feed',
    victim.tenant_id,
    '*',
    '__proto__',
    'constructor',
    dice.pick(texts)
  ]
  const good = { action: dice.pick(['subscribe', 'unsubscribe']), channels: [channels[dice.below(channels.length)]] }
  switch (dice.below(20)) {
    case 0:
      return Buffer.from(JSON.stringify(good))
    case 1:
      return JSON.stringify(good).slice(0, dice.below(40))
    case 2:
      return `{"action":"subscribe","channels":[${'"incidents",'.repeat(dice.pick([10, 1000, 5000]))}"incidents"]}`
    case 3:
      return '['.repeat(dice.pick([10, 10_000])) + dice.pick(texts)
    case 4:
      return dice.pick(texts)
    case 5:
      return JSON.stringify({ ...good, since: dice.pick(texts), tenant_id: victim.tenant_id })
    case 6:
      return JSON.stringify(mutate(good, { dice, some: texts, seeds: [{ text: '{"action":"subscribe"}', isJson: true }] })) ?? 'null'
    default:
      return JSON.stringify(good)
  }
}

export async function fuzzSockets(options: {
  port: number
  seed: number
  sockets: number
  tenants: readonly Tenant[]
  victim: Victim
}): Promise<SocketRun> {
  const { port, seed, sockets, tenants, victim } = options
  const run: SocketRun = { sockets: 0, frames: 0, codes: new Map(), faults: [] }
  for (let n = 0; n < sockets; n++) {
    const dice = diceOf(seed, 'socket', n)
    const tenant = tenants[n % tenants.length]
    const hearing = tenant?.actors.filter(mayHear) ?? []
    const actor = hearing[n % Math.max(1, hearing.length)]
    if (!actor) continue
    const token = actor.headers.authorization?.slice('Bearer '.length)
    const query = token === undefined ? '' : `?token=${token}`
    const socket = new WebSocket(`ws://127.0.0.1:${port}/api/v1/ws${query}`, {
      headers: { ...(token === undefined && actor.headers), origin: PUBLIC_URL, 'x-forwarded-for': anAddress() },
      perMessageDeflate: false
    })
    const sent: string[] = []
    const fail = (what: Fault['what'], why: string): void => void run.faults.push({ what, why, frames: sent })
    const closed = new Promise<number>((resolve) => socket.once('close', (code) => resolve(code)))
    socket.on('message', (raw) => {
      const seen = foreignIn(victim, String(raw), sent.join(' '))
      if (seen !== null) fail('foreign id', `a frame holds ${seen}`)
    })
    const opened = await Promise.race([
      once(socket, 'open').then(
        () => null,
        () => 'error'
      ),
      once(socket, 'unexpected-response').then(([, response]) => String((response as { statusCode?: number }).statusCode))
    ])
    if (opened !== null) {
      if (/^5/.test(opened)) fail('5xx', `the handshake was answered ${opened}`)
      socket.on('error', () => undefined)
      socket.terminate()
      continue
    }
    socket.on('error', () => undefined)
    run.sockets++
    for (let i = 0; i < FRAMES && socket.readyState === WebSocket.OPEN; i++) {
      const frame = frameOf(dice, victim.tenant)
      sent.push(String(frame).slice(0, 1000))
      socket.send(frame)
      run.frames++
      if (dice.oneIn(3)) await new Promise((resolve) => setTimeout(resolve, QUIET_MS))
    }
    socket.close()
    const code = await closed
    run.codes.set(code, (run.codes.get(code) ?? 0) + 1)
    if (!CODES.has(code)) fail('socket', `closed with ${code}`)
  }
  return run
}
