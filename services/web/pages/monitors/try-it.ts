/**
 * Asks the regions to check a definition that is not saved. The first request tells whether it
 * could be saved and which regions would check it. Then each region is asked separately, so that
 * its result shows as soon as it answers.
 */
import { useEffect, useRef, useState } from 'react'
import { type Refusal, toRefusal } from '../../api/client.ts'
import { validateMonitor } from '../../api/monitors.ts'
import type { MonitorTrial, Tried } from '../../api/shapes.ts'

export type RegionTrial =
  | { state: 'waits' }
  | { state: 'answered'; result: NonNullable<Tried['result']> }
  | { state: 'silent' }
  | { state: 'refused'; refusal: Refusal }

export interface Trial {
  /** Asks with the current values of the form. */
  start: () => void
  isAsking: boolean
  /** Why the definition could not be saved; null: it could, or nobody has asked. */
  refusal: Refusal | null
  warnings: Tried['warnings']
  /** Results by region, in the order of the regions; null: nobody has asked yet. */
  regions: ReadonlyMap<string, RegionTrial> | null
  /** Assertions of the definition that was asked; the form may hold others by now. */
  assertions: NonNullable<MonitorTrial['assertions']>
}

const nothing: Omit<Trial, 'start'> = { isAsking: false, refusal: null, warnings: [], regions: null, assertions: [] }

async function regionOf(body: MonitorTrial, region: string, signal: AbortSignal): Promise<RegionTrial> {
  try {
    const { result } = await validateMonitor({ ...body, region }, signal)
    return result ? { state: 'answered', result } : { state: 'silent' }
  } catch (error) {
    if (signal.aborted) throw error
    return { state: 'refused', refusal: toRefusal(error) }
  }
}

/** `bodyOf` returns what would be saved, at the time of asking. */
export function useTrial(bodyOf: () => MonitorTrial): Trial {
  const [trial, setTrial] = useState(nothing)
  const running = useRef<AbortController>(null)
  useEffect(() => () => running.current?.abort(), [])

  async function ask(): Promise<void> {
    running.current?.abort()
    const controller = new AbortController()
    running.current = controller
    const { signal } = controller
    const body = bodyOf()
    setTrial({ ...nothing, isAsking: true })
    try {
      const { regions, warnings } = await validateMonitor(body, signal)
      const waiting = new Map(regions.map((region): [string, RegionTrial] => [region, { state: 'waits' }]))
      setTrial({ ...nothing, isAsking: true, warnings, regions: waiting, assertions: body.assertions ?? [] })
      await Promise.all(
        regions.map(async (region) => {
          const said = await regionOf(body, region, signal)
          if (!signal.aborted) setTrial((before) => ({ ...before, regions: new Map([...(before.regions ?? []), [region, said]]) }))
        })
      )
      setTrial((before) => ({ ...before, isAsking: false }))
    } catch (error) {
      if (!signal.aborted) setTrial({ ...nothing, refusal: toRefusal(error) })
    }
  }
  return { ...trial, start: () => void ask() }
}
