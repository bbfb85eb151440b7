/** What the addresses of these pages hold. */
import { idOf, pageOf } from '../../search.ts'

/** The alert that the form begins with. */
export const trySearch = ({ alert }: Record<string, unknown>): { alert?: string } => {
  const id = idOf(alert)
  return id === undefined ? {} : { alert: id }
}

/** The back-test that is shown. */
export const backtestSearch = ({ test }: Record<string, unknown>): { test?: string } => {
  const id = idOf(test)
  return id === undefined ? {} : { test: id }
}

export const versionsSearch = ({ page }: Record<string, unknown>): { page?: number } => {
  const at = pageOf(page)
  return at === undefined ? {} : { page: at }
}
