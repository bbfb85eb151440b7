/** Texts of the page that imports monitors. */
import { textsOf } from './text.ts'

export const imports = {
  'import.verb': 'Import',
  'import.title': 'Import monitors',
  'import.answer': 'Which monitors should be watched?',
  'import.back': 'Monitors',
  'import.what': 'What to import',
  'import.hint':
    'A table (CSV) with the names of the fields in its first line, or a JSON list of monitors in the format of the API. If a monitor with the same name exists, it is changed. The field “group” is the name of a group. Missing groups are created.',
  'import.file': 'Choose a file…',
  'import.text': 'Table or JSON',
  'import.text_hint': 'At most {count} monitors. Separate several values in one field with semicolons.',
  'import.fields': 'Fields',
  'import.look': 'Preview',
  'import.do': 'Import {monitors}',
  'import.nothing': 'There is nothing to import: all monitors already have these settings.',
  'import.empty': 'Paste a table or JSON first, or choose a file',
  'import.no_json': 'This is not a JSON list of monitors',
  'import.would': 'What would change',
  'import.create': '{count} new',
  'import.update': '{count} changed',
  'import.skip': '{count} unchanged',
  'import.faults': '{count} errors. Nothing is imported until you fix them.',
  'import.fault': '1 error. Nothing is imported until you fix it.',
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
  'action.create': 'Created',
  'action.update': 'Changed',
  'action.skip': 'Unchanged'
} as const

export const importText = textsOf(imports, 'import')
