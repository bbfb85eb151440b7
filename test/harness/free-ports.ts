/** Free ports, for programs that cannot choose one themselves. */
import { sparePorts } from '../../services/local/ports.ts'

/**
 * Returns different loopback ports that are free and stay free until the program listens. No
 * outgoing connection on this machine takes them, nor does another test or instance. A port that
 * the system chose could be taken again as soon as it is released.
 */
export const freePorts = sparePorts

export async function freePort(): Promise<number> {
  const [port = 0] = await freePorts(1)
  return port
}
