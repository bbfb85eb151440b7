/** Search parameters in the addresses of these pages. */
import { idOf, pageOf } from '../../search.ts'

/** `alert` is the id of the alert that the form starts with. */
export const trySearch = ({ alert }: Record<string, unknown>): { alert?: string } => {
  const id = idOf(alert)
  return id === undefined ? {} : { alert: id }
}

/** `test` is the id of the back-test that is shown. */
export const backtestSearch = ({ test }: Record<string, unknown>): { test?: string } => {
  const id = idOf(test)
  return id === undefined ? {} : { test: id }
}

export const versionsSearch = ({ page }: Record<string, unknown>): { page?: number } => {
  const at = pageOf(page)
  return at === undefined ? {} : { page: at }
}
