/** Texts of what a place shows while it has nothing to show, and of what did not work. */
import { textsOf } from './text.ts'

export const states = {
  'loading.label': 'Loading',
  'forbidden.title': 'You may not see or do this',
  'forbidden.hint': 'This needs the role {role} or a higher one. An admin of the workspace can change your role.',
  'missing.title': 'There is nothing here',
  'missing.hint': 'This may have been deleted, or it belongs to another workspace.',
  'missing.action': 'To the overview',
  'limit.title': 'The limit of your plan is reached',
  'limit.of': '{message}: {limit} {what}.',
  'limit.of_plan': '{message}: {limit} {what} on the plan {plan}.',
  'limit.more': 'The plan {plan} has more.',
  'limit.things': 'of them',
  'in_use.title': 'This is still in use',
  'in_use.by': 'Used by {uses}.',
  'in_use.others': '{names} and others',
  'changed.title': 'Somebody else changed this',
  'changed.hint': 'The page shows an older version. Load the latest version, then make your change again.',
  'rate.title': 'Too many requests',
  'rate.hint': 'Try again in {seconds} s.',
  'unreachable.title': 'The service cannot be reached',
  'unreachable.hint': 'The page keeps trying.',
  'broken.title': 'This part of the service is not available at the moment',
  'failed.title': 'That did not work',
  'unanswered.title': 'The service did not answer',
  'unanswered.hint': 'Your change was probably not saved. Try again in a moment.',
  'offline.title': 'This device has no network',
  'offline.hint': 'Nothing was sent. Try again when the network is back.',
  'offline.unread': 'This page was not read before the network went away. It appears by itself when the network is back.',
  'problem.request': 'Request',
  'problem.request_id': 'the request id',
  'problem.again': 'Try again',
  'toast.dismiss': 'Dismiss',
  'toast.refused': '{what} did not work',
  'toast.request': 'Request {id}.',
  'part.title': 'This did not load',
  'part.hint': 'The page tries again in a few seconds. If nothing appears, reload the page.',
  'part.offline': 'This device has no network. This part opens by itself when the network is back.'
} as const

export const statesText = textsOf(states, 'states')
