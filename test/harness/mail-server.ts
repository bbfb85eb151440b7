/**
 * Runs another project's mail server (aiosmtpd) next to a test. Python's own library parses the
 * mails that it receives.
 */
import { createConnection } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { projectRoot } from '../../schemas/files.ts'
import type { Teardown } from './engines.ts'
import { freePort } from './free-ports.ts'
import { pythonWith } from './python.ts'
import { until } from './until.ts'

export interface Mail {
  to: string[]
  headers: Record<string, string>
  /** Text of each part, by media type. */
  parts: Record<string, string>
}

export interface MailServer {
  url: string
  /** All mails received so far. */
  mails: Mail[]
  close(): Promise<void>
}

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = createConnection({ port, host: '127.0.0.1' })
    socket.once('data', () => {
      resolve(true)
      socket.destroy()
    })
    socket.once('error', () => resolve(false))
  })

export async function mailServer(t: Teardown): Promise<MailServer> {
  const python = await pythonWith(['aiosmtpd==1.4.6'])
  const port = await freePort()
  const child = python.start(join(projectRoot, 'test/services/delivery/smtp-server.py'), { PORT: String(port) })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  let said = ''
  child.stderr.on('data', (piece: Buffer) => {
    said += piece
  })
  const mails: Mail[] = []
  createInterface({ input: child.stdout }).on('line', (line) => mails.push(JSON.parse(line) as Mail))
  const close = async (): Promise<void> => {
    child.stdin.end()
    await ended
  }
  t.teardown(close)
  await until('the mail server to answer', () => {
    if (child.exitCode !== null) throw new Error(`the mail server ended: ${said}`)
    return answers(port)
  })
  return { url: `smtp://127.0.0.1:${port}`, mails, close }
}
