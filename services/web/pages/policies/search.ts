/** Search parameters in the address of the list of policies. */
import { pageOf } from '../../search.ts'

export const policiesSearch = ({ page }: Record<string, unknown>): { page?: number } => {
  const given = pageOf(page)
  return given === undefined ? {} : { page: given }
}
