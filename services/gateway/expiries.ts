/**
 * Finds the sockets whose credential has run out, so that they can be judged again: each once,
 * within `everyMs` after its time has come by the service's clock. Sockets wait in slots of
 * `everyMs`, so a look costs nothing until the first slot is due, however many sockets wait. The
 * clock may be set, so a look compares with the present time, not with how long a socket has
 * waited. No timer runs while no socket waits.
 */
export interface Expiries<S> {
  /**
   * Sets when the socket's credential ends, in epoch ms; null for never. It replaces an earlier
   * value.
   */
  set(socket: S, expires_at: number | null): void
  remove(socket: S): void
  stop(): void
}

export interface ExpiriesOptions<S> {
  everyMs: number
  /** Epoch ms. */
  now(): number
  /** They no longer wait. */
  due(sockets: S[]): void
}

export function createExpiries<S>({ everyMs, now, due }: ExpiriesOptions<S>): Expiries<S> {
  /** Sockets by slot number: the end of the credential divided by `everyMs`, rounded up. */
  const slots = new Map<number, Set<S>>()
  const slotOf = new Map<S, number>()
  /** No slot with sockets comes before this one. */
  let first = Number.POSITIVE_INFINITY
  let timer: NodeJS.Timeout | null = null

  function look(): void {
    const at = Math.floor(now() / everyMs)
    if (at < first) return
    const over: S[] = []
    first = Number.POSITIVE_INFINITY
    for (const [slot, sockets] of slots) {
      if (slot > at) {
        first = Math.min(first, slot)
        continue
      }
      slots.delete(slot)
      for (const socket of sockets) {
        slotOf.delete(socket)
        over.push(socket)
      }
    }
    rest()
    if (over.length > 0) due(over)
  }

  function rest(): void {
    if (timer === null || slotOf.size > 0) return
    clearInterval(timer)
    timer = null
  }

  function leave(socket: S): void {
    const slot = slotOf.get(socket)
    if (slot === undefined) return
    slotOf.delete(socket)
    const mates = slots.get(slot)
    mates?.delete(socket)
    if (mates?.size === 0) slots.delete(slot)
  }

  return {
    set(socket, expires_at) {
      leave(socket)
      if (expires_at !== null) {
        const slot = Math.ceil(expires_at / everyMs)
        slotOf.set(socket, slot)
        const mates = slots.get(slot)
        if (mates) mates.add(socket)
        else slots.set(slot, new Set([socket]))
        first = Math.min(first, slot)
        timer ??= setInterval(look, everyMs)
      }
      rest()
    },
    remove(socket) {
      leave(socket)
      rest()
    },
    stop() {
      slots.clear()
      slotOf.clear()
      rest()
    }
  }
}
