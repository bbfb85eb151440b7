/**
 * Rewrites the statements of clickhouse/ for a cluster of replicas: one shard, and every row on
 * every server. Pure; migrations.ts runs the result.
 * Source: ClickHouse's pages "Data replication", "Distributed DDL", "Deduplicating inserts on
 * retries"; settings as 26.7 names them.
 *
 * Why every batch is stored exactly once (the protocol is that of streams/runtime/sink.ts: intent,
 * inserts under tokens, commit; whatever fails is repeated):
 * - A token belongs to the table, not to a server: its blocks are recorded in Keeper, in the
 *   transaction that makes the part known. So a retry may go to another server, even while the
 *   first attempt still runs on the previous one: only one of them gets the record.
 * - A view's target has tokens of its own, made of the insert's token and the view's name in its
 *   database, which is the same on every server. A retry passes a block that the source already
 *   has on to the views, which repairs a crash between source and target.
 * - An insert is acknowledged when a majority has it (`insert_quorum` = auto), so what the sink
 *   commits survives the loss of one server's disk. Without a majority it fails and is repeated. A
 *   part whose only server died before another had it is given up by the others, together with its
 *   record in Keeper: the retry then counts as a first insert.
 * - These records live as long as on one server: as many blocks as before, and no limit of age that
 *   is shorter. The default would drop them after an hour, and an intent may wait for days.
 * - `complete_until` promises rows to a query that may reach a server outside of that majority. So
 *   a table takes one quorum insert after another (`insert_quorum_parallel` = 0), with
 *   `select_sequential_consistency`: a server that lacks an acknowledged row refuses, and
 *   replicas.ts asks the next. The sink inserts one batch after another in a table anyway; only
 *   `rejected` takes rows from several topics, and a refusal there is simply retried.
 */

/**
 * Longer than any topic of the sink keeps its records (schemas/topics.ts). So only the number of
 * blocks limits them, as on one server.
 */
const WINDOW_SECONDS = 31 * 24 * 3600

const NAME = '[a-z][a-z0-9_]*'
/**
 * The text before the name of what is created, changed or dropped. These are all forms that
 * clickhouse/*.sql uses.
 */
const beginnings = [
  'CREATE TABLE IF NOT EXISTS',
  `CREATE MATERIALIZED VIEW IF NOT EXISTS(?= ${NAME} TO ${NAME} AS\\s)`,
  `CREATE OR REPLACE VIEW(?= ${NAME} AS\\s)`,
  'DROP VIEW IF EXISTS',
  `ALTER TABLE(?= ${NAME} (?:MODIFY SETTING|MODIFY COLUMN|ADD COLUMN IF NOT EXISTS) )`
]
const HEAD = new RegExp(`^(${beginnings.join('|')}) (${NAME})(?=\\s|$)`)
const ENGINE = /\) ENGINE = (\w+)(?:\(([^()]*)\))?/g
const KNOWN_ENGINE = /^(?:Replacing|Aggregating|Summing)?MergeTree$/

const refuse = (statement: string, why: string): Error =>
  new Error(`a statement has no form for replicas (${why}): ${statement.slice(0, 120).replace(/\s+/g, ' ')}`)

function replicatedEngine(statement: string): string {
  const found = statement.match(ENGINE) ?? []
  if (found.length !== 1) throw refuse(statement, `expected one engine, found ${found.length}`)
  return statement.replace(ENGINE, (_, engine: string, args = '') => {
    if (!KNOWN_ENGINE.test(engine)) throw refuse(statement, `the engine ${engine} is not known`)
    const all = ["'/clickhouse/tables/{shard}/{database}/{table}'", "'{replica}'", ...(args === '' ? [] : [String(args)])]
    return `) ENGINE = Replicated${engine}(${all.join(', ')})`
  })
}

/**
 * Returns `statement` in the form that runs on every server of `cluster`. Throws for an unknown
 * form, which would run on one server only.
 */
export function replicated(statement: string, cluster: string): string {
  const [head, beginning, name] = HEAD.exec(statement) ?? []
  if (head === undefined) throw refuse(statement, 'its beginning is not known')
  const engine = beginning?.startsWith('CREATE TABLE') ? replicatedEngine(statement) : statement
  const made = engine.replace(
    /\bnon_replicated_deduplication_window = (\d+)/,
    `replicated_deduplication_window = $1, replicated_deduplication_window_seconds = ${WINDOW_SECONDS}`
  )
  if (made.includes('non_replicated_')) throw refuse(statement, 'a setting is of one server')
  return made.replace(head, `${beginning} ${name} ON CLUSTER '${cluster}'`)
}
