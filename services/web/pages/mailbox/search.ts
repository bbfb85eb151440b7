/** Parses the address of the mailbox. */
import { pageOf } from '../../search.ts'

export const mailboxSearch = ({ page }: Record<string, unknown>): { page?: number } => {
  const at = pageOf(page)
  return at === undefined ? {} : { page: at }
}
