/** Texts that several lists share. */
import { textsOf } from './text.ts'

export const lists = {
  'words.title': 'Title contains',
  'pager.label': 'Pages',
  'pager.part': '{first} to {last} of {total}',
  'pager.before': 'Previous',
  'pager.next': 'Next'
} as const

export const listsText = textsOf(lists, 'lists')
