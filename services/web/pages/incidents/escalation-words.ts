/** Puts the progress of an incident's escalation into words. Pure. */
import type { Incident } from '../../api/shapes.ts'
import { escalationText } from '../../texts/escalation.ts'
import { incidentsText } from '../../texts/incidents.ts'

type Run = Incident['escalation']

/** `2:31`, `1:02:31`. */
export function countdown(seconds: number): string {
  const two = (part: number): string => String(part).padStart(2, '0')
  const hours = Math.floor(seconds / 3600)
  const minutes = Math.floor((seconds % 3600) / 60)
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`
}

/** Returns null when no policy asks anybody. */
export function stateInWords({ state, hold_reason }: Run): string | null {
  switch (state) {
    case 'none':
      return null
    case 'held':
      return hold_reason === null
        ? escalationText('run.held_unknown')
        : escalationText('run.held', { what: incidentsText(`held.${hold_reason}`) })
    case 'running':
      return escalationText('run.running')
    case 'paused':
      return escalationText('run.paused')
    case 'exhausted':
      return escalationText('run.exhausted')
  }
}

/** Says when the next step runs. Null when no further step runs by itself. `now` is in epoch ms. */
export function nextInWords({ state, step, cycle, next_at }: Run, now: number): string | null {
  if (state !== 'running' || next_at === null || step === null) return null
  const seconds = Math.ceil((Date.parse(next_at) - now) / 1000)
  if (seconds <= 0) return escalationText('run.due', { step: step + 1 })
  const time = countdown(seconds)
  if (cycle !== null && cycle > 0) return escalationText('run.next_again', { step: step + 1, round: cycle + 1, time })
  return escalationText('run.next', { step: step + 1, time })
}
