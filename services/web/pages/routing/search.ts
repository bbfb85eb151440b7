/** What the addresses of these pages hold. */
import { idOf, pageOf } from '../../search.ts'

/** The alert that the form begins with. */
export const trySearch = ({ alert }: Record<string, unknown>): { alert?: string } => {
  const id = idOf(alert)
  return id === undefined ? {} : { alert: id }
}

export const versionsSearch = ({ page }: Record<string, unknown>): { page?: number } => {
  const at = pageOf(page)
  return at === undefined ? {} : { page: at }
}
