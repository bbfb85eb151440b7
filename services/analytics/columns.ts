/** The tables that the sink fills, by name, and the columns of their INSERTs. */
import { tables } from './rows.ts'

export type TableName = keyof typeof tables

/** In this order within a batch, so that a repeat does the same again. */
export const tableNames = Object.keys(tables) as TableName[]

const columns = new Map<string, readonly string[]>(Object.entries(tables).map(([name, table]) => [name, table.columns]))

/** In the order of a line; none for a name that is no table. */
export const columnsOf = (table: string): readonly string[] => columns.get(table) ?? []
