/**
 * A connection that groups the statements of a transaction. Statements that are issued in one turn
 * of the event loop are sent as one group, and Postgres answers the group at its end.
 *
 * node-postgres ends each statement with its own Sync message, even when statements do not wait for
 * one another. At each Sync, Postgres sends its answer, resets its timers and reports that it is
 * idle, and this process wakes up. A group has one Sync.
 *
 * - Statements run in the order in which they were issued. Each settles with its own answer.
 * - After one that fails, Postgres skips the rest of the group: these reject with 25P02, as
 *   statements after a failure always do. So a group that begins with BEGIN runs as a whole in the
 *   transaction, or not at all.
 * - Outside a transaction nothing is grouped, because a group would be one transaction there.
 *
 * The internals of a package are no stable interface, so any version other than the one that this
 * file was written against is refused at load.
 */
import { createRequire } from 'node:module'
import pg from 'pg'

const require = createRequire(import.meta.url)
const version = (require('pg/package.json') as { version: string }).version
if (version !== '8.23.1')
  throw new Error(`services/store is written against pg 8.23.1, found ${version}: read the inside again before changing the pin`)

type Callback = (error: Error | null, result: pg.QueryResult) => void

interface ConnectionInside {
  stream: { cork(): void; uncork(): void }
  parsedStatements: Record<string, string>
  submittedNamedStatements: Record<string, string>
  parse(statement: object): void
  bind(statement: object): void
  describe(portal: object): void
  execute(portal: object): void
  sync(): void
}

/** The connection that a statement writes its messages to, without the Sync message. */
const withoutSync = (connection: ConnectionInside): ConnectionInside => ({
  stream: connection.stream,
  parsedStatements: connection.parsedStatements,
  submittedNamedStatements: connection.submittedNamedStatements,
  parse: (statement) => connection.parse(statement),
  bind: (statement) => connection.bind(statement),
  describe: (portal) => connection.describe(portal),
  execute: (portal) => connection.execute(portal),
  sync: () => undefined
})

interface QueryInside {
  name: string | undefined
  text: string
  queryMode: string | undefined
  _result: { _types?: unknown }
  requiresPreparation(): boolean
  /** Writes its messages. Returns the error if it wrote none. */
  submit(connection: ConnectionInside): Error | null
  handleRowDescription(message: object): void
  handleDataRow(message: object): void
  handleCommandComplete(message: object, connection: ConnectionInside): void
  handleEmptyQuery(connection: ConnectionInside): void
  handleError(error: Error, connection: ConnectionInside): void
  handleReadyForQuery(connection: ConnectionInside): void
}

const Query = pg.Query as unknown as new (config: string | object, values?: unknown[], callback?: Callback) => QueryInside
const { prepareValue } = require('pg/lib/utils') as { prepareValue(value: unknown): string | Buffer | null }

/** SQLSTATE of a statement that follows a failed one. */
const ABORTED = '25P02'

const passedOver = (): Error =>
  Object.assign(new Error('current transaction is aborted, commands ignored until end of transaction block'), { code: ABORTED })

/**
 * A group of statements that node-postgres treats as one: their messages together, then one Sync.
 */
class Group extends Query {
  /** The first one is the one that is being answered. */
  readonly #left: QueryInside[]
  readonly #writes: ConnectionInside

  constructor(queries: QueryInside[], writes: ConnectionInside) {
    super('')
    this.#left = queries
    this.#writes = writes
  }

  override submit(connection: ConnectionInside): null {
    connection.stream.cork()
    try {
      for (const query of [...this.#left]) {
        // A text without values would otherwise be a simple query, which ends with a Sync.
        if (!query.requiresPreparation()) query.queryMode = 'extended'
        const fault = query.submit(this.#writes)
        if (!fault) continue
        this.#left.splice(this.#left.indexOf(query), 1)
        query.handleError(fault, connection)
      }
      connection.sync()
    } finally {
      connection.stream.uncork()
    }
    this.#turn()
    return null
  }

  /** node-postgres reads from the active query which named statement was parsed. */
  #turn(): void {
    this.name = this.#left[0]?.name
    this.text = this.#left[0]?.text ?? ''
  }

  override handleRowDescription(message: object): void {
    this.#left[0]?.handleRowDescription(message)
  }

  override handleDataRow(message: object): void {
    this.#left[0]?.handleDataRow(message)
  }

  override handleCommandComplete(message: object, connection: ConnectionInside): void {
    const query = this.#left.shift()
    query?.handleCommandComplete(message, connection)
    query?.handleReadyForQuery(connection)
    this.#turn()
  }

  override handleEmptyQuery(connection: ConnectionInside): void {
    this.#left.shift()?.handleReadyForQuery(connection)
    this.#turn()
  }

  /**
   * The error is that of the statement being answered, or of the connection, which ends all of
   * them.
   */
  override handleError(error: Error, connection: ConnectionInside): void {
    const isAnswer = error instanceof pg.DatabaseError
    for (const [index, query] of this.#left.splice(0).entries()) {
      // Postgres has not parsed the statements that it skipped.
      if (query.name) delete connection.submittedNamedStatements[query.name]
      query.handleError(index > 0 && isAnswer ? passedOver() : error, connection)
    }
    this.#turn()
  }

  override handleReadyForQuery(): void {
    // Each statement was answered individually.
  }
}

const BEGIN = /^BEGIN\b/

/**
 * Whether this is a single awaited statement: not a text with several, nor another kind of query.
 */
function isGatherable(config: unknown, values: unknown, callback: unknown): config is string | pg.QueryConfig {
  if (callback !== undefined || typeof values === 'function') return false
  if (typeof config === 'string') return values !== undefined || !config.includes(';')
  return typeof config === 'object' && config !== null && !('submit' in config) && !('rows' in config)
}

export class GatheringClient extends pg.Client {
  #waiting: QueryInside[] = []
  #writes: ConnectionInside | null = null

  /** The type fits every overload of the base class. */
  override query(...args: unknown[]): never {
    const [config, values, callback] = args
    if (isGatherable(config, values, callback) && this.#mayGather(config))
      return this.#gather(config, values as unknown[] | undefined) as never
    this.#leave()
    return (super.query as (...all: unknown[]) => never).apply(this, args)
  }

  #mayGather(config: string | pg.QueryConfig): boolean {
    if (this.#waiting.length > 0 || this.getTransactionStatus() === 'T') return true
    return BEGIN.test(typeof config === 'string' ? config : config.text)
  }

  async #gather(config: string | pg.QueryConfig, given: unknown[] | undefined): Promise<pg.QueryResult> {
    // Values that cannot be sent are refused before the statement joins a group.
    const values = (given ?? (typeof config === 'string' ? undefined : config.values))?.map(prepareValue)
    try {
      return await new Promise((resolve, reject) => {
        const query = new Query(config, values, (error, result) => (error ? reject(error) : resolve(result)))
        query._result._types ??= (this as unknown as { _types: unknown })._types
        if (this.#waiting.push(query) === 1) process.nextTick(() => this.#leave())
      })
    } catch (error) {
      // The stack shows where the statement was issued, not where the answer was read.
      if (error instanceof Error) Error.captureStackTrace(error)
      throw error
    }
  }

  #leave(): void {
    const queries = this.#waiting
    this.#waiting = []
    const [first, second] = queries
    if (!first) return
    this.#writes ??= withoutSync(this.connection as unknown as ConnectionInside)
    super.query((second ? new Group(queries, this.#writes) : first) as unknown as pg.Submittable)
  }
}
