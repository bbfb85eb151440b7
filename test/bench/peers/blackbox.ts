/**
 * Prometheus' blackbox exporter, as Debian builds it. It does one probe for each scrape. The
 * benchmark scrapes it as Prometheus does, over keep-alive connections.
 */
import { spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { join } from 'node:path'
import { program } from '../../harness/debian.ts'
import { freePort } from '../../harness/free-ports.ts'
import { version } from '../figures.ts'
import { treeCpuSeconds } from '../processes.ts'
import { answers, end, type Peer } from './peer.ts'

export type BlackboxModule = 'http' | 'tcp' | 'dns' | 'icmp'

export interface Blackbox extends Peer {
  /**
   * Makes `rate` probes a second for `seconds`. Returns how many succeeded, and throws when one did
   * not.
   */
  probe(module: BlackboxModule, target: string, rate: number, seconds: number): Promise<number>
}

/** `name`: the name that the dns module queries. */
const modules = (name: string): string => `modules:
  http:
    prober: http
    timeout: 5s
    http: { preferred_ip_protocol: ip4, follow_redirects: true }
  tcp:
    prober: tcp
    timeout: 5s
    tcp: { preferred_ip_protocol: ip4 }
  dns:
    prober: dns
    timeout: 5s
    dns: { query_name: ${name}, query_type: A, transport_protocol: udp, preferred_ip_protocol: ip4 }
  icmp:
    prober: icmp
    timeout: 5s
    icmp: { preferred_ip_protocol: ip4 }
`

export async function blackbox(folder: string, name: string): Promise<Blackbox> {
  const file = await program('prometheus-blackbox-exporter', 'prometheus-blackbox-exporter')
  const port = await freePort()
  const prefix = join(folder, 'blackbox')
  mkdirSync(prefix, { recursive: true })
  writeFileSync(join(prefix, 'blackbox.yml'), modules(name))
  const child = spawn(
    file,
    [`--config.file=${join(prefix, 'blackbox.yml')}`, `--web.listen-address=127.0.0.1:${port}`, '--log.level=error'],
    { stdio: 'ignore' }
  )
  await answers(`http://127.0.0.1:${port}/-/healthy`)
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  const one = (path: string): Promise<boolean> =>
    new Promise((resolve, reject) => {
      get({ host: '127.0.0.1', port, path, agent }, (response) => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (part: string) => {
          text += part
        })
        response.on('end', () => resolve(/^probe_success 1$/m.test(text)))
        response.on('error', reject)
      }).on('error', reject)
    })
  return {
    name: 'blackbox',
    version: version('sh', '-c', `${file} --version 2>&1`),
    port,
    cpu: () => treeCpuSeconds(child.pid ?? 0),
    async probe(module, target, rate, seconds) {
      const path = `/probe?module=${module}&target=${encodeURIComponent(target)}`
      const from = performance.now()
      const total = Math.round(rate * seconds)
      const asked: Promise<boolean>[] = []
      while (asked.length < total) {
        const due = Math.min(total, Math.ceil(((performance.now() - from) / 1000) * rate))
        while (asked.length < due) asked.push(one(path))
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
      const failed = (await Promise.all(asked)).filter((succeeded) => !succeeded).length
      if (failed > 0) throw new Error(`${failed} of ${total} probes of ${target} by ${module} failed`)
      return total
    },
    async stop() {
      agent.destroy()
      await end(child)
    }
  }
}
