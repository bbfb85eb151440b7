/**
 * The current time by the service's clock. The clock of a person's machine may be minutes off, and
 * a shift ends by the service's time. The gateway tells its time in every `hello`
 * (docs/design/api/realtime.md#rm-1), when the page connects and every 25 s after.
 */

/** Service time minus machine time, in ms. It is 0 until the service has told its time. */
let ahead = 0

/** Takes the `server_time` of a `hello` that arrived at `heardAt` (epoch ms of the machine). */
export function sawServerTime(server_time: unknown, heardAt: number): void {
  const at = typeof server_time === 'string' ? Date.parse(server_time) : Number.NaN
  if (!Number.isNaN(at)) ahead = at - heardAt
}

/** Epoch ms. */
export const serverNow = (): number => Date.now() + ahead
