/**
 * The ledger of a fault run: a file in which each request is on the disk before it is sent; its
 * outcome follows.
 *
 * A line is JSON: an attempt `{n, at, tenant_id, integration_id, source, alerts}` or its outcome
 * `{n, verdict, status, took}`. An attempt without an outcome is unknown. The checker reads the
 * file, not the sender's memory. Flushes are shared: lines that arrive while one is under way go
 * with the next.
 * Source: docs/design/performance.md#s5-2, docs/design/streaming.md#s7-4.
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { open } from 'node:fs/promises'

/**
 * accepted: answered 2xx. refused: answered 4xx, so it must not be stored. unknown: 503, another
 * 5xx, a cut or refused connection, or no answer; it may be stored, and the sender sends it again.
 */
export type Verdict = 'accepted' | 'refused' | 'unknown'

export interface SentAlert {
  /**
   * Marks the alert in every topic (mark and markOf); it is the same for every attempt of the same
   * payload.
   */
  id: string
  /** The source's own key of the condition. */
  key: string
  action: 'fire' | 'resolve'
  /** Epoch ms by the sender's clock: when it began to fire, or ended. */
  at: number
  /** Start of the occurrence, epoch ms, where the source has a sequence. */
  sequence: number | null
}

export interface Attempt {
  tenant_id: string
  integration_id: string
  source: 'alertmanager' | 'generic'
  alerts: readonly SentAlert[]
}

export interface Entry extends Attempt {
  n: number
  verdict: Verdict
  /** Of the HTTP answer; 0 without one. */
  status: number
}

export interface Ledger {
  /** Notes an attempt; resolves with its number once it is on the disk. */
  attempt(attempt: Attempt): Promise<number>
  outcome(n: number, verdict: Verdict, status: number, took: number): void
  /** Writes what is left; rejects when something could not be written. */
  close(): Promise<void>
}

/** The text that carries an alert's id through the service: the alert's description. */
export const mark = (id: string): string => `ledger:${id}`

/** The id in a text, or null. */
export const markOf = (text: string | null): string | null => (text === null ? null : (/ledger:([\w-]+)/.exec(text)?.[1] ?? null))

interface Line {
  text: string
  done(error: Error | null): void
}

export async function openLedger(file: string): Promise<Ledger> {
  const handle = await open(file, 'a')
  let queue: Line[] = []
  let writing: Promise<void> | null = null
  let failed: Error | null = null
  let last = 0

  async function write(): Promise<void> {
    while (queue.length > 0) {
      const lines = queue
      queue = []
      try {
        await handle.appendFile(lines.map((line) => line.text).join(''))
        await handle.datasync()
      } catch (error) {
        failed = error as Error
      }
      for (const line of lines) line.done(failed)
    }
    writing = null
  }

  function add(value: object, done: Line['done']): void {
    queue.push({ text: `${JSON.stringify(value)}\n`, done })
    writing ??= write()
  }

  return {
    attempt(attempt) {
      const n = ++last
      return new Promise((resolve, reject) => add({ n, at: Date.now(), ...attempt }, (error) => (error ? reject(error) : resolve(n))))
    },
    outcome(n, verdict, status, took) {
      // A failure to write shows at the next attempt, and at close.
      add({ n, verdict, status, took }, () => undefined)
    },
    async close() {
      await writing
      await handle.close()
      if (failed) throw failed
    }
  }
}

/**
 * Reads the attempts in the order in which they were noted, with their outcomes, and a digest of
 * the file, to tell runs apart.
 */
export function readLedger(file: string): { entries: Entry[]; digest: string } {
  const text = readFileSync(file, 'utf8')
  const entries = new Map<number, Entry>()
  for (const line of text.split('\n')) {
    if (line === '') continue
    const read = JSON.parse(line) as Entry
    const known = entries.get(read.n)
    if (known) entries.set(read.n, { ...known, verdict: read.verdict, status: read.status })
    else entries.set(read.n, { ...read, verdict: 'unknown', status: 0 })
  }
  return { entries: [...entries.values()], digest: createHash('sha256').update(text).digest('hex').slice(0, 16) }
}
