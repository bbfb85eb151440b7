/** A table of figures. The first column names the subject; the others are aligned to the right. */
import type { ReactNode } from 'react'
import { analyticsText } from '../../texts/analytics.ts'
import classes from './Analytics.module.css'

export interface TableProps {
  label: string
  columns: readonly string[]
  rows: readonly { key: string; cells: readonly ReactNode[] }[]
}

export function Table({ label, columns, rows }: TableProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a table that scrolls sideways must be reached by the keyboard
    <section className={classes.scroll} tabIndex={0} aria-label={analyticsText('table.label', { what: label })}>
      <table className={classes.table}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, cells: [first, ...others] }) => (
            <tr key={key}>
              <th scope="row">{first}</th>
              {others.map((cell, nth) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: a cell is named by its column
                <td key={nth}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
