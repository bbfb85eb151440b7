/**
 * Known faults that are not fixed yet. They are counted and shown, and do not fail a run. The list
 * is meant to be empty: a fix also removes its entry, and the fuzzer tests that class from then on.
 * The end of a run names each entry that matched nothing.
 */
import type { Fault } from './checks.ts'
import type { Asked } from './requests.ts'

export interface Known {
  name: string
  is(asked: Asked, fault: Fault): boolean
}

export const known: readonly Known[] = []
