/**
 * Ends a connection to a Postgres that has stopped answering.
 *
 * When a machine or its network vanishes, nothing tells its clients. Linux gives up data that is
 * not acknowledged after some 15 minutes, and waits two hours for an answer. The statement timeout
 * is the server's own, so it does not help. The internals of node-postgres that this file reads are
 * those of the version that gathering-client.ts accepts.
 * Source: docs/decisions/0099-a-connection-without-answers-is-ended.md.
 */
import type pg from 'pg'

interface ClientInside {
  /** What the server answers at the moment. */
  _activeQuery: object | null
  /** What it has been sent beside that. */
  _sentQueryQueue: readonly object[]
  /** A new stream takes the place of the first one when the connection turns to TLS. */
  connection: { stream: { readonly bytesRead: number; destroy(error: Error): void } }
}

/** How often a connection is looked at within the limit. */
const LOOKS = 4

/**
 * Ends the connection when a statement waits for its answer and nothing has arrived for `limitMs`
 * (at most a quarter more). All its statements then reject with ETIMEDOUT. An idle connection, such
 * as one that listens, may be silent for ever. A look costs the same however many statements there
 * were. Looks are counted, not measured: a process that was stopped or busy has read what arrived
 * meanwhile before the next one.
 */
export function endWhenSilent(client: pg.ClientBase, limitMs: number): void {
  const inside = client as unknown as ClientInside
  let read = -1
  let silentLooks = 0
  const look = (): void => {
    const { stream } = inside.connection
    const waits = inside._activeQuery !== null || inside._sentQueryQueue.length > 0
    if (waits && stream.bytesRead === read) silentLooks += 1
    else silentLooks = 0
    read = stream.bytesRead
    if (silentLooks <= LOOKS) return
    const error = new Error(`Connection terminated: Postgres sent nothing for ${limitMs} ms`)
    stream.destroy(Object.assign(error, { code: 'ETIMEDOUT' }))
  }
  const timer = setInterval(look, limitMs / LOOKS).unref()
  client.once('end', () => clearInterval(timer))
}
