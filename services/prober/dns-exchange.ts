/**
 * Sends one question to one resolver, by UDP, TCP, TLS or HTTPS. An answer counts only if it has
 * the id and the question that were sent, and comes from the address that they were sent to.
 */
import { randomInt } from 'node:crypto'
import type { Socket } from 'node:net'
import { type Answer, AUTHENTIC_DATA, type DecodedPacket, DNSSEC_OK, decode, encode, RECURSION_DESIRED } from 'dns-packet'
import type { transports } from '../../schemas/http/check-types/dns.ts'
import type { HostPort } from '../checks/targets.ts'
import type { Running } from './attempt.ts'
import { connectToOne, encrypt, type Network, resolveTarget } from './connection.ts'
import { openDatagrams } from './datagrams.ts'
import { CheckFailure } from './failure.ts'
import { performHop } from './http-hop.ts'

type Transport = (typeof transports)[number]

export interface Question {
  name: string
  record: 'A' | 'AAAA' | 'CNAME' | 'MX' | 'TXT' | 'NS' | 'SOA' | 'SRV' | 'CAA' | 'PTR'
  transport: Transport
  dnssec: boolean
}

export interface DnsAnswer {
  rcode: string
  answers: readonly Answer[]
  /** The resolver says that it has validated the answers. */
  isValidated: boolean
}

/** Largest datagram that passes every network unfragmented. */
const UDP_BYTES = 1232
const MAX_BYTES = 65_535
/** Time until a datagram, which may be lost, is sent again. */
const RESEND_MS = 1000
const TRUNCATED = 1 << 9

const ports: Readonly<Record<Transport, number>> = { udp: 53, tcp: 53, dot: 853, doh: 443 }
export const portOf = (transport: Transport): number => ports[transport]

function encoded({ name, record, dnssec }: Question, id: number): Buffer {
  return encode({
    type: 'query',
    id,
    flags: RECURSION_DESIRED | (dnssec ? AUTHENTIC_DATA : 0),
    questions: [{ type: record, name }],
    additionals: [
      {
        type: 'OPT',
        name: '.',
        udpPayloadSize: UDP_BYTES,
        extendedRcode: 0,
        ednsVersion: 0,
        flags: dnssec ? DNSSEC_OK : 0,
        flag_do: dnssec,
        options: []
      }
    ]
  })
}

const notDns = () => new CheckFailure('protocol', 'The answer of the resolver is not one of the DNS')

/**
 * Returns null if this is not the answer to the question. Throws CheckFailure if it cannot be read.
 */
function decoded(data: Buffer, { name, record }: Question, id: number): DecodedPacket | null {
  let packet: DecodedPacket
  try {
    packet = decode(data)
  } catch {
    throw notDns()
  }
  const [asked] = packet.questions ?? []
  const isAsked = asked?.type === record && asked.name.toLowerCase().replace(/\.$/, '') === name
  return packet.type === 'response' && packet.id === id && isAsked ? packet : null
}

const answerOf = (packet: DecodedPacket): DnsAnswer => ({
  rcode: String(Reflect.get(packet, 'rcode') ?? 'NOERROR'),
  answers: packet.answers ?? [],
  isValidated: packet.flag_ad
})

/** Reads the first whole message: a length of two bytes, then that many bytes. */
function readMessage(socket: Socket, { watch, signal }: Running): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let data = Buffer.alloc(0)
    const settle = (tell: () => void): void => {
      signal.removeEventListener('abort', onAbort)
      socket.off('data', onData).off('end', onEnd).off('close', onEnd).off('error', fail)
      tell()
    }
    const fail = (error: unknown): void => settle(() => reject(error))
    const onAbort = (): void => fail(signal.reason)
    const onEnd = (): void => fail(new CheckFailure('protocol', 'The resolver closed the connection before it answered'))
    const onData = (chunk: Buffer): void => {
      if (data.length === 0) watch.enter('download')
      data = Buffer.concat([data, chunk])
      const length = data.length < 2 ? MAX_BYTES : data.readUInt16BE(0)
      if (data.length >= length + 2) settle(() => resolve(data.subarray(2, length + 2)))
    }
    if (signal.aborted) return onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    socket.on('data', onData).on('end', onEnd).on('close', onEnd).on('error', fail)
  })
}

function framed(message: Buffer): Buffer {
  const length = Buffer.alloc(2)
  length.writeUInt16BE(message.length)
  return Buffer.concat([length, message])
}

async function byStream(question: Question, to: HostPort, network: Network, running: Running): Promise<DnsAnswer> {
  const addresses = await resolveTarget({ ...to, family: 0 }, network, running)
  running.watch.enter('connect')
  const plain = await connectToOne(addresses, to.port, network.guard, running.deadlineAt, running.signal)
  try {
    running.report.remoteIp = plain.remoteAddress ?? null
    const socket = question.transport === 'dot' ? await encrypt(plain, { host: to.host, verify: true }, running) : plain
    const id = randomInt(65_536)
    running.watch.enter('request')
    socket.write(framed(encoded(question, id)))
    running.watch.enter('ttfb')
    const packet = decoded(await readMessage(socket, running), question, id)
    if (!packet) throw notDns()
    return answerOf(packet)
  } finally {
    plain.destroy()
  }
}

async function byDatagram(question: Question, to: HostPort, network: Network, running: Running): Promise<DnsAnswer> {
  const { watch, signal, deadlineAt, report } = running
  const [checked] = await resolveTarget({ ...to, family: 0 }, network, running)
  if (!checked) throw new CheckFailure('dns', 'The resolver has no address')
  report.remoteIp = checked.address
  watch.enter('connect')
  const socket = await openDatagrams(checked, to.port, signal)
  try {
    const id = randomInt(65_536)
    const message = encoded(question, id)
    for (let left = deadlineAt - performance.now(); left > 0; left = deadlineAt - performance.now()) {
      watch.enter('request')
      socket.send(message)
      watch.enter('ttfb')
      const resendAt = performance.now() + Math.min(RESEND_MS, left)
      for (let data = await socket.next(resendAt - performance.now()); data; data = await socket.next(resendAt - performance.now())) {
        // Any other datagram from this address is not the answer.
        const packet = decoded(data, question, id)
        if (!packet) continue
        if ((packet.flags ?? 0) & TRUNCATED) return await byStream(question, to, network, running)
        watch.enter('download')
        return answerOf(packet)
      }
    }
    throw new CheckFailure('timeout', 'The resolver did not answer')
  } catch (error) {
    // The machine reports that nothing listens on the port.
    if ((error as NodeJS.ErrnoException).code === 'ECONNREFUSED') throw new CheckFailure('connect', 'The resolver does not listen there')
    throw error
  } finally {
    socket.close()
  }
}

async function byHttps(question: Question, { host, port }: HostPort, network: Network, running: Running): Promise<DnsAnswer> {
  const { watch, signal, deadlineAt, report } = running
  const body = encoded(question, 0)
  const hop = {
    url: new URL(`https://${host.includes(':') ? `[${host}]` : host}:${port}/dns-query`),
    method: 'POST',
    headers: { 'content-type': 'application/dns-message', accept: 'application/dns-message', 'content-length': String(body.length) },
    body,
    http2: false,
    verifyTls: true,
    secureContext: null,
    family: 0 as const,
    maxBodyBytes: MAX_BYTES,
    deadlineAt,
    onTls: () => undefined,
    onConnected: (address: string) => {
      report.remoteIp = address
    },
    onHead: () => undefined,
    isBodyWanted: () => true
  }
  const { head, body: answer } = await performHop(hop, network, watch, signal)
  if (head.status !== 200) throw new CheckFailure('protocol', `The resolver answers with the status ${head.status}`)
  const packet = decoded(answer.first(MAX_BYTES), question, 0)
  if (!packet) throw notDns()
  return answerOf(packet)
}

/**
 * Asks the resolver. `running.deadlineAt`: the deadline for this resolver. Rejects with the reason
 * why there is no answer.
 */
export function askResolver(question: Question, to: HostPort, network: Network, running: Running): Promise<DnsAnswer> {
  switch (question.transport) {
    case 'udp':
      return byDatagram(question, to, network, running)
    case 'doh':
      return byHttps(question, to, network, running)
    default:
      return byStream(question, to, network, running)
  }
}
