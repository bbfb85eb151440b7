/**
 * A contract server for SMTP, as far as one client needs it. It gives a fault's answer at the
 * command that the fault names, and at the next commands too, until the fault is over.
 */
import { type AddressInfo, createServer, type Socket } from 'node:net'
import type { Teardown } from '../../harness/engines.ts'
import { type ContractServer, createStage, type Fault, type Vendor } from './contract.ts'

const CRLF = '\r\n'

/** Returns the headers of a mail, unfolded, with names in lower case. */
function headersOf(mail: string): Record<string, string> {
  const [head = ''] = mail.split(CRLF + CRLF, 1)
  return Object.fromEntries(
    head
      .replace(/\r\n[ \t]+/g, ' ')
      .split(CRLF)
      .map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()])
  )
}

interface Session {
  recipient: string
  /** Null while it reads commands. */
  data: string[] | null
}

export async function smtpContractServer(t: Teardown): Promise<ContractServer> {
  const stage = createStage()
  const sockets = new Set<Socket>()
  let fault: Fault | null = null

  /**
   * Tells at which command the fault answers. On a silent connection the server does not even
   * greet.
   */
  const failsAt = (command: string): boolean =>
    fault !== null && (fault.answer === 'silence' ? command === 'GREET' : command === (fault.answer.command ?? 'DATA'))

  function reply(socket: Socket, session: Session, mail: string, otherwise: string): void {
    const answer = stage.judge({ method: 'MAIL', path: session.recipient, headers: headersOf(mail), body: mail })
    if (stage.heard.length >= (fault?.times ?? Number.POSITIVE_INFINITY)) fault = null
    if (answer === null) return
    const { status, body = '' } = answer
    socket.write(
      typeof body === 'string' && body !== '' ? `${status === 200 ? body : `${status} ${body}`}${CRLF}` : `${status} ${otherwise}${CRLF}`
    )
  }

  /** Returns the answer to a command; null if a fault has already answered. */
  function answerTo(socket: Socket, session: Session, line: string): string | null {
    const [verb = ''] = line.toUpperCase().split(' ', 1)
    switch (verb) {
      case 'EHLO':
        return '250 contract'
      case 'QUIT':
        return '221 bye'
      case 'DATA':
        session.data = []
        return '354 go on'
      case 'RCPT':
        session.recipient = /<([^>]*)>/.exec(line)?.[1] ?? ''
        break
      case 'MAIL':
      case 'RSET':
      case 'NOOP':
        break
      default:
        return '500 what?'
    }
    if (!failsAt(verb)) return '250 OK'
    reply(socket, session, '', 'no')
    return null
  }

  const server = createServer((socket) => {
    const session: Session = { recipient: '', data: null }
    let rest = ''
    sockets.add(socket)
    socket.setEncoding('utf8')
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => undefined)
    socket.on('data', (piece: string) => {
      const lines = (rest + piece).split(CRLF)
      rest = lines.pop() ?? ''
      for (const line of lines) {
        if (session.data === null) {
          const said = answerTo(socket, session, line)
          if (said !== null) socket.write(said + CRLF)
        } else if (line !== '.') session.data.push(line.replace(/^\./, ''))
        else {
          const mail = session.data.join(CRLF)
          session.data = null
          reply(socket, session, mail, 'taken')
        }
      }
    })
    if (failsAt('GREET')) reply(socket, session, '', '')
    else socket.write(`220 contract ESMTP${CRLF}`)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
  const play = (vendor: Vendor, next: Fault | null): void => {
    fault = next
    stage.play(vendor, next)
    // A client that keeps its connections must open new ones.
    for (const socket of sockets) socket.destroy()
  }
  return { ...stage, heard: stage.heard, play, url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}` }
}
