/**
 * The structured log of every role: one JSON object per line on standard output. Secrets must never
 * reach it: tokens and whole URLs are not logged, and the paths below are censored in case a caller
 * forgets that. Texts of users are left out, too: see errorForLog.
 */
import { type DestinationStream, type LogFn, type Logger, pino } from 'pino'

export type Log = Logger

export interface LoggedError {
  type: string
  message?: string
  /** Where the error was thrown: stack frames only. */
  stack?: string
  cause?: LoggedError
  errors?: LoggedError[]
  [field: string]: unknown
}

/** Fields that say which error it is but never hold a value: codes, and names of the schema. */
const TOLD = [
  'code',
  'errno',
  'syscall',
  'severity',
  'routine',
  'schema',
  'table',
  'column',
  'constraint',
  'dataType',
  'status',
  'statusCode'
]
/**
 * Errors of the language and of databases whose messages quote what could not be read or stored.
 */
const QUOTING = new Set(['SyntaxError', 'TypeError', 'RangeError', 'URIError', 'EvalError', 'ReferenceError', 'ClickHouseError'])
const MAX_CHARACTERS = 500
const DEEPEST = 3
const MAX_ERRORS = 5

/** Recognizes errors of Postgres, and of libraries that pass them on, by their severity. */
const isOfDatabase = (error: object): boolean => 'severity' in error || 'sqlState' in error

const withoutQuotes = (message: string): string => message.slice(0, MAX_CHARACTERS).replace(/"[^"]*"?|`[^`]*`?|(?<!\w)'[^']*'?/g, '"…"')

/**
 * Returns an error as it is logged: its type, its code, and where it was thrown. The message is
 * left out when it may quote what a user sent, and so are other fields of the error (`detail`,
 * `where` and parameters of Postgres, `input` of a URL). In other messages, everything in quotes is
 * cut out.
 */
export function errorForLog(error: unknown, depth = 0): LoggedError {
  if (!(error instanceof Error)) return { type: typeof error }
  const type = error.name === 'error' ? 'DatabaseError' : error.name
  const told: LoggedError = { type }
  for (const field of TOLD) {
    const value: unknown = Reflect.get(error, field)
    if (typeof value === 'string' || typeof value === 'number') told[field] = value
  }
  if (!QUOTING.has(type) && !isOfDatabase(error)) told.message = withoutQuotes(error.message)
  const frames = error.stack?.split('\n').filter((line) => /^\s+at /.test(line))
  if (frames && frames.length > 0) told.stack = frames.join('\n')
  if (depth < DEEPEST) {
    if (error.cause !== undefined) told.cause = errorForLog(error.cause, depth + 1)
    if (error instanceof AggregateError) told.errors = error.errors.slice(0, MAX_ERRORS).map((one) => errorForLog(one, depth + 1))
  }
  return told
}

/**
 * Without this, an error that is logged alone, or together with its own message, would put that
 * message into the text of the line.
 */
function logMethod(this: Logger, args: Parameters<LogFn>, method: LogFn): void {
  const [first, text] = args as [unknown, unknown]
  const hasError = first instanceof Error || (first !== null && typeof first === 'object' && 'err' in first)
  const error: unknown = first instanceof Error ? first : hasError ? Reflect.get(first as object, 'err') : null
  const isItsOwn = hasError && (typeof text !== 'string' || (error instanceof Error && text === error.message))
  if (isItsOwn) method.call(this, first === error ? { err: error } : first, 'an error')
  else method.apply(this, args)
}

/** `destination` replaces standard output. */
export function createLog(role: string, level: string, destination?: DestinationStream): Log {
  const options = {
    level,
    base: { role, pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: {
      err: (error: unknown) => errorForLog(error),
      error: (error: unknown) => (error instanceof Error ? errorForLog(error) : error)
    },
    hooks: { logMethod },
    redact: {
      paths: ['token', 'password', 'authorization', 'cookie', '*.token', '*.password', '*.authorization', '*.cookie'],
      censor: '[redacted]'
    }
  }
  return destination ? pino(options, destination) : pino(options)
}
