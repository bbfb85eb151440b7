/**
 * Runs the contract servers of all kinds at once, like the vendors of one deployment. Some requests
 * fail, meet an overload, are accepted and never answered, or are refused. The choice is random,
 * but depends only on what was said, so that a repeated attempt meets what the first one left.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { twilioEnvironment } from '../harness/twilio.ts'
import { type Answer, type Asked, type Contract, contracts, faultOf, type Vendor } from '../services/channels/contract.ts'
import { smtpContractServer } from '../services/channels/smtp-contract.ts'
import type { Receipt } from './check-deliveries.ts'
import { behaviourOf } from './delivering.ts'
import { saidBy, type Told, toldBy } from './vendor-words.ts'

/** One request that a vendor got; they are in the order of arrival. */
export interface Sighting {
  kind: string
  asked: Asked
  told: Told | null
  said: string
  answer: Receipt['answer']
  /** What the vendor did, named as in the matrix; null: it did not look at the request. */
  did: string | null
}

export interface Vendors {
  /** Settings of a service that uses these vendors. */
  environment: Record<string, string>
  /** What a person enters, by kind. */
  configs: ReadonlyMap<string, Record<string, unknown>>
  contracts: ReadonlyMap<string, Contract>
  heard: Sighting[]
  /** From now on some of the requests fail. */
  misbehave(): void
  /** What is open at the vendors now, by kind, and what opened it. */
  holding(): { kind: string; told: Told | null }[]
  close(): Promise<void>
}

/** Text messages and calls go to one account: the number tells which of the two is meant. */
const CALLED = '+4915187654321'

type Said = { status: number; headers?: Record<string, string>; body?: unknown }
/** `cut`: the vendor has accepted it, and the connection breaks. */
type Reply = Said | 'silence' | 'cut'

export async function startVendors(): Promise<Vendors> {
  const written = await contracts()
  const closing: (() => unknown)[] = []
  const heard: Sighting[] = []
  const times = new Map<string, number>()
  const playing = new Map<string, Vendor>()
  let isWild = false

  function judge(kind: string, vendor: Vendor, contract: Contract, asked: Asked): Reply {
    const told = toldBy(asked)
    const said = saidBy(asked)
    const nth = times.get(said) ?? 0
    times.set(said, nth + 1)
    const note = (answer: Receipt['answer'], did: string | null): void => void heard.push({ kind, asked, told, said, answer, did })
    const behaviour = isWild && told !== null ? behaviourOf(said) : 'takes'
    if (behaviour === 'refuses') {
      note('refused', null)
      const { answer } = faultOf(contract, '400')
      return answer
    }
    if (nth === 0 && (behaviour === 'fails' || behaviour === 'overloaded')) {
      note('later', null)
      return behaviour === 'fails' ? faultOf(contract, '500').answer : tooMany(contract)
    }
    const answer: Answer = vendor(asked)
    const isHeard = nth > 0 || contract.mail || (behaviour !== 'resets' && behaviour !== 'silent')
    note(answer.refused ? 'refused' : isHeard ? 'took' : 'silence', answer.did)
    if (isHeard) return answer
    return behaviour === 'resets' ? 'cut' : 'silence'
  }

  const urls = new Map<string, string>()
  const configs = new Map<string, Record<string, unknown>>()
  const servers = new Map<string, [kind: string, vendor: Vendor, contract: Contract][]>()
  const chosen = (base: string, asked: Asked): Reply => {
    const all = servers.get(base) ?? []
    const to = new URLSearchParams(asked.body).get('To')
    const [kind, vendor, contract] = (base === 'twilio' ? all.find(([kind]) => (kind === 'voice') === (to === CALLED)) : all[0]) ?? []
    if (!kind || !vendor || !contract) throw new Error(`nobody plays ${base}`)
    return judge(kind, vendor, contract, asked)
  }
  for (const [kind, contract] of written) {
    const base = contract.mail ? 'smtp' : (contract.base ?? kind)
    if (!urls.has(base))
      urls.set(
        base,
        contract.mail
          ? await mailServer((asked) => chosen(base, asked), closing)
          : await httpServer((asked) => chosen(base, asked), closing)
      )
    const url = urls.get(base) ?? ''
    const config = kind === 'voice' ? { number: CALLED } : contract.config(url)
    const vendor = contract.vendor(config, url)
    configs.set(kind, config)
    playing.set(kind, vendor)
    servers.set(base, [...(servers.get(base) ?? []), [kind, vendor, contract]])
  }
  const bases = Object.fromEntries([...urls].filter(([base]) => base !== 'smtp'))
  return {
    environment: {
      ...twilioEnvironment(bases.twilio ?? ''),
      OUTBOUND_BASE_URLS_JSON: JSON.stringify(bases),
      SERVICE_SMTP_URL: urls.get('smtp') ?? '',
      SERVICE_MAIL_FROM: 'alerts@example.test',
      SERVICE_CHANNEL_ALLOW_CIDRS: '127.0.0.0/8'
    },
    configs,
    contracts: written,
    heard,
    misbehave() {
      isWild = true
    },
    holding: () => [...playing].flatMap(([kind, vendor]) => (vendor.holding?.() ?? []).map((asked) => ({ kind, told: toldBy(asked) }))),
    async close() {
      for (const close of closing) await close()
    }
  }
}

/** An answer that asks for a wait for which the run has time. */
function tooMany(contract: Contract): Said {
  if (contract.mail) return faultOf(contract, '429').answer as Said
  return { status: 429, headers: { 'retry-after': '1' }, body: { error: 'slow down' } }
}

async function mailServer(answer: (asked: Asked) => Reply, closing: (() => unknown)[]): Promise<string> {
  const server = await smtpContractServer({ teardown: (close) => void closing.push(close as () => unknown) })
  server.play((asked) => {
    const { status, body = '' } = answer(asked) as Said
    return { status, body, did: '', refused: status >= 400 }
  }, null)
  return server.url
}

async function httpServer(answer: (asked: Asked) => Reply, closing: (() => unknown)[]): Promise<string> {
  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = ''
    request.setEncoding('utf8')
    for await (const piece of request) body += String(piece)
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
    const reply = answer({ method: request.method ?? '', path: request.url ?? '', headers, body })
    if (reply === 'silence') return
    if (reply === 'cut') return void response.destroy()
    const { status, headers: more = {}, body: text = '' } = reply
    const type = typeof text === 'string' ? 'text/plain' : 'application/json'
    const isBare = status === 204 || status === 304
    response
      .writeHead(status, { 'content-type': type, ...more })
      .end(isBare ? undefined : typeof text === 'string' ? text : JSON.stringify(text))
  }
  const server = createServer((request, response) => {
    response.on('error', () => undefined)
    // A request that its killed sender did not finish does not count as received.
    handle(request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
