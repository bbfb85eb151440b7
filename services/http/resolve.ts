/**
 * Resolves names to addresses for checks and deliveries: by the machine's hosts file first, then by
 * its name servers (c-ares).
 *
 * It does not use getaddrinfo, which runs on four threads of the process and cannot be cancelled. A
 * few names whose servers do not answer would make every other check of the region time out. Search
 * domains are therefore not applied: a target must be a full name.
 */
import { Resolver } from 'node:dns/promises'
import { readFile, stat } from 'node:fs/promises'
import { isIP } from 'node:net'
import type { Resolve } from './address-guard.ts'

const HOSTS = process.platform === 'win32' ? 'C:\\Windows\\System32\\drivers\\etc\\hosts' : '/etc/hosts'

/**
 * Parses a hosts file: `address name [name ...]` on each line, `#` begins a comment. Names become
 * lower case.
 */
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
 * Time that the IPv6 question still has after IPv4 addresses came. Some name servers never answer
 * it. RFC 8305 would go on after 50 ms, but here what comes later is not used any more.
 */
const SIX_MS = 300

/**
 * Returns a resolver of addresses of both families. IPv4 comes first, so that a machine without
 * IPv6 loses no time. For a name without any address, it rejects with the error of the IPv4
 * question. `servers`: name servers to ask in place of the machine's.
 */
export function createResolver(hostsFile = HOSTS, servers: readonly string[] = []): Resolve {
  const resolver = new Resolver({ timeout: 2000, tries: 3 })
  if (servers.length > 0) resolver.setServers(servers)
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
      // Some machines have no hosts file.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
    return hosts.get(name) ?? []
  }
  return async (name, family) => {
    const known = ofFamily(await fromHosts(name), family)
    if (known.length > 0) return known
    if (family === 4) return resolver.resolve4(name)
    if (family === 6) return resolver.resolve6(name)
    const asked = Promise.allSettled([resolver.resolve6(name)])
    const [four] = await Promise.allSettled([resolver.resolve4(name)])
    const [six] = await (four.status === 'fulfilled' ? within(SIX_MS, asked) : asked)
    const found = [...(four.status === 'fulfilled' ? four.value : []), ...(six?.status === 'fulfilled' ? six.value : [])]
    if (found.length === 0 && four.status === 'rejected') throw four.reason
    return found
  }
}

/** Returns what the promise gives within `ms`, else nothing. */
async function within<T>(ms: number, promise: Promise<T[]>): Promise<T[]> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<T[]>((resolve) => {
    timer = setTimeout(resolve, ms, [])
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}
