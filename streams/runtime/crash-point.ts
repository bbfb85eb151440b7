/**
 * Named places at which a test ends the process, to prove that the end state is the same whatever
 * happens between two steps.
 *
 * With FAIL_AT=<name> in the environment, the process is killed with SIGKILL the first time it gets
 * there; with FREEZE_AT=<name> it is stopped with SIGSTOP. A test in the same process arms a point
 * instead, and the point throws a Crash, which no code between here and the role's fatal path
 * catches.
 */
export const crashPoints = [
  'run.after-fold',
  'run.after-begin',
  'run.before-commit',
  'run.after-commit',
  'relay.after-read',
  'relay.after-send',
  'relay.before-delete',
  'relay.after-delete',
  'sink.after-intent',
  'sink.before-insert',
  'sink.after-insert',
  'sink.before-commit',
  'sink.after-commit',
  'job.after-lease',
  'job.before-end',
  'deliver.after-claim',
  'deliver.after-send',
  'deliver.after-record'
] as const
export type CrashPointName = (typeof crashPoints)[number]

export class Crash extends Error {
  override readonly name = 'Crash'
}

let armed: CrashPointName | null = null
const killAt = process.env.FAIL_AT
let freezeAt = process.env.FREEZE_AT

/**
 * Makes the point `name` throw Crash, once, the next time it is reached; null disarms. For tests in
 * the same process.
 */
export function armCrashPoint(name: CrashPointName | null): void {
  armed = name
}

/**
 * True while a point is armed and not reached. A test that ends in this state has proved nothing.
 */
export const crashPointArmed = (): boolean => armed !== null

export function crashPoint(name: CrashPointName): void {
  if (killAt === name) process.kill(process.pid, 'SIGKILL')
  if (freezeAt === name) {
    freezeAt = undefined
    process.kill(process.pid, 'SIGSTOP')
  }
  if (armed !== name) return
  armed = null
  throw new Crash(`crash point ${name}`)
}
