/** Texts that explain why nobody is notified of an incident. */
import { textsOf } from './text.ts'

export const held = {
  'held.ends': '{what}, ends',
  'held.pause_hint': 'The monitor or heartbeat is paused. Nobody is notified.',
  'held.silence_hint': 'Nobody is notified before the silence ends.',
  'held.maintenance_hint': 'A maintenance window is active. Nobody is notified until the window and its settle time are over.',
  'held.matcher_silence_hint': 'A silence of the workspace matches this incident. Nobody is notified.',
  'held.dependency_hint': 'A monitor that this one depends on is down. Nobody is notified of this one in the meantime.',
  'held.mass_outage_hint': 'This went down together with others. People are notified of the mass outage, and once more when all are up.',
  'held.storm_hint': 'Many incidents opened at once. When the storm ends, people are notified of this one if it is still ongoing.',
  'held.flap_hint': 'The monitor changes between up and down too often. The incident stays open until that ends.',
  'held.rule_hint': 'A routing rule says to notify nobody.'
} as const

export const heldText = textsOf(held, 'held')
