/** The id that follows a request through answers, logs and audit: the caller's own when it has the form, else a new one. Source: docs/design/api.md#s1-3. */
import { uuidv7 } from '../../../schemas/uuid.ts'

export const requestIdOf = (header: string | string[] | undefined): string =>
  typeof header === 'string' && /^[A-Za-z0-9._-]{1,64}$/.test(header) ? header : uuidv7()
