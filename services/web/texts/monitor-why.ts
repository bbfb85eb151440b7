/** Texts of the section that says why a monitor has its status. */
import { textsOf } from './text.ts'

export const monitorWhy = {
  'region.none': '{region} has no result yet.',
  'region.stale': '{region} has no recent result, so it does not count.',
  'region.undecided': '{region} does not count yet: {count} of {rounds} failures in a row.',
  'region.undecided_for': '{region} does not count yet: failures for {time} of {of}.',
  'region.up': '{region} says up.',
  'region.up_failing': '{region} still says up: {count} of {rounds} failures in a row.',
  'region.up_failing_for': '{region} still says up: failures for {time} of {of}.',
  'region.down_recovering': '{region} still says down: {count} of {rounds} successes in a row.',
  'region.down_recovering_for': '{region} still says down: successes for {time} of {of}.',
  'region.down_rate_still': '{region} still says down: {count} failures within {time}.',
  'region.down_rate': '{region} says down: {count} failures within {time}.',
  'region.down_one': '{region} says down: 1 failure.',
  'region.down': '{region} says down: {count} failures in a row.',
  'region.alone': '{said} Only this region has failed for a long time.',
  'quorum.enough': '{fresh} of {configured} regions have a recent result. A change needs {quorum}.',
  'quorum.few': '{fresh} of {configured} regions have a recent result. A change needs {quorum}, so the status stays.',
  'quorum.one': 'Its only region has a recent result.',
  'quorum.none': 'Its only region has no recent result, so the status stays.',
  'vote.count':
    'Regions that say down: {down}; the monitor is down from {needed}. Regions that say up: {up}; it is up again from {majority}.',
  'flap.not': 'It is not flapping: {percent} % of the last {rounds} rounds were changes. Flapping starts at {limit} %.',
  'flap.is': 'It is flapping: {percent} % of the last {rounds} rounds were changes. Flapping ends at {limit} %.',
  'state.paused': 'It is paused: no region checks it.',
  'state.new': 'It is new: there is no result to judge yet.',
  'state.maintenance': 'It fails during a maintenance window.',
  'state.dependency': 'A monitor that it depends on also fails.'
} as const

export const monitorWhyText = textsOf(monitorWhy, 'monitor-why')
