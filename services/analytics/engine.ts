/**
 * The engine behind one face: ClickHouse in this process (chdb, in a folder that only one process
 * may open) or a server by address. Both take the same SQL, parameters, bodies and settings; nobody
 * else in the service knows which it is.
 *
 * chdb runs statements on its own threads. Those with parameters take turns (chdb-node 51), an
 * abandoned one runs to its end, and the raw insert takes text formats only: hence TabSeparated,
 * which the server reads alike. Read in chdb 3.4.0 and @clickhouse/client 1.23.
 */
import { Readable } from 'node:stream'
import { type ClickHouseClient, type ClickHouseSettings, createClient } from '@clickhouse/client'
import { Session } from 'chdb'
import { createChdbConnection } from 'chdb/connection'
import { privateFolder } from '../process/private-folder.ts'
import { acrossReplicas } from './replicas.ts'

export type Params = Record<string, unknown>

export interface QueryLimits {
  /** The engine gives up after this; ms. */
  timeMs: number
  maxRows: number
}

export interface Engine {
  /** Rows as one JSON array, as the engine wrote it. `sql` has no FORMAT. */
  query(sql: string, params: Params, limits: QueryLimits): Promise<string>
  /** A statement without a result. */
  command(sql: string): Promise<void>
  /** A body of TabSeparated lines. Under a token that the table has had, nothing is inserted. */
  insert(table: string, columns: readonly string[], body: Buffer, token: string): Promise<void>
  close(): Promise<void>
}

/** The query was given up: too slow, or too many rows. */
export class QueryTooLarge extends Error {
  override readonly name = 'QueryTooLarge'
}

/** Waiting for a server's answer; ms. */
const REQUEST_MS = 60_000

/**
 * One block an insert, so that one token is one block of each table; views see only blocks that
 * were accepted, under tokens made from this one. A batch may span many partitions: it must not be
 * refused for that, since it would come again.
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
 * In the statement's own words: as settings of a request chdb would keep them for all that follows
 * on the connection, inserts included. Nothing is compiled to machine code: that takes a tenth of a
 * second, which our questions never earn back.
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

/** What no statement can set; see chdb's README, "Engine arguments at connect". */
const engineArguments = [
  // Looks at the process's memory twenty times a second otherwise.
  '--memory_worker_period_ms=5000',
  // Every table looks for something to merge or to move once a second otherwise. An insert has it
  // look at once.
  '--background_processing_pool_thread_sleep_seconds_if_nothing_to_do=5',
  '--background_move_processing_pool_thread_sleep_seconds_if_nothing_to_do=5',
  '--background_streaming_processing_pool_thread_sleep_seconds_if_nothing_to_do=5',
  '--mark_cache_size=67108864',
  '--primary_index_cache_size=67108864'
]

function inProcess(path: string): Engine {
  privateFolder(path)
  // Connections to one folder share the engine; the first says how it runs.
  const keeper = new Session(path, { connectionArgs: engineArguments })
  const connection = createChdbConnection({ path })
  // Both packages carry a copy of the same declarations, which TypeScript takes for different ones.
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
 * replicated.ts says why. The server gives up before the client does, so that the client learns
 * when an insert did not get its majority.
 */
const quorumSettings: ClickHouseSettings = { insert_quorum: 'auto', insert_quorum_parallel: 0, insert_quorum_timeout: REQUEST_MS / 2 }
/** Every server has done it, or it fails; s. */
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
  /** Folder of the engine in this process. */
  path: string
  /** Servers; none: in this process. */
  urls?: readonly string[]
  /** They are replicas of one another. */
  replicas?: boolean
}

/** Throws when another process has the folder open. */
export function openEngine({ path, urls = [], replicas = false }: EngineOptions): Engine {
  const [first, ...rest] = urls.map((url) => onServer(url, replicas))
  return first ? acrossReplicas([first, ...rest], (error) => error instanceof QueryTooLarge) : inProcess(path)
}
