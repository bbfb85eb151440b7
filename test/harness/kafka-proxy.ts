/**
 * A TCP proxy in front of the broker that a test can cut off or make silent. In replies that name
 * the broker's address (Metadata, FindCoordinator) it puts its own address, so that the client
 * keeps connecting through the proxy.
 */

import type { AddressInfo } from 'node:net'
import { connect, createServer, type Socket } from 'node:net'

export interface KafkaProxy {
  /** host:port, for the client's broker list. */
  address: string
  /** Closes every connection and accepts no new one until `restore`. */
  cut(): void
  restore(): void
  /** Keeps everything that clients send, until `release`: the broker seems not to answer. */
  hold(): void
  release(): void
}

const addressBytes = (host: string, port: number): Buffer => {
  const bytes = Buffer.alloc(2 + host.length + 4)
  bytes.writeInt16BE(host.length, 0)
  bytes.write(host, 2, 'latin1')
  bytes.writeInt32BE(port, 2 + host.length)
  return bytes
}

/**
 * Replaces the broker's address in whole protocol frames (an int32 size, then that many bytes). The
 * two addresses have the same length.
 */
function rewriter(from: Buffer, to: Buffer, write: (frame: Buffer) => void): (chunk: Buffer) => void {
  let waiting: Buffer = Buffer.alloc(0)
  return (chunk) => {
    waiting = Buffer.concat([waiting, chunk])
    while (waiting.length >= 4 && waiting.length >= 4 + waiting.readInt32BE(0)) {
      const size = 4 + waiting.readInt32BE(0)
      const frame = Buffer.from(waiting.subarray(0, size))
      waiting = waiting.subarray(size)
      for (let at = frame.indexOf(from); at >= 0; at = frame.indexOf(from, at + to.length)) to.copy(frame, at)
      write(frame)
    }
  }
}

/**
 * Starts the proxy. `upstream` is host:port of a real broker that advertises exactly that address.
 */
export async function kafkaProxy(t: { teardown(handler: () => unknown): void }, upstream: string): Promise<KafkaProxy> {
  const colon = upstream.lastIndexOf(':')
  const host = upstream.slice(0, colon)
  const port = Number(upstream.slice(colon + 1))
  const sockets = new Set<Socket>()
  let open = true
  let held: (() => void)[] | null = null
  let own: Buffer = Buffer.alloc(0)
  const theirs = addressBytes(host, port)
  const server = createServer((client) => {
    if (!open) {
      client.destroy()
      return
    }
    const broker = connect(port, host)
    for (const socket of [client, broker]) {
      sockets.add(socket)
      socket.setNoDelay(true)
      socket.on('error', () => socket.destroy())
      socket.on('close', () => {
        sockets.delete(socket)
        client.destroy()
        broker.destroy()
      })
    }
    client.on('data', (chunk) => {
      if (held) held.push(() => broker.write(chunk))
      else broker.write(chunk)
    })
    broker.on(
      'data',
      rewriter(theirs, own, (frame) => client.write(frame))
    )
  })
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  const address = server.address() as AddressInfo
  own = addressBytes(host, address.port)
  const cut = (): void => {
    open = false
    for (const socket of sockets) socket.destroy()
  }
  t.teardown(() => {
    cut()
    return new Promise((resolve) => server.close(resolve))
  })
  return {
    address: `${host}:${address.port}`,
    cut,
    restore: () => {
      open = true
    },
    hold: () => {
      held ??= []
    },
    release: () => {
      for (const pass of held ?? []) pass()
      held = null
    }
  }
}
