/** Texts of the pages about message templates. */
import { textsOf } from './text.ts'

export const templates = {
  'page.title': 'Message templates',
  'page.how': 'Write your own text instead of the default messages: for each event, for all channels or for one kind.',
  'page.read_only': 'Only owners, admins and editors can change templates.',
  'page.add': 'New template',
  'answer.none': 'All messages use the default text',
  'answer.one': '1 message uses your own text',
  'answer.many': '{count} messages use your own text',
  'empty.title': 'Write your own messages',
  'empty.hint': 'Add the runbook, the team or the customer to each message. A preview shows at once how it reads.',
  'kind.any': 'Every kind',
  'kind.any_within': 'every kind',
  'list.own_title': 'Default title',
  'list.edit': 'Edit',
  'reset.verb': 'Reset',
  'reset.question': 'Use the default text again?',
  'reset.hint': 'The template for “{event}”, {kind}, is deleted. Messages that are already decided keep their text.',
  'reset.done': 'The default text is used again',
  'form.new': 'New template',
  'form.edit': 'Edit a template',
  'form.edit_answer': '{event}, {kind}',
  'form.what': 'Which messages',
  'form.kind': 'Channels and methods',
  'form.kind_hint':
    'A template for one kind wins over a template for every kind. This includes e-mails, text messages and calls to people.',
  'form.event': 'Event',
  'form.words': 'Message',
  'form.title': 'Title',
  'form.title_hint': 'One line. The severity comes before it. Leave empty for the default title.',
  'form.body': 'Text',
  'form.body_hint': 'Facts and links follow below. Text messages and calls only use the title. Leave empty for the default text.',
  'form.places': 'Placeholders',
  'form.places_hint':
    'Press a placeholder to add it to the end of the text, or type it. For a label, write incident.labels.env in double braces.',
  'form.insert': 'Insert {name}: {what}',
  'form.create': 'Create the template',
  'form.save': 'Save',
  'form.created': 'The template is created',
  'form.saved': 'The template is saved',
  'preview.title': 'Preview',
  'preview.empty': 'Write a title or a text to see a preview.',
  'preview.wrong': 'There is a mistake: {message}',
  'preview.no_text': 'No text.'
} as const

export const templatesText = textsOf(templates, 'templates')
