/**
 * Lets a few questions run at a time, by turns of the workspaces. The next turn goes to the
 * workspace whose last one is the longest ago. So whatever one workspace asks for, another waits at
 * most for what runs already.
 */
import { BoundedMap } from '../process/bounded-map.ts'

/** More workspaces than ask within the time of a few questions. */
const MAX_REMEMBERED = 1000

export class Turns {
  #free: number
  #turns = 0
  /** Workspace → its waiting questions, in order. No entry without one. */
  readonly #waiting = new Map<string, (() => void)[]>()
  /** Workspace → number of its last turn. */
  readonly #last = new BoundedMap<string, number>(MAX_REMEMBERED)

  constructor(places: number) {
    this.#free = places
  }

  /**
   * Resolves once the workspace has a turn, which ends with `leave`. Rejects with the reason of
   * `signal` if that ends the wait.
   */
  async enter(workspace: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    await new Promise<void>((resolve, reject) => {
      const begin = (): void => {
        signal.removeEventListener('abort', giveUp)
        resolve()
      }
      const giveUp = (): void => {
        this.#keep(
          workspace,
          (this.#waiting.get(workspace) ?? []).filter((one) => one !== begin)
        )
        reject(signal.reason)
      }
      signal.addEventListener('abort', giveUp, { once: true })
      this.#keep(workspace, [...(this.#waiting.get(workspace) ?? []), begin])
      this.#admit()
    })
  }

  leave(): void {
    this.#free++
    this.#admit()
  }

  #keep(workspace: string, queue: (() => void)[]): void {
    if (queue.length > 0) this.#waiting.set(workspace, queue)
    else this.#waiting.delete(workspace)
  }

  #admit(): void {
    if (this.#free === 0) return
    const lastOf = (workspace: string): number => this.#last.get(workspace) ?? 0
    const [next] = [...this.#waiting.keys()].sort((one, other) => lastOf(one) - lastOf(other))
    if (next === undefined) return
    const [begin, ...rest] = this.#waiting.get(next) ?? []
    this.#keep(next, rest)
    this.#last.set(next, ++this.#turns)
    this.#free--
    begin?.()
  }
}
