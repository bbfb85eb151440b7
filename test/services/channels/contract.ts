/**
 * Contract servers replace a vendor, on loopback. A contract server accepts what its vendor accepts
 * and refuses what its vendor refuses, records what it was sent, and can be told to answer with
 * faults. Each kind has one file in contracts/: it says how the vendor judges requests and what is
 * expected in each situation of the matrix.
 * Source: docs/design/outbound-channels.md#s8-3.
 */
import { readdirSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname } from 'node:path'
import { channelKinds } from '../../../schemas/http/notification-words.ts'
import type { Installed } from '../../../services/channels/install.ts'
import { channels } from '../../../services/channels/kinds/index.ts'
import type { Teardown } from '../../harness/engines.ts'

/** A request that a vendor was sent. */
export interface Asked {
  /** Of a mail: MAIL. */
  method: string
  /** The path with its query. For a mail: its recipient. */
  path: string
  /** Names are in lower case. For a mail: the mail's headers. */
  headers: Readonly<Record<string, string>>
  /** For a mail: the whole mail, with its headers. */
  body: string
}

/** A vendor's answer to a request. */
export interface Answer {
  status: number
  headers?: Record<string, string>
  /** A text is sent as it is; anything else as JSON. */
  body: unknown
  /** What the vendor did, in the words of the matrix, or why it refuses. */
  did: string
  refused: boolean
}

export const took = (did: string, body: unknown, status = 200, headers: Record<string, string> = {}): Answer => ({
  status,
  headers,
  body,
  did,
  refused: false
})

/** Makes a refusal. `why` is for the reader of a failed test; `body` is the vendor's own. */
export const refused = (status: number, why: string, body: unknown = '', headers: Record<string, string> = {}): Answer => ({
  status,
  headers,
  body,
  did: why,
  refused: true
})

/** A fake vendor, which remembers what it accepted. */
export interface Vendor {
  (asked: Asked): Answer
  /** The requests that opened what is open at the vendor now; absent if nothing is ever open. */
  holding?(): readonly Asked[]
}

/** Adds `holding` to a vendor. `open`: what the vendor has open, by its key there. */
export const holding = (vendor: Vendor, open: ReadonlyMap<string, Asked>): Vendor =>
  Object.assign(vendor, { holding: () => [...open.values()] })

/** Faults of the other side, whatever it is sent. */
export const faults = ['400', '401', '404', '413', '429', '500', 'timeout', 'malformed'] as const
export type FaultName = (typeof faults)[number]

export interface Fault {
  /** The answer as the vendor gives it. `silence`: it never answers. */
  answer: { status: number; headers?: Record<string, string>; body?: unknown; command?: 'MAIL' | 'RCPT' | 'DATA' } | 'silence'
  /** How many times, before it answers normally again; default: always. */
  times?: number
  /** Its name in the matrix; default: the status. */
  name?: string
}

export const situations = ['create', 'test', 'down', 'update', 'acknowledge', 'recover', 'rotate', ...faults] as const
export type Situation = (typeof situations)[number]

/** Begins a cell that is not played. The reason follows. */
export const NOT_APPLICABLE = 'not applicable: '

export interface Contract<Config extends object = Record<string, unknown>> {
  /** The settings that a person enters. `url`: where the contract server listens. */
  config(url: string): Config
  /** The same settings with another secret; null if there is none to replace. */
  rotated: ((url: string) => Config) | null
  /** The key in OUTBOUND_BASE_URLS_JSON; default: the kind. */
  base?: string
  /** Speaks SMTP. */
  mail?: true
  /**
   * Makes a vendor with an empty memory. `valid`: the settings whose credentials it accepts now.
   */
  vendor(valid: Config, url: string): Vendor
  /** Faults in which this vendor differs from `usualFaults`. */
  faults?: Partial<Record<FaultName, Fault>>
  /**
   * Changes to the first request of a failure that the vendor must refuse, each under what is
   * wrong.
   */
  wrong: Readonly<Record<string, (asked: Asked) => Asked>>
  /**
   * How Apprise, a client of another project, is told to send the same, if it supports this vendor.
   * The vendor's own `hosts` then lead to the contract server. `config`: the settings that the
   * vendor accepts for this, if they differ.
   */
  apprise?: { target(url: string): string; hosts?: readonly string[]; config?(url: string): Config }
  /** For a channel that an install of the kind's app creates: what the vendor's page answered. */
  installed?(config: Config): Pick<Installed, 'name' | 'config' | 'installer'>
  /** How the contract was checked apart from our own tests, or why it was not. */
  checked: string
  /**
   * The expected result: the requests as the vendor names them (`2× 500` is the same one twice), an
   * arrow, and the final state of the delivery. `nothing` means no request.
   */
  row: Readonly<Record<Situation, string>>
}

/** Seconds that a vendor asks for with 429; longer than the usual wait. */
export const RETRY_AFTER_SECONDS = 600

export const usualFaults: Readonly<Record<FaultName, Fault>> = {
  '400': { answer: { status: 400, body: { error: 'bad request' } } },
  '401': { answer: { status: 401, body: { error: 'unauthorized' } } },
  '404': { answer: { status: 404, body: { error: 'not found' } } },
  '413': { answer: { status: 413, body: { error: 'too large' } } },
  '429': { answer: { status: 429, headers: { 'retry-after': String(RETRY_AFTER_SECONDS) }, body: { error: 'slow down' } }, times: 1 },
  '500': { answer: { status: 500, body: { error: 'internal error' } }, times: 1 },
  timeout: { answer: 'silence', times: 1, name: 'no answer' },
  malformed: { answer: { status: 200, body: '<html>It works' }, times: 1, name: 'nonsense' }
}

export const faultOf = ({ faults = {} }: Contract, name: FaultName): Fault => faults[name] ?? usualFaults[name]

/** A request, and what the matrix calls its result. */
export interface Heard {
  asked: Asked
  said: string
}

export interface ContractServer {
  url: string
  heard: Heard[]
  /** From now on this vendor answers, after this fault. Forgets the requests so far. */
  play(vendor: Vendor, fault: Fault | null): void
}

/** Returns the answer of `server` to a request; null if nothing comes back. */
export type Judge = (asked: Asked) => Exclude<Fault['answer'], 'silence'> | null

/** Makes the part that the contract servers of all protocols share. */
export function createStage(): ContractServer & { judge: Judge } {
  let vendor: Vendor = () => refused(503, 'nobody plays')
  let fault: Fault | null = null
  let left = 0
  const server: ContractServer & { judge: Judge } = {
    url: '',
    heard: [],
    play(next, wrong) {
      vendor = next
      fault = wrong
      left = wrong === null ? 0 : (wrong.times ?? Number.POSITIVE_INFINITY)
      server.heard.length = 0
    },
    judge(asked) {
      if (fault !== null && left > 0) {
        left -= 1
        const { answer } = fault
        server.heard.push({ asked, said: fault.name ?? (answer === 'silence' ? 'no answer' : String(answer.status)) })
        return answer === 'silence' ? null : answer
      }
      const answer = vendor(asked)
      server.heard.push({ asked, said: answer.refused ? `refused with ${answer.status} (${answer.did})` : answer.did })
      return answer
    }
  }
  return server
}

const textOf = (body: unknown): string => (typeof body === 'string' ? body : JSON.stringify(body))

function say(response: ServerResponse, { status, headers = {}, body = '' }: Exclude<Fault['answer'], 'silence'>): void {
  const text = textOf(body)
  const type = typeof body === 'string' ? 'text/plain' : 'application/json'
  response.writeHead(status, { 'content-type': type, ...headers }).end(status === 204 || status === 304 ? undefined : text)
}

/** `held`: a request is judged once this has resolved. */
export async function httpContractServer(t: Teardown, held?: (asked: Asked) => Promise<void>): Promise<ContractServer> {
  const stage = createStage()
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8')
    request.on('data', (piece: string) => {
      body += piece
    })
    request.on('error', () => undefined)
    response.on('error', () => undefined)
    request.on('end', async () => {
      const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
      const asked = { method: request.method ?? '', path: request.url ?? '', headers, body }
      if (held) await held(asked)
      const answer = stage.judge(asked)
      if (answer !== null) say(response, answer)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  stage.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  t.teardown(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return stage
}

const extension = extname(import.meta.url)

/** Returns every contract, by kind; each has one file. */
export const contracts = (): Promise<ReadonlyMap<string, Contract>> => contractsIn(new URL('contracts/', import.meta.url))

/**
 * Returns the contracts of kinds that can also be added as an app, with channels that an install
 * creates.
 */
export const appContracts = (): Promise<ReadonlyMap<string, Contract>> => contractsIn(new URL('contracts/apps/', import.meta.url))

async function contractsIn(folder: URL): Promise<ReadonlyMap<string, Contract>> {
  const kinds = readdirSync(folder)
    .filter((file) => file.endsWith(extension))
    .map((file) => file.slice(0, -extension.length))
    .sort()
  const loaded = kinds.map(async (kind): Promise<[string, Contract]> => {
    const { contract } = (await import(new URL(`${kind}${extension}`, folder).href)) as { contract: Contract }
    return [kind, contract]
  })
  return new Map(await Promise.all(loaded))
}

/** The kinds of channels of a workspace that are implemented. Push to phones is not a channel. */
export const builtKinds = channelKinds.filter((kind) => channels[kind])

/** Returns, in words, which contracts are missing from `written` or should not be there. */
export function contractFaults(written: ReadonlyMap<string, Contract>, built: readonly string[] = builtKinds): string[] {
  const missing = built.filter((kind) => !written.has(kind)).map((kind) => `${kind}: has no test/services/channels/contracts/${kind}.ts`)
  const strange = [...written.keys()].filter((kind) => !built.includes(kind)).map((kind) => `${kind}: is no kind that is built`)
  const empty = [...written].flatMap(([kind, { row, wrong, checked }]) => [
    ...situations.filter((name) => !row[name]).map((name) => `${kind}: says nothing of ${name}`),
    ...situations
      .filter((name) => row[name]?.startsWith(NOT_APPLICABLE) && row[name].length < NOT_APPLICABLE.length + 10)
      .map((name) => `${kind}: gives no reason why ${name} is not applicable`),
    ...(Object.keys(wrong).length === 0 ? [`${kind}: refuses nothing`] : []),
    ...(checked ? [] : [`${kind}: does not say by what it was checked`])
  ])
  return [...missing, ...strange, ...empty]
}

/** Returns the body as a JSON object; null if it is none. */
export function jsonIn({ headers, body }: Asked): Record<string, unknown> | null {
  if (!headers['content-type']?.startsWith('application/json')) return null
  try {
    const value: unknown = JSON.parse(body)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : null
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}

/** For `wrong`: makes the same request with another JSON body. */
export const withJson =
  (change: (body: Record<string, unknown>) => Record<string, unknown>) =>
  (asked: Asked): Asked => ({ ...asked, body: JSON.stringify(change(JSON.parse(asked.body) as Record<string, unknown>)) })

/** For `wrong`: replaces a header; null removes it. */
export const withHeader =
  (name: string, value: string | null) =>
  (asked: Asked): Asked => {
    const { [name]: _gone, ...rest } = asked.headers
    return { ...asked, headers: value === null ? rest : { ...rest, [name]: value } }
  }

/** For `wrong`: changes the path. */
export const withPath =
  (change: (path: string) => string) =>
  (asked: Asked): Asked => ({ ...asked, path: change(asked.path) })

/** For `wrong`: replaces one field of a form; null removes it. */
export const withField =
  (name: string, value: string | null) =>
  (asked: Asked): Asked => {
    const form = new URLSearchParams(asked.body)
    if (value === null) form.delete(name)
    else form.set(name, value)
    return { ...asked, body: form.toString() }
  }

/** A text of 1 to `max` characters. */
export const isText = (value: unknown, max: number): value is string =>
  typeof value === 'string' && value.length > 0 && [...value].length <= max
