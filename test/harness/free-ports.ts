/** Ports for programs that cannot choose one themselves. */
import { createServer } from 'node:net'

/** Ports of the loopback that were free a moment ago, all different. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, () => {
      const server = createServer()
      return new Promise<typeof server>((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)))
    })
  )
  const ports = servers.map((server) => {
    const address = server.address()
    return typeof address === 'object' && address ? address.port : 0
  })
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
  return ports
}

export async function freePort(): Promise<number> {
  const [port = 0] = await freePorts(1)
  return port
}
