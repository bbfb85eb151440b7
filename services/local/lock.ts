/**
 * One instance on a data folder. The lock is a listening socket that the system frees with the
 * process, however that ends: nothing goes stale, and no pid is believed. Beside it stands
 * `instance.json`, which names the holder for the message to a second instance, and the processes
 * it has started, so that the next instance can end what a killed one left behind. `pids.json` says
 * the same for people and tests: name → pid.
 */
import { createHash } from 'node:crypto'
import { readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { privateFolder } from '../process/private-folder.ts'
import { ended, type Identity, identify, isRunning, signalTo } from './identity.ts'

interface Instance {
  supervisor: Identity
  children: Record<string, Identity>
}

/** Another instance works on the folder. */
export class Occupied extends Error {
  override readonly name = 'Occupied'
}

export interface Lock {
  /** Notes the pid of a part, or with null that it has ended. */
  note(name: string, pid: number | null): void
  release(): Promise<void>
}

/**
 * Replaces a file whole: whoever reads it sees the old text or the new. Readable by the owner only.
 */
export function writeWhole(file: string, text: string): void {
  const half = `${file}.${process.pid}.half`
  writeFileSync(half, text, { mode: 0o600 })
  renameSync(half, file)
}

function readInstance(file: string): Instance | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Instance
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' || error instanceof SyntaxError) return null
    throw error
  }
}

/**
 * Linux frees an abstract name with its process. Elsewhere the socket is a file, and one that
 * nobody answers on is removed.
 */
const addressOf = (folder: string): string => {
  const name = `service-local-${createHash('sha256').update(folder).digest('hex').slice(0, 32)}`
  return process.platform === 'linux' ? `\0${name}` : join(tmpdir(), `${name}.sock`)
}

/** Listens on `address`; null where another process does. */
export async function listen(address: string): Promise<Server | null> {
  const server = createServer((socket) => socket.destroy())
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => (error.code === 'EADDRINUSE' ? resolve(null) : reject(error)))
    server.listen(address, () => resolve(server.unref()))
  })
}

/**
 * Takes the folder, creating it. Throws Occupied, naming the pid, when another instance has it.
 * Ends the processes of an instance that was killed: asks with SIGTERM, insists after `patienceMs`.
 */
export async function takeLock(folder: string, tell: (line: string) => void, patienceMs = 10_000): Promise<Lock> {
  const became = privateFolder(folder)
  if (became === 'tightened') tell(`${folder} could be entered by others: it is its owner's alone now (mode 0700)`)
  if (became === 'not_ours')
    tell(`${folder} can be entered by others and belongs to another user: it should be its owner's alone (mode 0700)`)
  const [instanceFile, pidsFile] = [join(folder, 'instance.json'), join(folder, 'pids.json')]
  const address = addressOf(realpathSync(folder))
  let server = await listen(address)
  const before = readInstance(instanceFile)
  if (!server && process.platform !== 'linux' && !(before && isRunning(before.supervisor))) {
    rmSync(address, { force: true })
    server = await listen(address)
  }
  if (!server) {
    throw new Occupied(
      `${folder} is in use by another instance${before ? ` (pid ${before.supervisor.pid})` : ''}: stop that one, or let SERVICE_DATA_DIR name another folder.`
    )
  }
  const leftovers = Object.entries(before?.children ?? {}).filter(([, child]) => isRunning(child))
  if (leftovers.length > 0) {
    tell(`An earlier instance was killed; ending what it left: ${leftovers.map(([name, { pid }]) => `${name} (${pid})`).join(', ')}`)
    await Promise.all(leftovers.map(([name, child]) => end(name, child, patienceMs)))
  }
  const self = identify(process.pid)
  if (!self) throw new Error('this process cannot find itself in the process table')
  const instance: Instance = { supervisor: self, children: {} }
  const save = () => {
    writeWhole(instanceFile, JSON.stringify(instance))
    const pids = Object.entries(instance.children).map(([name, { pid }]) => [name, pid])
    writeWhole(pidsFile, `${JSON.stringify({ supervisor: self.pid, ...Object.fromEntries(pids) }, null, 2)}\n`)
  }
  save()
  return {
    note(name, pid) {
      const child = pid === null ? null : identify(pid)
      if (child) instance.children[name] = child
      else delete instance.children[name]
      save()
    },
    async release() {
      rmSync(instanceFile, { force: true })
      rmSync(pidsFile, { force: true })
      await new Promise((resolve) => server.close(resolve))
    }
  }
}

async function end(name: string, child: Identity, patienceMs: number): Promise<void> {
  // Postgres would wait for its clients on SIGTERM.
  signalTo(child, name === 'postgres' ? 'SIGINT' : 'SIGTERM')
  if (await ended(child, patienceMs)) return
  signalTo(child, 'SIGKILL')
  if (!(await ended(child, 5000))) throw new Error(`${name} (pid ${child.pid}), left by an instance that was killed, does not end`)
}
