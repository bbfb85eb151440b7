/**
 * A table of clickhouse/*.sql as the sink fills it: each column beside what writes its value. From
 * that come both the columns of the INSERT and the lines, so that the two cannot part.
 */

/** The position of a record on the log: the last two columns of every row. */
export interface Source {
  partition: number
  offset: bigint
}

const PLACE = ['_p', '_o']

/**
 * By column, in the order of the line. A value is written as the TabSeparated format wants it
 * (tsv.ts).
 */
export type Writers<R, Column extends string = string> = Readonly<Record<Column, (record: R) => string | number>>

export interface Table<R> {
  /** Of the INSERT, in the order of a line; the engine fills what is not named. */
  columns: readonly string[]
  /** A line with its end. Throws Unfit when the record is no row of the table. */
  row(record: R, source: Source): string
}

/**
 * A table whose line is written by `row`, with a value for each of `columns` and the place at its
 * end.
 */
export const handWritten = <R>(columns: readonly string[], row: Table<R>['row']): Table<R> => ({ columns: [...columns, ...PLACE], row })

/** The end of every line. */
export const place = ({ partition, offset }: Source): string => `${partition}\t${offset}\n`

export function table<R>(writers: Writers<R>): Table<R> {
  const all = Object.values(writers)
  return handWritten(Object.keys(writers), (record, source) => {
    let line = ''
    for (const write of all) line += `${write(record)}\t`
    return line + place(source)
  })
}

/** Another record that makes rows of the same table: its values in the order of `table`. */
export function rowsLike<R>({ columns }: Table<never>, writers: Writers<R>): Table<R>['row'] {
  return table<R>(Object.fromEntries(columns.flatMap((name) => (writers[name] ? [[name, writers[name]]] : [])))).row
}
