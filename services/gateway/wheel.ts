/**
 * Sends a PING to every socket once a turn, one slot of sockets at a time, and ends the sockets
 * that do not answer.
 *
 * With 30 slots of one second each socket gets a PING every 30 s
 * (docs/design/specification.md#s6-3). Half a turn after its second unanswered PING, 75 s after its
 * last PONG, the socket is given up (RM-1: 4408). The pings of uWebSockets itself follow idle time
 * and skip sockets that get messages. No timer runs while there is no socket.
 */
export interface Wheel<S> {
  add(socket: S): void
  pong(socket: S): void
  remove(socket: S): void
  stop(): void
}

export interface WheelOptions<S> {
  /** The number of slots of one turn: an even number, 30 in production. */
  slots: number
  /** ms. */
  slotMs: number
  ping(socket: S): void
  /** May call `remove`. */
  silent(socket: S): void
}

interface Seat {
  slot: number
  unanswered: number
}

export function createWheel<S>({ slots, slotMs, ping, silent }: WheelOptions<S>): Wheel<S> {
  const rim = Array.from({ length: slots }, () => new Map<S, Seat>())
  const seats = new Map<S, Seat>()
  let at = 0
  let next = 0
  let timer: NodeJS.Timeout | null = null

  function turn(): void {
    at = (at + 1) % slots
    for (const [socket, seat] of [...(rim[at] ?? [])]) {
      seat.unanswered += 1
      ping(socket)
    }
    for (const [socket, { unanswered }] of [...(rim[(at + slots / 2) % slots] ?? [])]) if (unanswered >= 2) silent(socket)
  }

  function stop(): void {
    if (timer) clearInterval(timer)
    timer = null
  }

  return {
    add(socket) {
      const seat = { slot: next++ % slots, unanswered: 0 }
      seats.set(socket, seat)
      rim[seat.slot]?.set(socket, seat)
      timer ??= setInterval(turn, slotMs)
    },
    pong(socket) {
      const seat = seats.get(socket)
      if (seat) seat.unanswered = 0
    },
    remove(socket) {
      const seat = seats.get(socket)
      if (!seat) return
      seats.delete(socket)
      rim[seat.slot]?.delete(socket)
      if (seats.size === 0) stop()
    },
    stop
  }
}
