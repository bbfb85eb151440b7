/**
 * The pools of a process, and the transactions in which the rows of a workspace are visible.
 *
 * Values arrive converted: timestamptz as epoch ms, int8 as a number (beyond 2^53 it throws, never
 * rounds). Under the role service_tenant, a query outside the transactions of a workspace sees no
 * row of any table that has a workspace:
 * - `tenantTransaction`: statements are planned for their values;
 * - `keyedTransaction`: all statements find rows by key, and their plans are kept;
 * - `listTransaction`: only reads, everything as it was at one moment.
 * Source: docs/design/architecture.md#s7.
 */
import pg from 'pg'
import type { Viewer } from '../../schemas/http/visibility.ts'
import { GatheringClient } from './gathering-client.ts'
import { endWhenSilent } from './silent-server.ts'

/** What runs a statement: a client in a transaction, or a pool for a single statement. */
export interface Tx {
  query<R extends pg.QueryResultRow = pg.QueryResultRow>(text: string | pg.QueryConfig, values?: unknown[]): Promise<pg.QueryResult<R>>
}

export type Pool = pg.Pool

export interface PoolOptions {
  /** Shown in pg_stat_activity: the role of the process. */
  application_name: string
  /** Most connections at once. */
  max: number
  /**
   * A statement that takes longer is cancelled; 0 for none. Default 15 s. When the server has sent
   * nothing for SILENCE_MS more, its connection is ended (silent-server.ts); with 0 it never is.
   */
  statementTimeoutMs?: number
  /**
   * Keeps the plan of a named statement, whatever its parameters (`force_generic_plan`). For roles
   * whose statements read and write by key. By itself Postgres keeps a plan only where it believes
   * that to be cheaper, and planning the read of an incident's row took longer than the read.
   * Default false.
   */
  keepPlans?: boolean
  /**
   * Finds and joins rows by an index wherever there is one. Otherwise a plan that was made while
   * its tables were empty, or from counts of a minute ago, would read whole tables after they have
   * grown. For roles whose statements never join many rows with many. Default false.
   */
  byKey?: boolean
  /**
   * Called when a connection breaks while idle. The pool has already dropped it, and the next query
   * opens another.
   */
  onIdleError?: (error: Error) => void
}

type Setting = readonly [name: string, value: string]
const KEEP_PLANS: readonly Setting[] = [['plan_cache_mode', 'force_generic_plan']]
const BY_KEY: readonly Setting[] = ['seqscan', 'bitmapscan', 'hashjoin', 'mergejoin'].map((way) => [`enable_${way}`, 'off'])

/** A server that works cancels a statement, and says so, well before this time is over. */
const SILENCE_MS = 5000
/** A silent idle connection is probed after this time, and given up 10 s later. */
const IDLE_PROBE_MS = 10_000

const INT8 = 20
const TIMESTAMPTZ = 1184
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** `infinity` becomes Infinity, so that comparisons hold. */
function epochMs(text: string): number {
  if (text === 'infinity') return Infinity
  if (text === '-infinity') return -Infinity
  const parse: (value: string) => Date = pg.types.getTypeParser(TIMESTAMPTZ)
  return parse(text).getTime()
}

function exactInteger(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new RangeError(`int8 out of range for a number: ${text}`)
  return value
}

const types: pg.CustomTypesConfig = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    if (format !== 'binary' && oid === INT8) return exactInteger
    if (format !== 'binary' && oid === TIMESTAMPTZ) return epochMs
    return pg.types.getTypeParser(oid, format)
  }
}

/**
 * Creates a pool that connects on first use. A query is rejected when it gets no connection within
 * 5 s.
 */
export function createPool(url: string, options: PoolOptions): Pool {
  const statementTimeoutMs = options.statementTimeoutMs ?? 15_000
  const pool = new pg.Pool({
    Client: GatheringClient,
    connectionString: url,
    application_name: options.application_name,
    max: options.max,
    types,
    connectionTimeoutMillis: 5000,
    // Closing an idle connection would lose its plans, and a burst would begin by planning.
    idleTimeoutMillis: options.keepPlans ? 0 : 30_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: IDLE_PROBE_MS,
    // Statements that are issued without waiting for one another are sent together, and run in
    // their order.
    pipeline: true,
    options: [...(options.keepPlans ? KEEP_PLANS : []), ...(options.byKey ? BY_KEY : [])]
      .map(([name, value]) => `-c ${name}=${value}`)
      .join(' '),
    statement_timeout: statementTimeoutMs,
    // The same limit as for the roles (0001_roles.sql): a frozen process must not hold its locks
    // for long.
    idle_in_transaction_session_timeout: 10_000
  })
  // Without this listener, node-postgres ends the process.
  pool.on('error', (error) => options.onIdleError?.(error))
  // The pool has no listener for a connection that is lent out. One that breaks between two
  // statements fails the next statement, and need not end the process.
  pool.on('connect', (client) => client.on('error', () => undefined))
  if (statementTimeoutMs > 0) pool.on('connect', (client) => endWhenSilent(client, statementTimeoutMs + SILENCE_MS))
  return pool
}

/** Sets the same for one transaction. */
const keyed: pg.QueryConfig = {
  name: 'keyed',
  text: `SELECT ${[...KEEP_PLANS, ...BY_KEY].map(([name, value]) => `set_config('${name}', '${value}', true)`).join(', ')}`
}

type Naming = (text: string | pg.QueryConfig, values?: unknown[]) => string | pg.QueryConfig
const asItIs: Naming = (text) => text

/** Names of statements by their texts. A connection keeps the plan of a named statement. */
const names = new Map<string, string>()
/** More texts than this code has by far. The statements beyond are planned each time. */
const MAX_NAMES = 500

const namedByText: Naming = (text, values) => {
  if (typeof text !== 'string' || values === undefined) return text
  const known = names.get(text)
  if (known !== undefined) return { name: known, text }
  if (names.size >= MAX_NAMES) return text
  const name = `keyed-${names.size}`
  names.set(text, name)
  return { name, text }
}

/**
 * A transaction that is under way. One Tx at a time may issue its statements: that of its work, or
 * that of a part of the work that sees all teams.
 */
class Underway {
  readonly tx: Tx
  /**
   * Settles with the answers to the statements that open the transaction. A rejection is handled.
   */
  readonly opened: Promise<unknown>
  isOver = false
  readonly #client: pg.ClientBase
  #named: Naming
  #holder: Tx
  /** How many statements have no answer yet. */
  #unanswered = 0
  /** Statements leave in the group that opens the transaction. */
  #isJoining = true

  constructor(client: pg.ClientBase, opening: readonly pg.QueryConfig[], named: Naming) {
    this.#client = client
    this.#named = named
    this.tx = this.#another()
    this.#holder = this.tx
    this.opened = Promise.all(opening.map((statement) => client.query(statement)))
    this.opened.catch(() => {
      this.isOver = true
    })
    process.nextTick(() => {
      this.#isJoining = false
    })
  }

  /**
   * Sends a statement. Those of the first turn join the group that opens the transaction, which
   * does nothing if BEGIN fails. The others wait until it is open, because they would take effect
   * by themselves.
   */
  async #send(text: string | pg.QueryConfig, values?: unknown[]): Promise<pg.QueryResult> {
    // A text without values may hold several statements, which join no group.
    if (typeof text === 'string' && values === undefined) this.#isJoining = false
    if (!this.#isJoining) await this.opened
    return this.#client.query(text, values)
  }

  #another(): Tx {
    const tx: Tx = {
      query: async (text, values) => {
        const fault = this.#faultOf(tx)
        if (fault !== null) throw new Error(`${fault}: this statement was not run`)
        this.#unanswered += 1
        try {
          return await this.#send(this.#named(text, values), values)
        } finally {
          this.#unanswered -= 1
        }
      }
    }
    underway.set(tx, this)
    return tx
  }

  #faultOf(tx: Tx): string | null {
    if (this.isOver) return 'The transaction is over'
    return tx === this.#holder ? null : 'Another part of the transaction sees other teams'
  }

  /** See `goOnByKey`, below. */
  async goOnByKey(tx: Tx): Promise<void> {
    if (this.#named === namedByText) return
    const answer = tx.query(keyed)
    this.#named = namedByText
    await answer
  }

  /** See `seeingAll`, below. If `work` throws, nothing of the transaction runs any more. */
  async seeingAll<T>(tx: Tx, work: (tx: Tx) => Promise<T>): Promise<T> {
    if (tx === this.#holder && tx !== this.tx) return work(tx)
    if (tx !== this.#holder || this.#unanswered > 0)
      throw new Error('A part of a transaction cannot see all teams beside other statements: await these first')
    const all = this.#another()
    this.#holder = all
    // The work begins without waiting for the answer, so that its first statement is sent together
    // with this one.
    const [, value] = await Promise.all([this.#send(seeing('on')), (async () => work(all))()])
    await this.#send(seeing(''))
    this.#holder = tx
    return value
  }
}

const underway = new WeakMap<Tx, Underway>()

function underwayOf(tx: Tx): Underway {
  const found = underway.get(tx)
  if (!found) throw new TypeError('only a transaction of pool.ts can do this')
  return found
}

const seeing = (value: 'on' | ''): pg.QueryConfig => ({
  name: 'seeing-all',
  text: "SELECT set_config('service.seeing_all', $1, true)",
  values: [value]
})

/**
 * Runs `work` in one transaction and commits it. Any throw rolls back and is passed on. When COMMIT
 * fails, the call rejects and the outcome is unknown. `opening` begins the transaction. The work
 * starts at once, and its first statements leave with `opening` in one round trip. One of
 * several parallel statements may fail while `work` still reacts to the answer of another and sends
 * a third. After the rollback the third is refused: outside the transaction it would be committed
 * by itself. `named`: may give a statement a name, so that its plan is kept.
 */
async function run<T>(pool: Pool, opening: readonly pg.QueryConfig[], work: (tx: Tx) => Promise<T>, named = asItIs): Promise<T> {
  const client = await pool.connect()
  let broken: Error | undefined
  const transaction = new Underway(client, opening, named)
  try {
    const value = await work(transaction.tx)
    await transaction.opened
    transaction.isOver = true
    const committed = await client.query('COMMIT')
    // Postgres answers the COMMIT of a failed transaction with ROLLBACK and no error.
    if (committed.command !== 'COMMIT') throw new Error('The transaction was rolled back: one of its statements had failed')
    return value
  } catch (error) {
    transaction.isOver = true
    await client.query('ROLLBACK').catch((failure: Error) => {
      broken = failure
    })
    // If the opening failed, so did the statements after it: they do not say why.
    await transaction.opened
    throw error
  } finally {
    client.release(broken)
  }
}

const begin: pg.QueryConfig = { name: 'begin', text: 'BEGIN' }
const beginSnapshot: pg.QueryConfig = { name: 'begin snapshot', text: 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY' }

/** Sets what a transaction sees. Throws TypeError when an id is no UUID. */
function sightOf({ tenant_id, seen_by }: Viewer): pg.QueryConfig[] {
  if (!UUID.test(tenant_id) || !(seen_by === null || UUID.test(seen_by)))
    throw new TypeError('a workspace or a person has an id that is not a UUID')
  return [
    { name: 'sight workspace', text: "SELECT set_config('service.tenant_id', $1, true)", values: [tenant_id] },
    seen_by === null
      ? { name: 'sight all', text: "SELECT set_config('service.own_teams', '*', true)" }
      : { name: 'sight person', text: 'SELECT set_sight($1)', values: [seen_by] }
  ]
}

/**
 * Runs `work` in a transaction that sees only the rows of the viewer's workspace, and of those only
 * what the viewer may see (schemas/http/visibility.ts). This holds for the roles that row-level
 * security binds. Throws TypeError when an id is no UUID.
 */
export function tenantTransaction<T>(pool: Pool, viewer: Viewer, work: (tx: Tx) => Promise<T>): Promise<T> {
  return run(pool, [begin, ...sightOf(viewer)], work)
}

/**
 * Like tenantTransaction, for work whose statements all read and write rows by their keys. Their
 * plans are kept by the connection and use indexes only. Row-level security makes planning one of
 * them take longer than running it (docs/decisions/0095).
 */
export function keyedTransaction<T>(pool: Pool, viewer: Viewer, work: (tx: Tx) => Promise<T>): Promise<T> {
  return run(pool, [begin, keyed, ...sightOf(viewer)], work, namedByText)
}

/**
 * Like tenantTransaction, for a list: it only reads, and reads everything as it was at its first
 * statement. So a page fits its total, and rows fit the filter by which their ids were found.
 */
export function listTransaction<T>(pool: Pool, viewer: Viewer, work: (tx: Tx) => Promise<T>): Promise<T> {
  return run(pool, [beginSnapshot, ...sightOf(viewer)], work)
}

/**
 * Makes the rest of a transaction like a keyedTransaction. The next statement may be issued without
 * waiting for the answer. TypeError: `tx` is no transaction of this module.
 */
export function goOnByKey(tx: Tx): Promise<void> {
  return underwayOf(tx).goOnByKey(tx)
}

/** Like tenantTransaction, but always rolls back. Returns what `work` returned. */
export async function rehearsal<T>(pool: Pool, viewer: Viewer, work: (tx: Tx) => Promise<T>): Promise<T> {
  const over = new Error('A rehearsal is over')
  const learnt: T[] = []
  await tenantTransaction(pool, viewer, async (tx) => {
    learnt.push(await work(tx))
    throw over
  }).catch((error: unknown) => {
    if (error !== over) throw error
  })
  return learnt[0] as T
}

/**
 * Runs `work` with sight of all teams, inside a transaction of somebody who sees less. Used for
 * counts that a plan limits, and for what the rules have already allowed. `work` gets a Tx of its
 * own, and until it ends, statements of the other are refused: they would see too much. Throws when
 * a statement of the transaction has no answer yet. Inside work that sees all teams already, it
 * changes nothing. TypeError: `tx` is no transaction of this module.
 */
export async function seeingAll<T>(tx: Tx, work: (tx: Tx) => Promise<T>): Promise<T> {
  return underwayOf(tx).seeingAll(tx, work)
}

/** A transaction across workspaces: for the owner and for service_system. */
export function transaction<T>(pool: Pool, work: (tx: Tx) => Promise<T>): Promise<T> {
  return run(pool, [begin], work)
}

/** Like transaction, but read-only; it reads everything as it was at its first statement. */
export function snapshot<T>(pool: Pool, work: (tx: Tx) => Promise<T>): Promise<T> {
  return run(pool, [beginSnapshot], work)
}
