/**
 * Loaded into every process of a product whose clocks are wrong (clocks.ts): shifts the wall clock
 * of the roles that CHAOS_CLOCK names. Timers and the monotonic clock stay as they are.
 */
import { basename } from 'node:path'

const { roles = [], not = [], offsets = [0], everyMs = 10_000 } = JSON.parse(process.env.CHAOS_CLOCK ?? '{}')
const own = basename(process.argv[1] ?? '') === 'run.js' ? process.argv.slice(2) : []
const isShifted =
  own.length > 0 && !own.some((role) => not.includes(role)) && (roles.length === 0 || own.some((role) => roles.includes(role)))

if (isShifted) {
  const Real = globalThis.Date
  // Regions and doors step at the same instants, each to an offset of its own.
  const turn = [...(process.env.SERVICE_INSTANCE ?? own.join())].reduce((sum, letter) => sum + letter.charCodeAt(0), 0)
  const now = () => {
    const real = Real.now()
    return real + offsets[(Math.floor(real / everyMs) + turn) % offsets.length]
  }
  globalThis.Date = new Proxy(Real, {
    construct: (target, values, made) => Reflect.construct(target, values.length === 0 ? [now()] : values, made),
    apply: () => new Real(now()).toString(),
    get: (target, name, receiver) => (name === 'now' ? now : Reflect.get(target, name, receiver === globalThis.Date ? target : receiver))
  })
}
