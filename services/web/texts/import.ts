/** Texts of the page that imports monitors. */
import { textsOf } from './text.ts'

export const imports = {
  'import.verb': 'Import',
  'import.title': 'Import monitors',
  'import.answer': 'Which monitors should be watched?',
  'import.back': 'Monitors',
  'import.what': 'What to import',
  'import.hint':
    'A table (CSV) whose first line names the fields, or JSON: a list of monitors as the API takes them. A monitor whose name is there already is changed. In the field group stands the name of a group; a group that is not there yet is created.',
  'import.file': 'Choose a file…',
  'import.text': 'Table or JSON',
  'import.text_hint': 'At most {count} monitors. With several values in one field, semicolons stand between them.',
  'import.fields': 'Fields',
  'import.look': 'Look at it first',
  'import.do': 'Import {monitors}',
  'import.nothing': 'There is nothing to import: all of them are there as they are wanted.',
  'import.empty': 'Paste a table or JSON first, or choose a file',
  'import.no_json': 'This is no list of monitors in JSON',
  'import.would': 'What would be done',
  'import.create': '{count} new',
  'import.update': '{count} changed',
  'import.skip': '{count} as they are',
  'import.faults': '{count} faults: nothing is imported until they are gone',
  'import.fault': '1 fault: nothing is imported until it is gone',
  'import.groups': 'New groups:',
  'import.forbidden': 'This needs the role editor or a higher one.',
  'import.cancel': 'Cancel',
  'import.row': 'Row',
  'import.name': 'Name',
  'import.field': 'Field',
  'import.message': 'What is wrong',
  'import.action': 'What happens',
  'import.whole': 'the whole',
  'import.done': '{monitors} imported',
  'action.create': 'Is made',
  'action.update': 'Is changed',
  'action.skip': 'Stays as it is'
} as const

export const importText = textsOf(imports, 'import')
