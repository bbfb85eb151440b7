/** Texts about merging, tags, related incidents, and the way to a postmortem. */
import { textsOf } from './text.ts'

export const postmortems = {
  'merge.title': 'Merge',
  'merge.menu': 'Merge into another…',
  'merge.into': 'Into',
  'merge.hint': 'Type a part of the title. Only incidents of the same team are shown.',
  'merge.nothing': 'There is no such incident of the same team.',
  'merge.explained':
    'Its alerts go on in the other incident, and this one is resolved as merged. Nobody is told that it ended. This cannot be taken back.',
  'merge.explained_resolved': 'Its alerts are listed with the other incident, and this one points there. This cannot be taken back.',
  'merge.into_missing': 'Choose the incident that takes over.',
  'merge.verb': 'Merge',
  'merged.mark': 'Merged into {key}',
  'merged.mark_unseen': 'Merged into another incident',
  'related.title': 'Related',
  'related.merged': 'merged into this one',
  'related.merged_into': 'took this one over',
  'related.parent': 'of what it depends on',
  'related.child': 'depends on this one',
  'related.outage': 'the mass outage that it is part of',
  'related.bundled': 'is part of it',
  'related.reopened_from': 'the one before it',
  'related.reopened_as': 'opened again as',
  'tags.label': 'Tags',
  'tags.hint': 'Enter adds one. At most 20.',
  'tags.fact': 'Tags',
  'tags.chip': 'Tag',
  'section.title': 'Postmortem',
  'section.none': 'Nobody has written one yet: what was the impact, why did it happen, what will change?',
  'section.after': 'It is written when the incident is over.',
  'section.write': 'Write the postmortem',
  'section.read': 'Read it',
  'section.draft': 'There is a draft.',
  'section.published': 'It is published.'
} as const

export const postmortemsText = textsOf(postmortems)
