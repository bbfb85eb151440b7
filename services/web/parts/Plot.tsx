/**
 * Plots figures over time: lines with gaps where nothing was measured, incidents as bands, the
 * values under the cursor beside each line's name, and the same numbers as a table. A drag selects
 * a span. Plots with the same `sync` share one crosshair. The drawing code loads when a plot is
 * first shown.
 * Source: docs/design/ui.md#plots.
 */
import { Button } from '@mantine/core'
import { ChartLine, Table2 } from 'lucide-react'
import { Suspense, useState } from 'react'
import { plotsText } from '../texts/plots.ts'
import { CopyButton } from './Copy.tsx'
import classes from './Plot.module.css'
import { lazyPart } from './part.ts'
import type { Span } from './range.ts'
import { daySecond, dayTime } from './Since.tsx'
import type { Tone } from './Status.tsx'

const Canvas = lazyPart(async () => (await import('./PlotCanvas.tsx')).PlotCanvas)

/** How many lines have a look of their own. The next line looks like the first again. */
export const LINES = 6

/** Points closer together than this need seconds to tell them apart. */
const MINUTELY_MS = 10 * 60_000

export interface PlotPoint {
  /** Epoch ms. Points are in ascending order of it. */
  at: number
  /** null: measured, but without a value. */
  value: number | null
}

export interface PlotSeries {
  /** Each series has a different label. */
  label: string
  points: readonly PlotPoint[]
}

/** A highlighted span of time, such as an incident. */
export interface PlotBand extends Span {
  tone: Tone
  label: string
}

/** The values under the cursor: one for each series, null if the series has no point nearby. */
export interface Reading {
  at: number
  values: readonly (number | null)[]
}

export interface PlotProps {
  /** What is shown, and over which time. It is the text for people who cannot see the plot. */
  title: string
  series: readonly PlotSeries[]
  /** The axis of time. */
  span: Span
  /** Points further apart than this, in ms, have a gap between them. */
  gapMs: number
  /** Formats a value with its unit. */
  format: (value: number) => string
  bands?: readonly PlotBand[]
  height?: number
  sync?: string
  /** Called when a drag selects a span. */
  onZoom?: (span: Span) => void
  /** A time that another part of the page points at, epoch ms. The crosshair is drawn there too. */
  pointed?: number | null
  /** Called with the time under the cursor, epoch ms; null: the cursor is outside the plot. */
  onPoint?: (at: number | null) => void
}

const NONE: readonly PlotBand[] = []

export function Plot({
  title,
  series,
  span,
  gapMs,
  format,
  bands = NONE,
  height = 220,
  sync = 'page',
  onZoom,
  pointed = null,
  onPoint
}: PlotProps) {
  const [tabled, setTabled] = useState(false)
  const [reading, setReading] = useState<Reading | null>(null)
  const read = (next: Reading | null): void => {
    setReading(next)
    onPoint?.(next?.at ?? null)
  }
  const band = reading && bands.find(({ from, to }) => from <= reading.at && reading.at < to)
  const empty = series.every(({ points }) => points.length === 0)
  return (
    <figure className={classes.plot}>
      <figcaption className={classes.head}>
        <ul className={classes.legend}>
          {series.map(({ label }, nth) => {
            const value = reading?.values[nth] ?? null
            return (
              <li key={label} data-line={(nth % LINES) + 1}>
                <span className={classes.line} aria-hidden />
                {label}
                {!tabled && <b aria-hidden>{value === null ? '' : format(value)}</b>}
              </li>
            )
          })}
          {bands.length > 0 && (
            <li data-tone={bands[0]?.tone}>
              <span className={classes.band} aria-hidden />
              {plotsText('plot.incident')}
            </li>
          )}
        </ul>
        <Button
          variant="subtle"
          color="gray"
          size="compact-sm"
          className={classes.toggle}
          leftSection={tabled ? <ChartLine size={14} aria-hidden /> : <Table2 size={14} aria-hidden />}
          onClick={() => {
            read(null)
            setTabled(!tabled)
          }}
        >
          {plotsText(tabled ? 'plot.as_plot' : 'plot.as_table')}
        </Button>
      </figcaption>
      {tabled ? (
        <Numbers title={title} series={series} format={format} height={height} timeOf={gapMs < MINUTELY_MS ? daySecond : dayTime} />
      ) : (
        <div className={classes.canvas} style={{ height }}>
          <Suspense fallback={null}>
            <Canvas
              title={title}
              series={series}
              span={span}
              gapMs={gapMs}
              format={format}
              bands={bands}
              height={height}
              sync={sync}
              onRead={read}
              onZoom={onZoom}
              pointed={pointed}
            />
          </Suspense>
          {empty && <p className={classes.none}>{plotsText('plot.empty')}</p>}
        </div>
      )}
      {!tabled && (
        // Always rendered and one line high, even when empty, so that the plot does not move under
        // the cursor.
        <p className={classes.at} aria-hidden>
          {reading && (
            <>
              {(gapMs < MINUTELY_MS ? daySecond : dayTime)(reading.at)}
              {band && ` · ${band.label}`}
            </>
          )}
        </p>
      )}
    </figure>
  )
}

type NumbersProps = Pick<PlotProps, 'title' | 'series' | 'format'> & { height: number; timeOf: (at: number) => string }

/** The same numbers as a table, newest first. */
function Numbers({ title, series, format, height, timeOf }: NumbersProps) {
  const columns = series.map(({ points }) => new Map(points.map(({ at, value }) => [at, value])))
  const times = [...new Set(columns.flatMap((column) => [...column.keys()]))].sort((a, b) => b - a)
  const words = (value: number | null | undefined): string => (typeof value === 'number' ? format(value) : '–')
  const text = [
    ['time', ...series.map(({ label }) => label)],
    ...times.map((at) => [new Date(at).toISOString(), ...columns.map((column) => String(column.get(at) ?? ''))])
  ]
    .map((row) => row.join('\t'))
    .join('\n')
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a table that scrolls must be reached by the keyboard
    <section className={classes.numbers} aria-label={title} style={{ maxHeight: Math.max(height, 320) }} tabIndex={0}>
      <table>
        <caption>
          <span>
            {title} <CopyButton text={text} what={plotsText('plot.table')} />
          </span>
        </caption>
        <thead>
          <tr>
            <th scope="col">{plotsText('plot.time')}</th>
            {series.map(({ label }) => (
              <th key={label} scope="col">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {times.map((at) => (
            <tr key={at}>
              <th scope="row">{timeOf(at)}</th>
              {columns.map((column, nth) => (
                <td key={series[nth]?.label}>{words(column.get(at))}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
