/** Finds faults in the texts of a template, each with its path. */
import type { ErrorDetail } from '../../../schemas/http/common.ts'
import { MAX_TEMPLATE_BYTES, type Template, templateFault } from '../../../schemas/http/template-words.ts'

/** `path`: where the template stands, with a dot at its end, or empty. */
export function templateFaults(path: string, { title, body }: Template): ErrorDetail[] {
  const faults = Object.entries({ title, body }).flatMap(([name, text]): ErrorDetail[] => {
    const fault = text === null ? null : templateFault(text, MAX_TEMPLATE_BYTES)
    return fault ? [{ path: `${path}${name}`, ...fault }] : []
  })
  const isEmpty = title === null && body === null
  return isEmpty ? [{ path: `${path}body`, rule: 'required', message: 'must be given where there is no title' }] : faults
}
