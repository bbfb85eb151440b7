/**
 * Removes secrets and personal data from texts that other people's machines wrote, before they are
 * stored or shown: the bodies of pings, and what a failed assertion found. Data teams read the
 * topics that hold these texts, and jobs and sites print anything.
 *
 * Removed are: private keys, credentials in URLs, values of Authorization and cookies, of names
 * like password, secret, token and key, bearer and basic credentials, tokens by their look (JWT,
 * UUID, long runs of letters and digits, well-known prefixes), e-mail addresses, telephone numbers.
 * It removes too much rather than too little; file names, dates, addresses of machines and plain
 * words stay.
 *
 * Each pattern takes time linear in the text: it either begins where a run of its characters
 * begins, or has a bounded length.
 */
import { tokenKinds } from './token-forms.ts'

const SECRET = '[secret]'

const isMixed = (run: string): boolean => /[0-9]/.test(run) && /[A-Za-z]/.test(run)
const isRandom = (run: string): boolean => /[0-9]/.test(run) && /[a-z]/.test(run) && /[A-Z]/.test(run)
/** 20261121T030000Z */
const isTimestamp = (run: string): boolean => /^\d{8}T\d{6}Z?$/.test(run)

type Rule = readonly [needle: RegExp, pattern: RegExp, replacement: string | ((...found: string[]) => string)]

/** Applied in this order. `needle` is a cheap test for whether the pattern can occur at all. */
const rules: readonly Rule[] = [
  [/PRIVATE KEY/, /-----BEGIN [A-Z ]{0,40}PRIVATE KEY[\s\S]*?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|$)/g, SECRET],
  // Everything up to the last @ before the host, because a password may contain an @.
  [/:\/\//, /(:\/\/)[^\s/?#"'<>]{1,512}@/g, `$1${SECRET}@`],
  [
    /authorization|cookie/i,
    /((?:authorization|cookie)["']?\s{0,3}[:=]\s{0,3}["']?)[^\r\n"']+/gi,
    (_found, name = '') => `${name}${SECRET}`
  ],
  [
    /pass|pwd|secret|token|key|credential|session|signature|dsn/i,
    /((?:passw(?:or)?d|passphrase|pass|pwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|credentials?|session(?:[_-]?id)?|signature|dsn)[\w-]{0,32}["']?\s{0,3}(?:=>|:=|[:=])\s{0,3})("[^"\r\n]*"?|'[^'\r\n]*'?|[^\s,;&"'<>]+)/gi,
    (_found, name = '', value = '') => (value === SECRET ? `${name}${value}` : `${name}${SECRET}`)
  ],
  [/bearer|basic|geniekey/i, /\b(bearer|basic|geniekey)\s{1,3}[A-Za-z0-9._~+/=-]{6,}/gi, `$1 ${SECRET}`],
  [/eyJ/, /eyJ[\w-]{8,}(?:\.[\w-]+){0,4}/g, SECRET],
  [
    /_|-|AKIA/,
    // Tokens of this service and of well-known services.
    new RegExp(
      `(?<![A-Za-z0-9])(?:(?:${Object.keys(tokenKinds).join('|')}|sk|pk|rk|gh[oprsu]|github_pat|glpat|xox[a-z]|npm|pypi)[_-][\\w-]{8,}|AKIA[A-Z0-9]{12,})`,
      'g'
    ),
    (found = '') => (/[0-9]/.test(found) ? SECRET : found)
  ],
  [/@/, /(?<![^\s<>"'(),:;=[\]/@])[^\s<>"'(),:;=[\]/@]+@[^\s<>"'(),:;=[\]/@.]+(?:\.[^\s<>"'(),:;=[\]/@.]+)+/g, '[e-mail]'],
  [/-[0-9a-f]{4}-/i, /(?<![0-9A-Za-z])[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?![0-9A-Za-z])/gi, SECRET],
  [/(?<![\w-])[\w-]{32}/, /(?<![\w-])[\w-]{32,}(?![\w-])/g, (found = '') => (isRandom(found) ? SECRET : found)],
  [
    /(?<![A-Za-z0-9])[A-Za-z0-9]{16}/,
    /(?<![A-Za-z0-9])[A-Za-z0-9]{16,}/g,
    (found = '') => (isMixed(found) && !isTimestamp(found) ? SECRET : found)
  ],
  // Telephone numbers: international; North American; national with a leading 0.
  [/\d{2}/, /(?<![\w.+])(?:\+|00)[1-9](?:[ ()./-]{0,2}\d){7,13}(?!\w)/g, '[phone]'],
  [/\d{4}/, /(?<![\w.-])(?:\(\d{3}\) ?|\d{3}[ .-])\d{3}[ .-]\d{4}(?![\w.-])/g, '[phone]'],
  [/0\d/, /(?<![\w.:-])0\d{2,4}(?:[ /-]\d(?:[ -]?\d){4,9}|\d{7,9})(?![\w:-])/g, '[phone]']
]

/** Returns the text with everything replaced that the patterns find. */
export function redact(text: string): string {
  let left = text
  for (const [needle, pattern, replacement] of rules) {
    if (!needle.test(left)) continue
    left = typeof replacement === 'string' ? left.replace(pattern, replacement) : left.replace(pattern, replacement)
  }
  return left
}

/** Removes control characters from the text, except line ends and tabs. */
export const printable = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out.
  text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g, ' ')
