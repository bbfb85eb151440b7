/**
 * Draws a message as its kind of channel shows it. Each form is our own and stands for its family;
 * it is no copy of a vendor's design. Makes an SVG of a few kilobytes with colours for both colour
 * schemes. Pure.
 */

/** A message in the words of its payload. */
export interface Shown {
  tone: 'bad' | 'good'
  title: string
  lines: readonly string[]
  facts: readonly (readonly [name: string, value: string])[]
  /** The label of what opens the incident. */
  link: string | null
  /** The labels of the buttons that act. */
  buttons: readonly string[]
  /** Small text above the title, such as a sender or a state. */
  over: string | null
}

export type Look = 'bubble' | 'note' | 'record' | 'mail' | 'code' | 'phone'

const WIDTH = 560
const PAD = 16
const GAP = 14
const LINE = 20
const MAX_LINES = 9

const styles = [
  'text{font:14px system-ui,sans-serif;fill:#1f2937}',
  '.t{font-weight:600}.q{fill:#6b7280;font-size:12px}.c{font:12px ui-monospace,monospace}.l{fill:#1d4ed8}',
  '.s{fill:#fff;stroke:#d1d5db}.m{fill:#f3f4f6}.bad{fill:#b42318}.good{fill:#067647}',
  '@media(prefers-color-scheme:dark){text{fill:#e5e7eb}.q{fill:#9ca3af}.l{fill:#93c5fd}.s{fill:#1f2430;stroke:#3b4252}.m{fill:#2a3040}.bad{fill:#f97066}.good{fill:#47cd89}}'
].join('')

const escaped = (text: string): string => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`)

/** Widths are estimated, because SVG text does not wrap. */
function wrapped(text: string, width: number, each = 7.2): string[] {
  const most = Math.floor(width / each)
  const lines: string[] = []
  for (const part of text.split('\n')) {
    let line = ''
    for (const word of part.split(' ')) {
      const pieces = word.match(new RegExp(`.{1,${most}}`, 'gu')) ?? ['']
      for (const piece of pieces) {
        const next = line === '' ? piece : `${line} ${piece}`
        if (next.length > most) {
          lines.push(line)
          line = piece
        } else line = next
      }
    }
    lines.push(line)
  }
  return lines
}

interface Drawn {
  svg: string
  height: number
}

const text = (x: number, y: number, words: string, classes = ''): string =>
  `<text x="${x}" y="${y}"${classes === '' ? '' : ` class="${classes}"`}>${escaped(words)}</text>`

/** Draws the title, lines, facts and link below each other. */
function column(shown: Shown, x: number, width: number, isCode: boolean): Drawn {
  const pieces: string[] = []
  let y = 0
  const put = (words: string, classes: string, each?: number): void => {
    for (const line of wrapped(words, width, each)) {
      y += LINE
      pieces.push(text(x, y - 5, line, classes))
    }
  }
  if (shown.over !== null) put(shown.over, 'q', 6.4)
  if (shown.title !== '') put(shown.title, 't', 7.6)
  const lines = shown.lines.flatMap((line) => wrapped(line, width, isCode ? 7.4 : 7.2))
  for (const line of lines.slice(0, MAX_LINES)) put(line, isCode ? 'c' : '', 1)
  if (lines.length > MAX_LINES) put('…', isCode ? 'c' : '')
  const left = shown.facts.filter((_, nth) => nth % 2 === 0)
  const right = shown.facts.filter((_, nth) => nth % 2 === 1)
  for (const [nth, fact] of left.entries()) {
    y += LINE
    for (const [at, one] of [
      [x, fact],
      [x + width / 2, right[nth]]
    ] as const)
      if (one)
        pieces.push(`<text x="${at}" y="${y - 5}"><tspan class="q">${escaped(one[0])} </tspan>${escaped(one[1].slice(0, 26))}</text>`)
  }
  if (shown.link !== null) put(shown.link, 'l')
  if (shown.buttons.length > 0) y += 8
  let at = x
  for (const button of shown.buttons) {
    const wide = button.length * 7.4 + 20
    pieces.push(`<rect x="${at}" y="${y}" width="${wide}" height="26" rx="4" class="m s"/>${text(at + 10, y + 18, button)}`)
    at += wide + 8
  }
  if (shown.buttons.length > 0) y += 28
  return { svg: pieces.join(''), height: y }
}

function card(look: Look, shown: Shown): Drawn {
  const isCode = look === 'code'
  const left = look === 'note' ? PAD + 34 : PAD + 6
  const inner = column(shown, left, WIDTH - left - PAD, isCode)
  const height = inner.height + PAD * 2 - 6
  const frame = `<rect x=".5" y=".5" width="${WIDTH - 1}" height="${height - 1}" rx="${look === 'phone' ? 16 : 8}" class="${look === 'phone' || isCode ? 'm' : 's'}"/>`
  const mark =
    look === 'note'
      ? `<circle cx="${PAD + 12}" cy="${PAD + 12}" r="10" class="${shown.tone}"/>`
      : look === 'phone' || isCode
        ? ''
        : `<rect width="5" height="${height}" rx="2" class="${shown.tone}"/>`
  return { svg: `${frame}${mark}<g transform="translate(0 ${PAD - 3})">${inner.svg}</g>`, height }
}

/** Draws the messages. `alt`: a description of the picture. */
export function pictureOf(look: Look, alt: string, messages: readonly Shown[]): string {
  let y = 0
  const cards = messages.map((shown) => {
    const { svg, height } = card(look, shown)
    const placed = `<g transform="translate(0 ${y})">${svg}</g>`
    y += height + GAP
    return placed
  })
  const height = y - GAP
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" role="img"><title>${escaped(alt)}</title><style>${styles}</style>${cards.join('')}</svg>\n`
}
