/** Texts of the pages about monitors that depend on the type of the check. */
import { textsOf } from './text.ts'

export const monitors = {
  'form.type': 'Type of check',
  'form.target': 'Target',
  'form.address': 'Address',
  'form.success': 'All of these have to hold. Without any it takes: {success}.',
  'form.settings': 'Settings of the check',
  'facts.type': 'Type',
  'facts.settings': 'Settings',
  'facts.default': 'The usual ones',
  'facts.yes': 'yes',
  'facts.no': 'no',
  'facts.secret': 'secret',
  'result.list': 'Assertions',
  'result.held': 'Passed',
  'result.failed': 'Failed',
  'result.expected': 'Expected',
  'result.found': 'Found',
  'result.nothing': 'nothing that can be shown',
  'region.unable': 'No prober here does this type of check',
  'region.offline': 'Offline just now: it checks when it is back',
  'region.plan': 'From the plan {plan} on'
} as const

export const monitorsText = textsOf(monitors)
