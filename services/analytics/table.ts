/**
 * A table of clickhouse/*.sql as the sink fills it: each column next to the function that writes
 * its value. Both the columns of the INSERT and the lines come from this list, so they always
 * match.
 */

/** The position of a record on the log, in the last two columns of every row. */
export interface Source {
  partition: number
  offset: bigint
}

const PLACE = ['_p', '_o']

/**
 * By column, in the order of the line. A value is written as the TabSeparated format requires
 * (tsv.ts).
 */
export type Writers<R, Column extends string = string> = Readonly<Record<Column, (record: R) => string | number>>

export interface Table<R> {
  /** The columns of the INSERT, in the order of a line. The engine fills in the others. */
  columns: readonly string[]
  /** Returns a line with its line end. Throws Unfit when the record does not fit the table. */
  row(record: R, source: Source): string
}

/** A table whose line is written by `row`: a value for each of `columns`, then the position. */
export const handWritten = <R>(columns: readonly string[], row: Table<R>['row']): Table<R> => ({ columns: [...columns, ...PLACE], row })

/** The end of every line: the position of the record. */
export const place = ({ partition, offset }: Source): string => `${partition}\t${offset}\n`

export function table<R>(writers: Writers<R>): Table<R> {
  const all = Object.values(writers)
  return handWritten(Object.keys(writers), (record, source) => {
    let line = ''
    for (const write of all) line += `${write(record)}\t`
    return line + place(source)
  })
}

/**
 * For another record type that makes rows of the same table: writes its values in the order of
 * `table`.
 */
export function rowsLike<R>({ columns }: Table<never>, writers: Writers<R>): Table<R>['row'] {
  return table<R>(Object.fromEntries(columns.flatMap((name) => (writers[name] ? [[name, writers[name]]] : [])))).row
}
