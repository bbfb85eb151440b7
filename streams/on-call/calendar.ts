/**
 * Writes shifts as iCalendar (RFC 5545): instants in UTC, texts escaped, lines folded at 75 octets,
 * and an id that stays the same as long as the shift exists.
 *
 * In       events, the name of the calendar, its creation time (epoch ms)
 * Out      the text of the file
 */

export interface CalendarEvent {
  uid: string
  /** Epoch ms. */
  starts_at: number
  ends_at: number
  summary: string
  description: string
}

const MAX_OCTETS = 75

/** 2026-03-02T08:00:00.000Z → 20260302T080000Z. */
const instant = (at: number): string => `${new Date(at).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`

const escaped = (text: string): string =>
  text
    .replaceAll(/[\\;,]/g, (found) => `\\${found}`)
    .replaceAll(/\r\n|\r|\n/g, '\\n')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what may not stand there
    .replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f]/g, '')

/** Octets in UTF-8. */
const octets = (character: string): number => {
  const code = character.codePointAt(0) ?? 0
  return code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4
}

/** Folds a line: it continues after a line break and a space. A fold never splits a character. */
function folded(line: string): string {
  let [text, length] = ['', 0]
  for (const character of line) {
    const size = octets(character)
    if (length + size > MAX_OCTETS) {
      text += '\r\n '
      length = 1
    }
    text += character
    length += size
  }
  return text
}

const linesOf = ({ uid, starts_at, ends_at, summary, description }: CalendarEvent, stamp: number): string[] => [
  'BEGIN:VEVENT',
  `UID:${escaped(uid)}`,
  `DTSTAMP:${instant(stamp)}`,
  `DTSTART:${instant(starts_at)}`,
  `DTEND:${instant(ends_at)}`,
  `SUMMARY:${escaped(summary)}`,
  ...(description === '' ? [] : [`DESCRIPTION:${escaped(description)}`]),
  'TRANSP:TRANSPARENT',
  'END:VEVENT'
]

/** The text of the calendar file. Instants are cut to whole seconds. */
export const calendarOf = (name: string, events: readonly CalendarEvent[], stamp: number): string =>
  [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Monitoring and incident service//On call//EN',
    'CALSCALE:GREGORIAN',
    'METHOD:PUBLISH',
    `X-WR-CALNAME:${escaped(name)}`,
    'REFRESH-INTERVAL;VALUE=DURATION:PT15M',
    ...events.flatMap((event) => linesOf(event, stamp)),
    'END:VCALENDAR',
    ''
  ]
    .map(folded)
    .join('\r\n')
