/** Texts of the pages about incidents. */
export const incidents = {
  'alert.repeat': 'changed nothing: a repeat of the one before',
  'alert.older': 'changed nothing: older than what was known',
  'alert.suppressed': 'changed nothing: somebody had resolved it, and it fired on',
  'alert.applied': 'changed nothing: it said what was known',
  'alert.unknown': 'changed nothing that is known',
  'resolve.note': 'Note',
  'resolve.note_hint': 'What was it, and what helped? Optional.',
  'resolve.until_recovered': 'Stay quiet until it has recovered',
  'resolve.until_recovered_hint':
    'While it still fails, nothing new opens before a recovery or the workspace’s reopen time. Without this, a new incident opens as soon as it is seen failing.'
} as const
