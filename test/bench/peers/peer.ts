/** What stands beside us in a benchmark: a program of somebody else, started for the run and ended with it. */
import { type ChildProcess, execFileSync } from 'node:child_process'
import { type AddressInfo, createServer } from 'node:net'

export interface Peer {
  name: string
  version: string
  port: number
  /** CPU seconds of all its processes so far. */
  cpu(): number
  stop(): Promise<void>
}

export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** Throws a sentence that says how to get the program. */
export function need(program: string, packages: string): void {
  try {
    execFileSync('which', [program], { stdio: 'ignore' })
  } catch {
    throw new Error(`${program} is not there: apt-get install ${packages}`)
  }
}

/** Sends the signal and waits for the end. */
export async function end(child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill(signal)
  await ended
}

/** Whether something answers there, tried for 30 s. */
export async function answers(url: string): Promise<void> {
  for (let left = 300; left > 0; left--) {
    const ok = await fetch(url).then(
      ({ status }) => status < 500,
      () => false
    )
    if (ok) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error(`${new URL(url).host} did not answer within 30 s`)
}
