/**
 * Loads a form's validator and its schema when something is first typed, left or sent. If they
 * cannot be loaded, because there is no network, only the server validates.
 */
import { useRef, useState } from 'react'
import type { TSchema } from 'typebox'
import type { Faults } from './faults.ts'

/** The schema of a body. It may depend on the chosen values. */
export type SchemaOf<Values> = TSchema | ((values: Values) => TSchema)

/** Returns every fault of the body made from the values. */
export type Judge<Values> = (values: Values, body: unknown) => Faults

export interface Judging<Values> {
  /** null: not loaded yet. */
  judge: Judge<Values> | null
  /** Loads the judge; null: it cannot be loaded now. Never rejects. */
  want: () => Promise<Judge<Values> | null>
}

export function useJudge<Values>(schema: () => Promise<SchemaOf<Values>>): Judging<Values> {
  const [judge, setJudge] = useState<Judge<Values> | null>(null)
  const loading = useRef<Promise<Judge<Values> | null> | null>(null)

  async function load(): Promise<Judge<Values> | null> {
    try {
      const [loaded, found] = await Promise.all([import('./judge.ts'), schema()])
      const made: Judge<Values> = (values, body) => loaded.judge(typeof found === 'function' ? found(values) : found, body)
      setJudge(() => made)
      return made
    } catch {
      // The next key press tries again.
      loading.current = null
      return null
    }
  }

  return {
    judge,
    want() {
      loading.current ??= load()
      return loading.current
    }
  }
}
