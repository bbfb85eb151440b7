/**
 * graphile-worker in a process of its own. Its arguments are the address of Postgres and the number
 * of concurrent jobs. Its one task posts a body to an address over keep-alive connections. It
 * prints `ready` when it polls for jobs, and ends when its input ends.
 */
import { Agent, request } from 'node:http'
import { Logger, run } from 'graphile-worker'

const [connectionString = '', concurrency = '64'] = process.argv.slice(2)
const agent = new Agent({ keepAlive: true, maxSockets: Number(concurrency) })

interface Post {
  url: string
  headers: Record<string, string>
  body: string
}

const post = ({ url, headers, body }: Post): Promise<void> =>
  new Promise((resolve, reject) => {
    const sent = request(url, { agent, method: 'POST', headers: { ...headers, 'content-length': Buffer.byteLength(body) } }, (answer) => {
      answer.resume()
      answer.once('end', () =>
        (answer.statusCode ?? 500) < 300 ? resolve() : reject(new Error(`the receiver answered ${answer.statusCode}`))
      )
    })
    sent.once('error', reject)
    sent.end(body)
  })

const runner = await run({
  connectionString,
  concurrency: Number(concurrency),
  maxPoolSize: Number(concurrency),
  noHandleSignals: true,
  pollInterval: 1000,
  logger: new Logger(() => () => undefined),
  taskList: { post: (payload) => post(payload as Post) }
})
process.stdout.write('ready\n')
process.stdin.resume()
process.stdin.once('end', () => void runner.stop().then(() => process.exit(0)))
