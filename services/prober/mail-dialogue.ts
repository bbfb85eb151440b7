/**
 * What is said to a mail server: banner, capabilities, STARTTLS, log-in. The commands differ by
 * protocol; their order is the same.
 */
import { CheckFailure } from './failure.ts'
import type { Lines } from './lines.ts'

export interface MailDialogue {
  /** The banner. */
  greet(lines: Lines): Promise<void>
  /** Returns the server's capabilities, in upper case. */
  capabilities(lines: Lines, helo: string): Promise<string[]>
  /** Asks for TLS. The handshake follows. */
  startTls(lines: Lines): Promise<void>
  logIn(lines: Lines, capabilities: readonly string[], username: string, password: string): Promise<void>
  /** Says goodbye, without waiting for the answer. */
  quit(lines: Lines): void
}

const protocol = (message: string) => new CheckFailure('protocol', message)
const refused = () => new CheckFailure('auth', 'The server refuses the user or the password')

/** Reads a reply. Its last line has a blank after the code. */
const smtpReply = async (lines: Lines): Promise<{ code: number; texts: string[] }> => {
  const said = await lines.until((line) => !/^\d{3}-/.test(line))
  const code = Number(/^(\d{3})(?: |$)/.exec(said.at(-1) ?? '')?.[1] ?? Number.NaN)
  if (Number.isNaN(code)) throw protocol('The server does not speak SMTP')
  return { code, texts: said.map((line) => line.slice(4).toUpperCase()) }
}

const smtp: MailDialogue = {
  async greet(lines) {
    const { code } = await smtpReply(lines)
    if (code !== 220) throw protocol(`The server greets with ${code}`)
  },
  async capabilities(lines, helo) {
    lines.send(`EHLO ${helo}`)
    const { code, texts } = await smtpReply(lines)
    if (code !== 250) throw protocol(`The server answers EHLO with ${code}`)
    return texts.slice(1)
  },
  async startTls(lines) {
    lines.send('STARTTLS')
    const { code } = await smtpReply(lines)
    if (code !== 220) throw protocol(`The server answers STARTTLS with ${code}`)
  },
  async logIn(lines, capabilities, username, password) {
    const methods = capabilities.find((line) => /^AUTH[ =]/.test(line)) ?? ''
    if (/\bPLAIN\b/.test(methods)) lines.send(`AUTH PLAIN ${Buffer.from(`\0${username}\0${password}`).toString('base64')}`)
    else if (/\bLOGIN\b/.test(methods)) {
      lines.send('AUTH LOGIN')
      if ((await smtpReply(lines)).code !== 334) throw refused()
      lines.send(Buffer.from(username).toString('base64'))
      if ((await smtpReply(lines)).code !== 334) throw refused()
      lines.send(Buffer.from(password).toString('base64'))
    } else throw protocol('The server offers no log-in by PLAIN or LOGIN')
    const { code } = await smtpReply(lines)
    if (code >= 500) throw refused()
    if (code !== 235) throw protocol(`The server answers the log-in with ${code}`)
  },
  quit: (lines) => lines.send('QUIT')
}

/** Puts a text in quotes. The text never contains a line end. */
const quoted = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`

async function imapReply(lines: Lines, tag: string, command: string): Promise<{ status: string; said: string[] }> {
  lines.send(`${tag} ${command}`)
  const said = await lines.until((line) => line.startsWith(`${tag} `))
  return { status: (said.at(-1) ?? '').split(' ')[1]?.toUpperCase() ?? '', said: said.map((line) => line.toUpperCase()) }
}

const imap: MailDialogue = {
  async greet(lines) {
    const line = await lines.line()
    if (!/^\* (OK|PREAUTH)\b/i.test(line))
      throw protocol(/^\* BYE\b/i.test(line) ? 'The server says goodbye at once' : 'The server does not speak IMAP')
  },
  async capabilities(lines) {
    const { status, said } = await imapReply(lines, 'm1', 'CAPABILITY')
    if (status !== 'OK') throw protocol('The server does not tell its capabilities')
    return said.filter((line) => line.startsWith('* CAPABILITY ')).flatMap((line) => line.split(' ').slice(2))
  },
  async startTls(lines) {
    if ((await imapReply(lines, 'm2', 'STARTTLS')).status !== 'OK') throw protocol('The server refuses STARTTLS')
  },
  async logIn(lines, _capabilities, username, password) {
    const { status } = await imapReply(lines, 'm3', `LOGIN ${quoted(username)} ${quoted(password)}`)
    if (status !== 'OK') throw refused()
  },
  quit: (lines) => lines.send('m4 LOGOUT')
}

async function pop3Reply(lines: Lines): Promise<boolean> {
  const line = await lines.line()
  if (!/^(\+OK|-ERR)\b/i.test(line)) throw protocol('The server does not speak POP3')
  return line.startsWith('+')
}

const pop3: MailDialogue = {
  async greet(lines) {
    if (!(await pop3Reply(lines))) throw protocol('The server greets with an error')
  },
  async capabilities(lines) {
    lines.send('CAPA')
    if (!(await pop3Reply(lines))) return []
    const said = await lines.until((line) => line === '.')
    return said.slice(0, -1).map((line) => line.toUpperCase())
  },
  async startTls(lines) {
    lines.send('STLS')
    if (!(await pop3Reply(lines))) throw protocol('The server refuses STLS')
  },
  async logIn(lines, _capabilities, username, password) {
    lines.send(`USER ${username}`)
    if (!(await pop3Reply(lines))) throw refused()
    lines.send(`PASS ${password}`)
    if (!(await pop3Reply(lines))) throw refused()
  },
  quit: (lines) => lines.send('QUIT')
}

export const dialogues = { smtp, imap, pop3 } as const
export type MailProtocol = keyof typeof dialogues

/** The keyword by which a server offers TLS. */
export const tlsWords: Readonly<Record<MailProtocol, string>> = { smtp: 'STARTTLS', imap: 'STARTTLS', pop3: 'STLS' }
