/**
 * A connection that gathers the statements of a transaction: what is issued in one turn of the
 * event loop leaves as one group, and Postgres answers the group at its end.
 *
 * node-postgres ends each statement with its own Sync message, even when statements do not wait
 * for one another. At each Sync, Postgres sends its answer, resets its timers and reports that it
 * is idle, and this process wakes up. A group has one Sync.
 *
 * - Statements run in the order in which they were issued. Each settles with its own answer.
 * - After one that fails, Postgres passes over the rest of the group: these reject with 25P02, as
 *   statements after a failure always do. So a group that begins with BEGIN runs as a whole in the
 *   transaction, or not at all.
 * - Outside a transaction nothing is gathered: there, a group would be one.
 *
 * The inside of a package is no contract, so another version than the one read is refused at load.
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

/** What a statement writes its messages to, except for its Sync. */
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
  /** Writes its messages. Answers what is wrong with it, if it wrote none. */
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

/** SQLSTATE of a statement after one that failed. */
const ABORTED = '25P02'

const passedOver = (): Error =>
  Object.assign(new Error('current transaction is aborted, commands ignored until end of transaction block'), { code: ABORTED })

/** Statements that node-postgres takes for one: their messages together, then one Sync. */
class Group extends Query {
  /** The one that is being answered is the first. */
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
        // Else a text without values would be a simple query, which ends with a Sync.
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

  /** node-postgres learns from the active query which named statement was parsed. */
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

  /** Of the statement that is being answered, or of the connection, which ends all of them. */
  override handleError(error: Error, connection: ConnectionInside): void {
    const isAnswer = error instanceof pg.DatabaseError
    for (const [index, query] of this.#left.splice(0).entries()) {
      // Postgres has not parsed what it passed over.
      if (query.name) delete connection.submittedNamedStatements[query.name]
      query.handleError(index > 0 && isAnswer ? passedOver() : error, connection)
    }
    this.#turn()
  }

  override handleReadyForQuery(): void {
    // Each statement was answered by itself.
  }
}

const BEGIN = /^BEGIN\b/

/** A single statement that is awaited: neither a text of several, nor a query of another kind. */
function isGatherable(config: unknown, values: unknown, callback: unknown): config is string | pg.QueryConfig {
  if (callback !== undefined || typeof values === 'function') return false
  if (typeof config === 'string') return values !== undefined || !config.includes(';')
  return typeof config === 'object' && config !== null && !('submit' in config) && !('rows' in config)
}

export class GatheringClient extends pg.Client {
  #waiting: QueryInside[] = []
  #writes: ConnectionInside | null = null

  /** Typed as what fits each of the forms that the base class has. */
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
    // What cannot be sent is refused before it is one of a group.
    const values = (given ?? (typeof config === 'string' ? undefined : config.values))?.map(prepareValue)
    try {
      return await new Promise((resolve, reject) => {
        const query = new Query(config, values, (error, result) => (error ? reject(error) : resolve(result)))
        query._result._types ??= (this as unknown as { _types: unknown })._types
        if (this.#waiting.push(query) === 1) process.nextTick(() => this.#leave())
      })
    } catch (error) {
      // Where it was asked, and not where the answer was read.
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
