/**
 * Chooses the port of each listener of the local stack: the configured one, or else the previous
 * one if it is free, or else any free one. The choice is stored in the data folder, so that a
 * sender's URL survives a restart.
 *
 * An instance chooses its ports long before its roles listen on them. So that another instance,
 * started at the same moment, does not take them as free, each port is claimed until the process
 * ends: by a name in the system's table of sockets, which Linux frees with the process. Other
 * systems have no such names, and so no claims.
 */
import { randomInt } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { listen, writeWhole } from './lock.ts'

export type Ports<Name extends string> = Record<Name, number>

type Range = readonly [lowest: number, highest: number]

/**
 * Below the range that most systems use for outgoing connections: such a connection could hold the
 * port when a role wants to listen on it.
 */
const USUAL: Range = [20_000, 32_000]
/** The range never has fewer ports than this, and no ports of well-known programs. */
const [FEWEST, WELL_KNOWN, LAST] = [2000, 10_000, 65_535]
const TRIES = 200

/**
 * Returns the range to choose from on a system that uses the given range for outgoing connections.
 * When no other ports are left, the two may collide.
 */
export function rangeBeside([low, high]: Range): Range {
  const [lowest, highest] = USUAL
  if (high < lowest || low >= highest) return USUAL
  const rest: Range[] = [
    [WELL_KNOWN, low],
    [high + 1, LAST]
  ]
  return rest.filter(([from, to]) => to - from >= FEWEST).sort(([a, b], [c, d]) => d - c - (b - a))[0] ?? USUAL
}

/** Linux reports it; on other systems the usual range is a good guess. */
function outgoingPorts(): Range {
  try {
    const [low = 0, high = 0] = readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8').trim().split(/\s+/).map(Number)
    return [low, high]
  } catch {
    return [0, 0] // Not told.
  }
}

export async function isFree(port: number, host = '127.0.0.1'): Promise<boolean> {
  const server = createServer()
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' || error.code === 'EACCES' ? resolve(false) : reject(error)
    )
    server.listen(port, host, () => server.close(() => resolve(true)))
  })
}

const claims = new Map<number, Server>()

/** Returns false when another process has claimed the port. */
async function claim(port: number): Promise<boolean> {
  if (process.platform !== 'linux' || claims.has(port)) return true
  const server = await listen(`\0service-port-${port}`)
  if (server) claims.set(port, server)
  return server !== null
}

function remembered(file: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'))
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' || error instanceof SyntaxError) return {}
    throw error
  }
}

/**
 * Returns a port for each name. `configured` ports are used as they are; an occupied one is an
 * error that names its variable. `preferred` ports are tried when no earlier choice is stored.
 * Writes `<folder>/ports.json`.
 */
export async function choosePorts<Name extends string>(
  folder: string,
  names: readonly Name[],
  configured: Partial<Record<NoInfer<Name>, { port: number; variable: string }>> = {},
  preferred: Partial<Record<NoInfer<Name>, number>> = {},
  host = '127.0.0.1'
): Promise<Ports<Name>> {
  const file = join(folder, 'ports.json')
  const before = remembered(file)
  // The listeners of another call may not be up yet, but their ports are reserved.
  const others = Object.entries(before).filter(([name]) => !names.some((known) => known === name))
  const taken = new Set<unknown>(others.map(([, port]) => port))
  const faults: string[] = []
  const usable = async (port: unknown): Promise<boolean> =>
    typeof port === 'number' &&
    Number.isInteger(port) &&
    port > 0 &&
    port < 65_536 &&
    !taken.has(port) &&
    (await isFree(port, host)) &&
    (await claim(port))
  const chosen: Partial<Record<Name, number>> = {}
  const take = (name: Name, port: number) => {
    chosen[name] = port
    taken.add(port)
  }
  for (const name of names) {
    const wanted = configured[name]
    if (!wanted || wanted.port === 0) continue
    if (!(await usable(wanted.port))) faults.push(`${wanted.variable}: port ${wanted.port} is occupied`)
    take(name, wanted.port)
  }
  if (faults.length > 0) throw new Error(faults.join('\n'))
  for (const name of names) {
    if (chosen[name] !== undefined) continue
    const candidates = [before[name], ...(before[name] === undefined ? [preferred[name]] : [])]
    const found = (await Promise.all(candidates.map(async (port) => ((await usable(port)) ? port : undefined)))).find(
      (port) => port !== undefined
    )
    take(name, typeof found === 'number' ? found : await anyFree(usable))
  }
  writeWhole(file, `${JSON.stringify({ ...before, ...chosen }, null, 2)}\n`)
  return chosen as Ports<Name>
}

/**
 * Returns different free ports of the loopback that no other instance chooses until this process
 * ends.
 */
export async function sparePorts(count: number): Promise<number[]> {
  const ports: number[] = []
  while (ports.length < count) ports.push(await anyFree(async (port) => !claims.has(port) && (await isFree(port)) && (await claim(port))))
  return ports
}

async function anyFree(usable: (port: number) => Promise<boolean>): Promise<number> {
  const [lowest, highest] = rangeBeside(outgoingPorts())
  for (let i = 0; i < TRIES; i++) {
    const port = randomInt(lowest, highest)
    if (await usable(port)) return port
  }
  throw new Error(`no free port found between ${lowest} and ${highest}`)
}
