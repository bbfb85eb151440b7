/**
 * The contract of a role: `services/<role>/main.ts` exports `start`. Roles compose:
 * services/process/run.ts runs those named on its command line in one process, with one log, one
 * set of metrics, one producer and one codec between them.
 */
import type { Codec } from '../../schemas/codec.ts'
import type { StreamClient } from '../../streams/runtime/stream.ts'
import type { Config } from './config.ts'
import type { Log } from './log.ts'
import type { Metrics } from './metrics.ts'

export interface RoleContext {
  config: Readonly<Config>
  log: Log
  metrics: Metrics
  /** Connects on first use; shared by the roles of the process. Never asked for by api. */
  stream(): Promise<StreamClient>
  /**
   * Schema ids come from the registry on first use; a registry that cannot be reached then fails
   * loudly.
   */
  codec(): Promise<Codec>
  /**
   * Ends the process with exit code 1 after closing what it can: for failures that only a restart
   * heals.
   */
  fatal(reason: string, error?: unknown): void
}

export interface Role {
  /** Parts by name, true when able to work. */
  ready(): Record<string, boolean>
  /** Whether a host name leads to it by the operator's word; a role without one serves none. */
  serves?(domain: string): boolean
  /** Port it listens on, if it does. */
  port?: number
  /** Stops taking work, finishes what is in hand (at most 10 s), frees everything. */
  close(): Promise<void>
}

export type StartRole = (context: RoleContext) => Promise<Role>
