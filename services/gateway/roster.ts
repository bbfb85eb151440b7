/** The open sockets, counted by workspace and found by credential. */
import { openSockets } from '../../schemas/plans.ts'
import type { Seated } from './seat.ts'

export interface Roster {
  readonly sockets: ReadonlySet<Seated>
  /**
   * Adds the socket. Returns false, without adding it, when its workspace has as many sockets as
   * its plan allows.
   */
  add(socket: Seated): boolean
  /** Returns false when the socket is not there. */
  remove(socket: Seated): boolean
  /** Returns the sockets of the credential with this SHA-256. */
  of(sha256: string): Iterable<Seated>
}

export function createRoster(): Roster {
  const sockets = new Set<Seated>()
  const perTenant = new Map<string, number>()
  const byCredential = new Map<string, Set<Seated>>()
  return {
    sockets,
    add(socket) {
      const { tenant_id, plan, sha256 } = socket.getUserData().holder
      const open = perTenant.get(tenant_id) ?? 0
      if (open >= openSockets[plan]) return false
      sockets.add(socket)
      perTenant.set(tenant_id, open + 1)
      const mates = byCredential.get(sha256)
      if (mates) mates.add(socket)
      else byCredential.set(sha256, new Set([socket]))
      return true
    },
    remove(socket) {
      if (!sockets.delete(socket)) return false
      const { tenant_id, sha256 } = socket.getUserData().holder
      const left = (perTenant.get(tenant_id) ?? 1) - 1
      if (left > 0) perTenant.set(tenant_id, left)
      else perTenant.delete(tenant_id)
      const mates = byCredential.get(sha256)
      mates?.delete(socket)
      if (mates?.size === 0) byCredential.delete(sha256)
      return true
    },
    of: (sha256) => byCredential.get(sha256) ?? []
  }
}
