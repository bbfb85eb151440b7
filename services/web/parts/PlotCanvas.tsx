/**
 * Draws a plot with uPlot, which only this module loads. Each drawing reads the colours from
 * theme.css, and a change of the colour scheme draws the plot again. The size follows the
 * container. Nothing is animated.
 */
import 'uplot/dist/uPlot.min.css'
import { useEffect, useRef } from 'react'
import uPlot from 'uplot'
import { clockTime, DAY_MS, dayOnly, hourTime, MINUTE_MS, ownZone } from './clock.ts'
import { LINES, type PlotBand, type PlotSeries, type Reading } from './Plot.tsx'
import type { Span } from './range.ts'
import { dayAt, startOfDay, wallDate } from './zone-times.ts'

const Y_AXIS_PX = 58
/** A drag shorter than this, in px, counts as a click. */
const LEAST_DRAG_PX = 6
/** The position that uPlot gives the cursor when it is outside the plot. */
const OUTSIDE_PX = -10
/** The dash pattern of each line in px, so that lines differ in more than colour. */
const dashes: readonly number[][] = [[], [6, 3], [2, 3], [9, 3, 2, 3], [12, 4], [3, 5]]

export interface PlotCanvasProps {
  title: string
  series: readonly PlotSeries[]
  span: Span
  gapMs: number
  format: (value: number) => string
  bands: readonly PlotBand[]
  height: number
  sync: string
  onRead: (reading: Reading | null) => void
  onZoom: ((span: Span) => void) | undefined
  pointed: number | null
}

const colour = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim()

/**
 * Puts all series on one time axis. undefined: the series has no point at that time; null: the time
 * lies in a gap.
 */
function aligned(series: readonly PlotSeries[], gapMs: number): uPlot.AlignedData {
  const all = new Set<number>()
  const columns = series.map(({ points }) => {
    const values = new Map(points.map(({ at, value }) => [at, value]))
    const gaps: Span[] = []
    for (const [nth, { at }] of points.entries()) {
      const before = points[nth - 1]?.at ?? at
      if (at - before > gapMs) gaps.push({ from: before, to: at })
    }
    for (const at of values.keys()) all.add(at)
    // uPlot draws a gap only if a time lies inside it.
    for (const { from, to } of gaps) all.add(Math.round((from + to) / 2))
    return { values, gaps }
  })
  const times = [...all].sort((a, b) => a - b)
  return [
    times,
    ...columns.map(({ values, gaps }) => {
      let nth = 0
      return times.map((at) => {
        while ((gaps[nth]?.to ?? Infinity) <= at) nth++
        return values.get(at) ?? (at > (gaps[nth]?.from ?? Infinity) ? null : undefined)
      })
    })
  ]
}

/**
 * Returns the index of the nearest point of one series. Other series may have points closer to the
 * cursor.
 */
function nearest(plot: uPlot, nth: number, index: number): number {
  const column = plot.data[nth] ?? []
  for (let by = 0; by < column.length; by++) {
    if (typeof column[index - by] === 'number') return index - by
    if (typeof column[index + by] === 'number') return index + by
  }
  return index
}

function drawBands({ ctx, bbox, valToPos }: uPlot, bands: readonly PlotBand[]): void {
  ctx.save()
  for (const { from, to, tone } of bands) {
    const left = Math.max(bbox.left, valToPos(from, 'x', true))
    const right = Math.min(bbox.left + bbox.width, valToPos(to, 'x', true))
    if (right < bbox.left || left > bbox.left + bbox.width) continue
    const width = Math.max(devicePixelRatio, right - left)
    ctx.fillStyle = colour(`--${tone}-soft`)
    ctx.fillRect(left, bbox.top, width, bbox.height)
    ctx.fillStyle = colour(`--${tone}-fill`)
    ctx.fillRect(left, bbox.top, width, 2 * devicePixelRatio)
  }
  ctx.restore()
}

export function PlotCanvas(props: PlotCanvasProps) {
  const { title, series, span, gapMs, bands, height, sync, pointed } = props
  const place = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot>(null)
  const now = useRef(props)
  now.current = props
  const shape = series.map(({ label }) => label).join('\n')

  // biome-ignore lint/correctness/useExhaustiveDependencies: what the data and the span are is the business of the effect below; other lines are another plot
  useEffect(() => {
    const at = place.current
    if (!at) return
    const axis = { stroke: () => colour('--quiet'), font: '11px system-ui, sans-serif', ticks: { show: false } }
    const grid = { stroke: () => colour('--line'), width: 1 }
    const made = new uPlot(
      {
        width: at.clientWidth,
        height,
        ms: 1,
        // Makes ticks fall on whole hours and days of the person's time zone.
        tzDate: wallDate,
        padding: [8, 16, 0, 0],
        legend: { show: false },
        scales: {
          x: { time: true, range: () => [now.current.span.from, now.current.span.to] },
          y: { range: (_plot, _least, most) => [0, most > 0 ? most * 1.1 : 1] }
        },
        axes: [
          {
            ...axis,
            grid: { show: false },
            space: 64,
            size: 28,
            values: (_plot, splits, _axis, _space, step) =>
              splits.map((time) => {
                const isMidnight = startOfDay(ownZone(), dayAt(ownZone(), time)) === time
                if (step >= DAY_MS || isMidnight) return dayOnly(time)
                return (step < MINUTE_MS ? clockTime : hourTime)(time)
              })
          },
          { ...axis, grid, size: Y_AXIS_PX, space: 36, values: (_plot, splits) => splits.map((value) => now.current.format(value)) }
        ],
        series: [
          {},
          ...now.current.series.map(({ label }, nth) => ({
            label,
            stroke: () => colour(`--plot-${(nth % LINES) + 1}`),
            width: 1.5,
            dash: dashes[nth % dashes.length] ?? [],
            points: { size: 4, fill: () => colour(`--plot-${(nth % LINES) + 1}`) }
          }))
        ],
        cursor: {
          y: false,
          sync: { key: sync },
          drag: { x: now.current.onZoom !== undefined, y: false, setScale: false },
          dataIdx: (self, nth, index) => (nth === 0 ? index : nearest(self, nth, index)),
          points: { size: 6 },
          bind: { dblclick: () => null }
        },
        hooks: {
          drawClear: [(self) => drawBands(self, now.current.bands)],
          setCursor: [
            (self) => {
              const { idx, idxs = [], left = -1 } = self.cursor
              if (idx === null || idx === undefined || left < 0) return now.current.onRead(null)
              now.current.onRead({
                at: self.posToVal(left, 'x'),
                values: now.current.series.map((_one, nth) => {
                  const index = idxs[nth + 1] ?? idx
                  const value = self.data[nth + 1]?.[index]
                  const time = self.data[0][index]
                  const near = time !== undefined && Math.abs(time - self.posToVal(left, 'x')) <= now.current.gapMs
                  return near && typeof value === 'number' ? value : null
                })
              })
            }
          ],
          setSelect: [
            (self) => {
              const { left, width } = self.select
              if (width < LEAST_DRAG_PX) return
              const chosen = { from: self.posToVal(left, 'x'), to: self.posToVal(left + width, 'x') }
              self.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false)
              now.current.onZoom?.(chosen)
            }
          ]
        }
      },
      aligned(now.current.series, now.current.gapMs),
      at
    )
    plot.current = made
    const sizes = new ResizeObserver(() => made.setSize({ width: at.clientWidth, height }))
    sizes.observe(at)
    const schemes = new MutationObserver(() => made.redraw(false))
    schemes.observe(document.documentElement, { attributeFilter: ['data-mantine-color-scheme'] })
    return () => {
      sizes.disconnect()
      schemes.disconnect()
      plot.current = null
      made.destroy()
    }
  }, [shape, height, sync])

  // biome-ignore lint/correctness/useExhaustiveDependencies: span and bands are read while it draws
  useEffect(() => plot.current?.setData(aligned(series, gapMs)), [series, gapMs, span.from, span.to, bands])

  useEffect(() => {
    const drawn = plot.current
    drawn?.setCursor({ left: pointed === null ? OUTSIDE_PX : drawn.valToPos(pointed, 'x'), top: pointed === null ? OUTSIDE_PX : 0 })
  }, [pointed])

  return <div ref={place} role="img" aria-label={title} style={{ height }} />
}
