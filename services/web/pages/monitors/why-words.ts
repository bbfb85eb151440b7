/** Why a monitor has its status, in words: a sentence for each step of the decision. Pure. */
import type { Explanation, Monitor } from '../../api/shapes.ts'
import { durationInWords } from '../../parts/duration-words.ts'
import { monitorWhyText } from '../../texts/monitor-why.ts'
import { regionLabel } from './region-label.ts'

type Step = Pick<Explanation['steps'][number], 'rule' | 'values' | 'verdict'>
type Of = Pick<Monitor, 'confirmation' | 'flap' | 'prober_region_labels'>

/** The API documents these values only by name. A value that is not a number counts as 0. */
const numberOf = (values: Step['values'], name: string): number => {
  const value = values[name]
  return typeof value === 'number' ? value : 0
}

function vote({ rule, values }: Step, { confirmation, prober_region_labels }: Of): string {
  const region = regionLabel({ prober_region_labels }, String(values.region))
  const { rounds, min_seconds, recovery_rounds, recovery_seconds, failure_rate } = confirmation
  const count = numberOf(values, 'streak')
  const failed = values.last === 'failure'
  if (values.last === null) return monitorWhyText('region.none', { region })
  if (values.fresh !== true) return monitorWhyText('region.stale', { region })
  const rate = { region, count: numberOf(values, 'failures'), time: durationInWords(failure_rate?.window_seconds ?? 0) }
  if (values.waits_for === 'seconds') {
    const [time, of] = [numberOf(values, 'lasted_seconds'), failed ? min_seconds : recovery_seconds].map(durationInWords)
    const text = values.vote === null ? 'undecided_for' : failed ? 'up_failing_for' : 'down_recovering_for'
    return monitorWhyText(`region.${text}`, { region, time: time ?? '', of: of ?? '' })
  }
  if (values.waits_for === 'failure_rate') return monitorWhyText('region.down_rate_still', rate)
  if (values.vote === null) return monitorWhyText('region.undecided', { region, count, rounds })
  if (values.vote === 'up')
    return failed ? monitorWhyText('region.up_failing', { region, count, rounds }) : monitorWhyText('region.up', { region })
  if (!failed) return monitorWhyText('region.down_recovering', { region, count, rounds: recovery_rounds })
  if (rule === 'failure_rate' && failure_rate) return monitorWhyText('region.down_rate', rate)
  return count === 1 ? monitorWhyText('region.down_one', { region }) : monitorWhyText('region.down', { region, count })
}

/** A rule that has no words here is described in the API's words. */
export function stepInWords(step: Step, monitor: Of): string {
  const { rule, values, verdict } = step
  const of = (name: string): number => numberOf(values, name)
  switch (rule) {
    case 'rounds':
    case 'failure_rate': {
      const said = vote(step, monitor)
      return values.advisory === true ? monitorWhyText('region.alone', { said }) : said
    }
    case 'quorum': {
      const counts = { fresh: of('fresh'), configured: of('configured'), quorum: of('quorum') }
      const isEnough = counts.fresh >= counts.quorum
      if (counts.configured === 1) return monitorWhyText(isEnough ? 'quorum.one' : 'quorum.none')
      return monitorWhyText(isEnough ? 'quorum.enough' : 'quorum.few', counts)
    }
    case 'vote':
      if (values.status === undefined) return monitorWhyText('state.new')
      return monitorWhyText('vote.count', { down: of('down'), needed: of('needed'), up: of('up'), majority: of('majority') })
    case 'flap': {
      const shown = { percent: of('changes_percent'), rounds: monitor.flap.window_rounds }
      if (values.flapping === true) return monitorWhyText('flap.is', { ...shown, limit: of('low_percent') })
      return monitorWhyText('flap.not', { ...shown, limit: of('high_percent') })
    }
    case 'pause':
      return monitorWhyText('state.paused')
    case 'maintenance':
      return monitorWhyText('state.maintenance')
    case 'dependency':
      return monitorWhyText('state.dependency')
    default:
      return verdict
  }
}
