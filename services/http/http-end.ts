/**
 * Ends an HTTP server of Node. `server.close()` alone waits for every connection: for one on which
 * nothing was ever asked (browsers and balancers open some ahead of need), for one whose request
 * never completes, since the server's own timeouts end with the close, and, after an answer, for
 * the peer to give up its kept connection. Here a connection without a request is cut at once, one
 * with a request after its answer, and every other after `ms`.
 */
import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Watches the server's connections from now on. Call the function that it returns just before the
 * server is closed.
 */
export function endable(server: Server): (ms: number) => void {
  /** Number of requests under way on each connection. */
  const asking = new Map<Socket, number>()
  let ending = false

  server.on('connection', (socket: Socket) => {
    if (ending) {
      socket.destroy()
      return
    }
    asking.set(socket, 0)
    socket.once('close', () => asking.delete(socket))
  })
  server.on('request', ({ socket }, response) => {
    asking.set(socket, (asking.get(socket) ?? 0) + 1)
    response.once('close', () => {
      const left = (asking.get(socket) ?? 1) - 1
      if (socket.destroyed) return
      asking.set(socket, left)
      if (ending && left === 0) socket.destroySoon()
    })
  })

  return (ms) => {
    ending = true
    for (const [socket, requests] of asking) if (requests === 0) socket.destroy()
    const last = setTimeout(() => {
      for (const socket of asking.keys()) socket.destroy()
    }, ms)
    server.once('close', () => clearTimeout(last))
  }
}
