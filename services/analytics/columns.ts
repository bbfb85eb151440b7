/** The tables that the sink fills, by name, and the columns of their INSERTs. */
import { tables } from './rows.ts'

export type TableName = keyof typeof tables

/** The order within a batch, so that a retry does the same again. */
export const tableNames = Object.keys(tables) as TableName[]

const columns = new Map<string, readonly string[]>(Object.entries(tables).map(([name, table]) => [name, table.columns]))

/** The columns in the order of a line. Empty for an unknown table. */
export const columnsOf = (table: string): readonly string[] => columns.get(table) ?? []
