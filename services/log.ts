/**
 * The structured log of every role: one JSON object a line on standard output. Secrets never reach it: tokens and
 * whole URLs are not logged, and the paths below are censored should a caller slip.
 */
import { type Logger, pino } from 'pino'

export type Log = Logger

export const createLog = (role: string, level: string): Log =>
  pino({
    level,
    base: { role, pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: {
      paths: ['token', 'password', 'authorization', 'cookie', '*.token', '*.password', '*.authorization', '*.cookie'],
      censor: '[redacted]'
    }
  })
