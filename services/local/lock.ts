/**
 * Allows one instance per data folder. The lock is a listening socket, which the system frees when
 * the process ends for whatever reason. So a lock is never stale, and no stored pid is trusted.
 * `instance.json` beside it names the holder, for the message to a second instance, and the
 * processes that it has started, so that the next instance can end those that a killed one left
 * behind. `pids.json` holds the same for people and tests: name → pid.
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

/** Another instance uses the folder. */
export class Occupied extends Error {
  override readonly name = 'Occupied'
}

export interface Lock {
  /** Records the pid of a part, or null when it has ended. */
  note(name: string, pid: number | null): void
  release(): Promise<void>
}

/**
 * Replaces a file atomically: a reader sees either the old text or the new one. Only the owner can
 * read it.
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
 * Linux frees an abstract name with its process. On other systems the socket is a file, and is
 * removed when nobody answers on it.
 */
const addressOf = (folder: string): string => {
  const name = `service-local-${createHash('sha256').update(folder).digest('hex').slice(0, 32)}`
  return process.platform === 'linux' ? `\0${name}` : join(tmpdir(), `${name}.sock`)
}

/** Listens on `address`. Null when another process already does. */
export async function listen(address: string): Promise<Server | null> {
  const server = createServer((socket) => socket.destroy())
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => (error.code === 'EADDRINUSE' ? resolve(null) : reject(error)))
    server.listen(address, () => resolve(server.unref()))
  })
}

/**
 * Takes the folder, and creates it if needed. Throws Occupied, naming the pid, when another
 * instance has it. Ends the processes of an instance that was killed: with SIGTERM, and after
 * `patienceMs` with SIGKILL.
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
  // On SIGTERM, Postgres would wait for its clients.
  signalTo(child, name === 'postgres' ? 'SIGINT' : 'SIGTERM')
  if (await ended(child, patienceMs)) return
  signalTo(child, 'SIGKILL')
  if (!(await ended(child, 5000))) throw new Error(`${name} (pid ${child.pid}), left by an instance that was killed, does not end`)
}
