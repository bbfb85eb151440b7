/** Texts about merging, tags, related incidents, and the link to a postmortem. */
import { textsOf } from './text.ts'

export const postmortems = {
  'merge.into': 'Into',
  'merge.hint': 'Type part of the title. You only see incidents of the same team.',
  'merge.nothing': 'No incident of this team matches.',
  'merge.explained':
    'The alerts move to the other incident, and this one is resolved as merged. Nobody is notified that it ended. You cannot undo this.',
  'merge.explained_resolved': 'The alerts are listed with the other incident, and this one links to it. You cannot undo this.',
  'merge.into_missing': 'Choose an incident to merge into.',
  'merge.verb': 'Merge',
  'merged.mark': 'Merged into {key}',
  'merged.mark_unseen': 'Merged into another incident',
  'related.title': 'Related',
  'related.merged': 'merged into this one',
  'related.merged_into': 'this one was merged into it',
  'related.parent': 'the incident it depends on',
  'related.child': 'depends on this one',
  'related.outage': 'the mass outage it is part of',
  'related.bundled': 'part of this mass outage',
  'related.reopened_from': 'the previous one',
  'related.reopened_as': 'reopened as',
  'tags.label': 'Tags',
  'tags.hint': 'Press Enter to add a tag. At most 20.',
  'tags.fact': 'Tags',
  'tags.chip': 'Tag',
  'section.title': 'Postmortem',
  'section.none': 'Nobody has written a postmortem yet. What was the impact, why did it happen, and what will change?',
  'section.after': 'You can write it when the incident is over.',
  'section.write': 'Write the postmortem',
  'section.read': 'Read the postmortem',
  'section.draft': 'There is a draft.',
  'section.published': 'The postmortem is published.'
} as const

export const postmortemsText = textsOf(postmortems, 'postmortems')
