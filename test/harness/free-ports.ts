/** Ports for programs that cannot choose one themselves. */
import { sparePorts } from '../../services/local/ports.ts'

/**
 * Ports of the loopback, all different, that are free and stay so until the program listens: no
 * outgoing connection of whatever runs here takes them, nor does another test or instance, which
 * would have taken one of the system's choosing as soon as it was let go.
 */
export const freePorts = sparePorts

export async function freePort(): Promise<number> {
  const [port = 0] = await freePorts(1)
  return port
}
