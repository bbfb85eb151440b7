/**
 * Writes pictures of received messages into docs/guides/pictures, one for each kind and each app.
 * They are drawn from what the kind sends for a failure and for its end. `npm run pictures` writes
 * the stale ones; with `-- --check` it only reports whether any is stale.
 */
import { generate } from '../../../schemas/generate.ts'
import type { ChannelKind } from '../../../schemas/http/notification-words.ts'
import type { Channel, Message, RemoteRef, SendReply, SendRequest } from '../../../services/channels/channel.ts'
import { channels } from '../../../services/channels/kinds/index.ts'
import { runTool } from '../../../services/operator/tool.ts'
import { ACCOUNT, AUTH_TOKEN, FROM } from '../../harness/twilio.ts'
import { type Asked, appContracts, builtKinds, type Contract, contracts, type Vendor } from './contract.ts'
import { APP as discord } from './discord-web.ts'
import { context, deployment, message, up } from './messages.ts'
import { pictureOf } from './picture-svg.ts'
import { lookOf, shownBy } from './picture-words.ts'

const HOST = 'https://contract.example'
const twilio = { account_sid: ACCOUNT, credential: `${ACCOUNT}:${AUTH_TOKEN}`, from: FROM, messaging_service_sid: null }

/** Returns a request as a contract server sees it. */
function asked(request: SendRequest): Asked | null {
  if (request.via === 'smtp') return null
  const { pathname, search } = new URL(request.url)
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name.toLowerCase(), value]))
  return { method: request.method, path: `${pathname}${search}`, headers, body: request.body ?? '' }
}

function replyTo(vendor: Vendor, request: SendRequest): SendReply {
  const one = asked(request)
  if (one === null) return { status: 250, headers: {}, body: 'taken' }
  const { status, headers = {}, body, refused, did } = vendor(one)
  if (refused) throw new Error(`the contract server refuses what is drawn: ${did}`)
  return { status, headers, body: typeof body === 'string' ? body : JSON.stringify(body) }
}

/** Returns the last request of an attempt, which carries the message. */
function sent(
  channel: Channel,
  vendor: Vendor,
  config: object,
  told: Message,
  ref: RemoteRef | null
): { last: SendRequest; ref: RemoteRef | null } {
  const steps = channel.steps(told, config as Record<string, unknown>, ref, context({ deployment: { ...deployment, twilio, discord } }))
  let last: SendRequest | null = null
  for (let next = steps.next(); ; ) {
    if (next.done) {
      if (next.value.outcome !== 'delivered' || last === null) throw new Error(`${channel.kind}: ${JSON.stringify(next.value)}`)
      return { last, ref: next.value.remote_ref ?? ref }
    }
    last = next.value
    // Their contract servers check when the request was signed, and a picture has no time.
    if (channel.family === 'webhook' || channel.family === 'topic') return { last, ref }
    next = steps.next(replyTo(vendor, last))
  }
}

function pictureFor(kind: ChannelKind, contract: Contract): string {
  const channel = channels[kind]
  if (!channel) throw new Error(`${kind} is not built`)
  const config = contract.config(HOST)
  const stored = channel.normalise ? channel.normalise(config) : config
  const vendor = contract.vendor(config, HOST)
  const down = sent(channel, vendor, stored, message(), null)
  // A person who was called is notified about the end by a text message.
  const teller = kind === 'voice' ? channels.sms : channel
  const end = sent(teller as Channel, vendor, stored, up(), down.ref)
  const shown = [shownBy(kind, down.last, false), shownBy(kind, end.last, true)]
  return pictureOf(lookOf(kind), `${channel.name}: a failure, and its end`, shown)
}

/** Returns the path of each picture → its text. */
export async function pictures(): Promise<ReadonlyMap<string, string>> {
  const drawnOf = (written: ReadonlyMap<string, Contract>, end: string) =>
    builtKinds.flatMap((kind) => {
      const contract = written.get(kind)
      return contract ? [[`docs/guides/pictures/${kind}${end}.svg`, pictureFor(kind, contract)] as const] : []
    })
  return new Map([...drawnOf(await contracts(), ''), ...drawnOf(await appContracts(), '-app')])
}

runTool(import.meta.url, async () => {
  process.exitCode = generate(process.argv.slice(2), await pictures())
})
