/** Texts of the pages about monitors that depend on the type of the check. */
import { textsOf } from './text.ts'

export const monitors = {
  'form.type': 'Type of check',
  'form.target': 'Target',
  'form.address': 'Address',
  'form.success': 'All of these have to hold. Without any it takes: {success}.',
  'form.settings': 'Settings of the check',
  'depends.title': 'Depends on',
  'depends.none': 'Nothing',
  'depends.label': 'Monitors without which it cannot work',
  'depends.hint': 'While one of them is down, nobody is told that this one is, too. What still fails after they are back is told of.',
  'depends.hold': 'Wait for their verdict (s)',
  'depends.hold_hint': 'While one of them is being judged; empty: as long as that takes',
  'depends.some': '{count} monitors',
  'depends.one': '1 monitor',
  'depends.waits': 'Depends on',
  'depends.children': 'Depend on it',
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
