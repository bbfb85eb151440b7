/**
 * A proxy made only of Node's own modules: it pipes every request on over keep-alive connections.
 * It is the floor of a proxy in Node.
 */
import { spawn } from 'node:child_process'
import { freePort } from '../../harness/free-ports.ts'
import { treeCpuSeconds } from '../processes.ts'
import { answers, end, type Peer } from './peer.ts'

const source = (port: number, upstream: number): string => `import { Agent, createServer, request } from 'node:http'
const agent = new Agent({ keepAlive: true })
createServer((asked, response) => {
  const { method, url: path, headers } = asked
  const upstream = request({ agent, host: '127.0.0.1', port: ${upstream}, method, path, headers }, (answer) => {
    response.writeHead(answer.statusCode, answer.headers)
    answer.pipe(response)
  })
  upstream.on('error', () => response.destroy())
  asked.pipe(upstream)
}).listen(${port}, '127.0.0.1')`

export async function pipe(upstream: number): Promise<Peer> {
  const port = await freePort()
  const child = spawn(process.execPath, ['--input-type=module', '-e', source(port, upstream)], { stdio: ['ignore', 'ignore', 'inherit'] })
  await answers(`http://127.0.0.1:${port}/`)
  return {
    name: 'node:http-pipe',
    version: process.version,
    port,
    cpu: () => treeCpuSeconds(child.pid ?? 0),
    stop: () => end(child)
  }
}
