/**
 * The judge of a form: loaded, with the schema, when something is first typed, left or sent. Where
 * it cannot be loaded, for there is no network, the server judges alone.
 */
import { useRef, useState } from 'react'
import type { TSchema } from 'typebox'
import type { Faults } from './faults.ts'

/** Of a body; may depend on what was chosen. */
export type SchemaOf<Values> = TSchema | ((values: Values) => TSchema)

/** Everything that is wrong with the body that the values make. */
export type Judge<Values> = (values: Values, body: unknown) => Faults

export interface Judging<Values> {
  /** null: it is not there yet. */
  judge: Judge<Values> | null
  /** Asks for it; null: it cannot be loaded now. Never rejects. */
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
      // It is asked for again with the next key.
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
