/**
 * The present by the service's clock: the clock of a person's machine may be minutes off, and a
 * shift ends when the service says so. The gateway tells its time in every `hello`
 * (docs/design/api/realtime.md#rm-1), when it is connected to and every 25 s after.
 */

/** Service minus machine, ms. Until the service has told its time the machine's clock counts. */
let ahead = 0

/** `server_time` of a `hello` that was heard at `heardAt` (epoch ms by the machine). */
export function sawServerTime(server_time: unknown, heardAt: number): void {
  const at = typeof server_time === 'string' ? Date.parse(server_time) : Number.NaN
  if (!Number.isNaN(at)) ahead = at - heardAt
}

/** Epoch ms. */
export const serverNow = (): number => Date.now() + ahead
