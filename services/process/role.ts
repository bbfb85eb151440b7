/**
 * The contract of a role: `services/<role>/main.ts` exports `start`. Roles can be combined:
 * services/process/run.ts runs the roles named on its command line in one process, which share one
 * log, one set of metrics, one producer and one codec.
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
  /** Connects on first use. The roles of the process share it; api never uses it. */
  stream(): Promise<StreamClient>
  /**
   * Reads schema ids from the registry on first use. Fails when the registry cannot be reached
   * then.
   */
  codec(): Promise<Codec>
  /**
   * Closes what it can, then ends the process with exit code 1: for failures that only a restart
   * can repair.
   */
  fatal(reason: string, error?: unknown): void
}

export interface Role {
  /** Parts by name; true when the part is able to work. */
  ready(): Record<string, boolean>
  /**
   * Whether the operator has set this host name for the role. A role without this function serves
   * none.
   */
  serves?(domain: string): boolean
  /** The port that the role listens on, if any. */
  port?: number
  /** Takes no new work, finishes the work under way (at most 10 s), then frees everything. */
  close(): Promise<void>
}

export type StartRole = (context: RoleContext) => Promise<Role>
