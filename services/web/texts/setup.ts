/** Texts for setting up a sender: its URL and token, and whether an alert has arrived. */
import { textsOf } from './text.ts'

export const setup = {
  'arrival.waiting': 'Waiting for the first alert…',
  'arrival.arrived': 'An alert arrived',
  'arrival.rejected': 'A payload arrived and was rejected',
  'arrival.no_incident': '{at}, but it opened no incident.',
  'arrival.turns': 'This line turns green on its own.',
  'page.works': 'Is it working?',
  'page.address': 'URL and token',
  'page.how': 'How to send',
  'page.how_of': 'In {tool}',
  'page.resolves': 'When it resolves',
  'fact.address': 'URL',
  'fact.token': 'Token',
  'fact.with_token': 'URL with the token',
  'copy.address': 'the URL',
  'copy.token': 'the token',
  'token.hint':
    'The token was shown when it was created. Below it appears as `<token>`. If the token is lost, create a new one. The old one can stay valid for a while.',
  'token.editor': 'An editor of the workspace can create a new token.',
  'minted.label': 'The token, shown once',
  'minted.title': 'Shown once: copy the token now',
  'minted.hint':
    'Only a hash of the token is stored. After you reload this page, nobody can show it again. You can create a new token at any time.',
  'minted.done': 'I have stored it',
  'rotate.verb': 'New token',
  'rotate.title': 'Create a new token?',
  'rotate.hint': 'The new token is shown once, with everything to paste into the sender.',
  'rotate.keep': 'The old token stays valid for',
  'rotate.hour': '1 hour',
  'rotate.day': '1 day',
  'rotate.week': '7 days',
  'rotate.none': 'Not at all: it stops working at once',
  'rotate.create': 'Create a new token'
} as const

export const setupText = textsOf(setup, 'setup')
