/**
 * One interface for both engines: ClickHouse in this process (chdb, in a folder that only one
 * process may open), or a server by address. Both take the same SQL, parameters, bodies and
 * settings, and no other part of the service knows which one it uses.
 *
 * chdb runs statements on its own threads. Statements with parameters run one at a time (chdb-node
 * 51), an abandoned one runs to its end, and the raw insert accepts only text formats. So inserts
 * use TabSeparated, which the server reads in the same way. Verified in chdb 3.4.0 and
 * @clickhouse/client 1.23.
 */
import { Readable } from 'node:stream'
import { type ClickHouseClient, type ClickHouseSettings, createClient } from '@clickhouse/client'
import { Session } from 'chdb'
import { createChdbConnection } from 'chdb/connection'
import { privateFolder } from '../process/private-folder.ts'
import { acrossReplicas } from './replicas.ts'

export type Params = Record<string, unknown>

export interface QueryLimits {
  /** The engine aborts the query after this time; ms. */
  timeMs: number
  maxRows: number
}

export interface Engine {
  /** Returns the rows as one JSON array, as the engine wrote it. `sql` has no FORMAT. */
  query(sql: string, params: Params, limits: QueryLimits): Promise<string>
  /** Runs a statement that returns nothing. */
  command(sql: string): Promise<void>
  /**
   * Inserts a body of TabSeparated lines. With a token that the table has seen before, it inserts
   * nothing.
   */
  insert(table: string, columns: readonly string[], body: Buffer, token: string): Promise<void>
  close(): Promise<void>
}

/** The query was aborted: it was too slow, or had too many rows. */
export class QueryTooLarge extends Error {
  override readonly name = 'QueryTooLarge'
}

/** How long to wait for a server's reply; ms. */
const REQUEST_MS = 60_000

/**
 * One block per insert, so that one token stands for one block in each table. Views get only blocks
 * that were accepted, under tokens derived from this one. A batch may cover many partitions and
 * must not be refused for that, because it would be retried without end.
 */
const insertSettings = (token: string): Record<string, string | number> => ({
  insert_deduplicate: 1,
  insert_deduplication_token: token,
  deduplicate_blocks_in_dependent_materialized_views: 1,
  async_insert: 0,
  input_format_parallel_parsing: 0,
  max_insert_threads: 1,
  max_threads: 1,
  max_insert_block_size: 1_048_576,
  max_partitions_per_insert_block: 1000,
  throw_on_max_partitions_per_insert_block: 0
})

/**
 * The settings are part of the statement: given as settings of a request, chdb would keep them for
 * everything that follows on the connection, inserts included. Compilation to machine code is off:
 * it takes a tenth of a second, which these queries never earn back.
 */
const querySettings = ({ timeMs, maxRows }: QueryLimits, replicas: boolean): string =>
  `SETTINGS max_execution_time = ${Math.ceil(timeMs / 1000)}, max_result_rows = ${maxRows}, result_overflow_mode = 'throw', max_threads = 2,` +
  ' compile_expressions = 0, compile_aggregate_expressions = 0, compile_sort_description = 0,' +
  ` output_format_json_quote_64bit_integers = 0, output_format_json_array_of_rows = 1${replicas ? ', select_sequential_consistency = 1' : ''}`

/** TOO_MANY_ROWS, TIMEOUT_EXCEEDED, MEMORY_LIMIT_EXCEEDED, TOO_MANY_ROWS_OR_BYTES */
const TOO_LARGE = /^(158|159|241|396)$/

function judged(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return TOO_LARGE.test(code) ? new QueryTooLarge('the query was given up', { cause: error }) : error
}

async function ask(client: ClickHouseClient, sql: string, params: Params, limits: QueryLimits, replicas = false): Promise<string> {
  try {
    const result = await client.query({
      query: `${sql}
${querySettings(limits, replicas)}`,
      query_params: params,
      format: 'JSONEachRow'
    })
    const text = (await result.text()).trim()
    return text === '' ? '[]' : text
  } catch (error) {
    throw judged(error)
  }
}

/** Settings that no statement can set; see chdb's README, "Engine arguments at connect". */
const engineArguments = [
  // By default it checks the process's memory twenty times a second.
  '--memory_worker_period_ms=5000',
  // By default every table looks for something to merge or to move once a second. An insert starts
  // that look at once.
  '--background_processing_pool_thread_sleep_seconds_if_nothing_to_do=5',
  '--background_move_processing_pool_thread_sleep_seconds_if_nothing_to_do=5',
  '--background_streaming_processing_pool_thread_sleep_seconds_if_nothing_to_do=5',
  '--mark_cache_size=67108864',
  '--primary_index_cache_size=67108864'
]

function inProcess(path: string): Engine {
  privateFolder(path)
  // Connections to one folder share the engine, and the first connection sets how it runs.
  const keeper = new Session(path, { connectionArgs: engineArguments })
  const connection = createChdbConnection({ path })
  // Both packages contain a copy of the same type declarations, and TypeScript treats the copies as
  // different types.
  const options: object = { connection }
  const client = createClient(options)
  return {
    query: (sql, params, limits) => ask(client, sql, params, limits),
    async command(sql) {
      await client.command({ query: sql })
    },
    async insert(table, columns, body, token) {
      await connection.chdb.rawInsert({
        table,
        columns: [...columns],
        format: 'TabSeparated',
        values: body,
        settings: insertSettings(token)
      })
    },
    async close() {
      await client.close()
      keeper.close()
    }
  }
}

/**
 * See replicated.ts for the reasons. The server's timeout is shorter than the client's, so that the
 * client learns when an insert did not reach its majority.
 */
const quorumSettings: ClickHouseSettings = { insert_quorum: 'auto', insert_quorum_parallel: 0, insert_quorum_timeout: REQUEST_MS / 2 }
/** How long until every server must have run the statement, else it fails; s. */
const clusterSettings: ClickHouseSettings = {
  distributed_ddl_task_timeout: String(REQUEST_MS / 2000),
  distributed_ddl_output_mode: 'throw',
  alter_sync: '2'
}

function onServer(url: string, replicas: boolean): Engine {
  const client = createClient({ url, request_timeout: REQUEST_MS, compression: { request: false, response: false } })
  return {
    query: (sql, params, limits) => ask(client, sql, params, limits, replicas),
    async command(sql) {
      await client.command({ query: sql, clickhouse_settings: { wait_end_of_query: 1, ...(replicas && clusterSettings) } })
    },
    async insert(table, [first = '', ...rest], body, token) {
      await client.insert({
        table,
        columns: [first, ...rest],
        values: Readable.from([body], { objectMode: false }),
        format: 'TabSeparated',
        clickhouse_settings: { ...(insertSettings(token) as ClickHouseSettings), ...(replicas && quorumSettings), wait_end_of_query: 1 }
      })
    },
    close: () => client.close()
  }
}

export interface EngineOptions {
  /** The folder of the engine in this process. */
  path: string
  /** The addresses of servers. Empty: the engine in this process. */
  urls?: readonly string[]
  /** Whether the servers are replicas of one another. */
  replicas?: boolean
}

/** Throws when another process has the folder open. */
export function openEngine({ path, urls = [], replicas = false }: EngineOptions): Engine {
  const [first, ...rest] = urls.map((url) => onServer(url, replicas))
  return first ? acrossReplicas([first, ...rest], (error) => error instanceof QueryTooLarge) : inProcess(path)
}
