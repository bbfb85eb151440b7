/**
 * Names to addresses for checks and deliveries: the machine's hosts file, then its name servers
 * (c-ares).
 *
 * Not getaddrinfo: that runs on four threads of the process and cannot be given up, so that a few
 * names whose servers keep silent would make every other check of the region time out. Search
 * domains are therefore not applied: a target is a full name.
 */
import { Resolver } from 'node:dns/promises'
import { readFile, stat } from 'node:fs/promises'
import { isIP } from 'node:net'
import type { Resolve } from './address-guard.ts'

const HOSTS = process.platform === 'win32' ? 'C:\\Windows\\System32\\drivers\\etc\\hosts' : '/etc/hosts'

/** `address name [name ...]` a line, `#` opens a comment. Names in lower case. */
export function parseHosts(text: string): Map<string, string[]> {
  const hosts = new Map<string, string[]>()
  for (const line of text.split('\n')) {
    const [address = '', ...names] = (line.split('#')[0] ?? '').trim().split(/\s+/)
    if (isIP(address) === 0) continue
    for (const name of names) hosts.set(name.toLowerCase(), [...(hosts.get(name.toLowerCase()) ?? []), address])
  }
  return hosts
}

const ofFamily = (addresses: string[], family: 0 | 4 | 6): string[] =>
  family === 0 ? addresses : addresses.filter((address) => isIP(address) === family)

/**
 * Addresses of both families: IPv4 first, so that a machine without IPv6 loses no time. A name
 * without any: the error of the IPv4 question.
 */
export function createResolver(hostsFile = HOSTS): Resolve {
  const resolver = new Resolver({ timeout: 2000, tries: 3 })
  let hosts = new Map<string, string[]>()
  let readAt = -1
  async function fromHosts(name: string): Promise<string[]> {
    try {
      const { mtimeMs } = await stat(hostsFile)
      if (mtimeMs !== readAt) {
        hosts = parseHosts(await readFile(hostsFile, 'utf8'))
        readAt = mtimeMs
      }
    } catch (error) {
      // A machine may have none.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
    return hosts.get(name) ?? []
  }
  return async (name, family) => {
    const known = ofFamily(await fromHosts(name), family)
    if (known.length > 0) return known
    if (family === 4) return resolver.resolve4(name)
    if (family === 6) return resolver.resolve6(name)
    const [four, six] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
    const found = [...(four.status === 'fulfilled' ? four.value : []), ...(six.status === 'fulfilled' ? six.value : [])]
    if (found.length === 0 && four.status === 'rejected') throw four.reason
    return found
  }
}
