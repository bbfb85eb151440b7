/**
 * Sockets to be judged because their credential has run out: each once its time has come by the
 * service's clock, within `everyMs`. Sockets wait in slots of `everyMs`; until the first slot is
 * due a look costs nothing, however many there are. The clock may be set: what is looked at is the
 * time of day itself, not how long ago a socket came. Nothing runs while nobody waits.
 */
export interface Expiries<S> {
  /**
   * When the socket's credential ends, epoch ms; null for never. Takes the place of what was said
   * before.
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
  /** By number of slot: the sockets whose credential ends in it or has ended at its end. */
  const slots = new Map<number, Set<S>>()
  const slotOf = new Map<S, number>()
  /** No slot that is taken comes before it. */
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
