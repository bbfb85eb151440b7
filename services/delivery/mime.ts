/**
 * Reads a mail that this service itself wrote: headers, text and HTML. It never gets mails of
 * strangers. Pure.
 */

export interface ReadMail {
  /** In their original order, unfolded. */
  headers: [name: string, value: string][]
  text: string | null
  html: string | null
}

interface Part {
  headers: [name: string, value: string][]
  body: string
}

/** Deeper than any mail that we write. */
const MAX_DEPTH = 4

function split(source: string): Part {
  const end = source.indexOf('\n\n')
  const head = end < 0 ? source : source.slice(0, end)
  const headers = head
    .replace(/\n[ \t]+/g, ' ')
    .split('\n')
    .flatMap((line): [string, string][] => {
      const colon = line.indexOf(':')
      return colon < 1 ? [] : [[line.slice(0, colon), line.slice(colon + 1).trim()]]
    })
  return { headers, body: end < 0 ? '' : source.slice(end + 2) }
}

const headerOf = ({ headers }: Part, name: string): string => headers.find(([known]) => known.toLowerCase() === name)?.[1] ?? ''

/** Decodes the bytes before it makes text of them: `=C3=BC` is one letter. */
const quotedPrintable = (body: string): string =>
  Buffer.from(
    body.replace(/=[ \t]*\n/g, '').replace(/=([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1'
  ).toString('utf8')

function decoded(part: Part): string {
  switch (headerOf(part, 'content-transfer-encoding').toLowerCase()) {
    case 'base64':
      return Buffer.from(part.body, 'base64').toString('utf8')
    case 'quoted-printable':
      return quotedPrintable(part.body)
    default:
      return part.body
  }
}

function parts(part: Part, depth: number): Part[] {
  const boundary = /^multipart\/[^;]+;.*\bboundary="?([^";]+)"?/i.exec(headerOf(part, 'content-type'))?.[1]
  if (boundary === undefined || depth === MAX_DEPTH) return [part]
  return part.body
    .split(`--${boundary}`)
    .slice(1, -1)
    .flatMap((piece) => parts(split(piece.replace(/^\n/, '').replace(/\n$/, '')), depth + 1))
}

export function readMime(mime: string): ReadMail {
  const whole = split(mime.replace(/\r\n/g, '\n'))
  const found = parts(whole, 0)
  const of = (type: string): string | null => {
    const part = found.find((one) => headerOf(one, 'content-type').toLowerCase().startsWith(type))
    return part ? decoded(part) : null
  }
  return { headers: whole.headers, text: of('text/plain'), html: of('text/html') }
}
