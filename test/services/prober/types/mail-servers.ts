/** Mail servers: those of other projects for the good cases, and scripted ones for the failures. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { TLSSocket } from 'node:tls'
import { SMTPServer } from 'smtp-server'
import { program } from '../../../harness/debian.ts'
import { freePort } from '../../../harness/free-ports.ts'
import { until } from '../../../harness/until.ts'
import { tcp } from '../stand.ts'
import type { Stage } from './cases.ts'

type Pair = { key: string; cert: string }

export const USER = 'ann'
export const PASSWORD = 'right'

export async function smtpServer(stage: Stage, pair: Pair, options: { secure?: boolean; hidesTls?: boolean } = {}): Promise<number> {
  const server = new SMTPServer({
    ...pair,
    secure: options.secure ?? false,
    hideSTARTTLS: options.hidesTls ?? false,
    authOptional: true,
    authMethods: ['PLAIN', 'LOGIN'],
    logger: false,
    onAuth({ username, password }, _session, done) {
      if (username === USER && password === PASSWORD) done(null, { user: username })
      else done(new Error('hunter2'))
    }
  })
  server.on('error', () => undefined)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  stage.teardown(() => new Promise<void>((resolve) => server.close(resolve)))
  return (server.server.address() as AddressInfo).port
}

export interface Dovecot {
  imap: number
  imaps: number
  pop3: number
  pop3s: number
}

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('data', () => {
      resolve(true)
      socket.destroy()
    })
    socket.once('error', () => resolve(false)).once('close', () => resolve(false))
  })

/** Settings that version 2.4 writes differently from 2.3. */
const settings: Readonly<Record<'2.3' | '2.4', (folder: string) => string>> = {
  '2.3': (folder) => `
ssl_cert = <${folder}/cert.pem
ssl_key = <${folder}/key.pem
mail_location = maildir:${folder}/mail
passdb {
  driver = static
  args = password=${PASSWORD}
}
userdb {
  driver = static
  args = uid=mail gid=mail home=${folder}/home
}`,
  '2.4': (folder) => `
dovecot_config_version = 2.4.0
dovecot_storage_version = 2.4.0
ssl_server_cert_file = ${folder}/cert.pem
ssl_server_key_file = ${folder}/key.pem
mail_driver = maildir
mail_path = ${folder}/mail
passdb static {
  password = ${PASSWORD}
}
userdb static {
  fields {
    uid = mail
    gid = mail
    home = ${folder}/home
  }
}`
}

const listener = (name: string, port: number): string => `  inet_listener ${name} {\n    port = ${port}\n  }\n`

/**
 * Starts Dovecot for imap and pop3. It needs root, because each of its processes has its own user.
 */
export async function dovecot(stage: Stage, pair: Pair): Promise<Dovecot> {
  await program('/usr/lib/dovecot/pop3-login', 'dovecot-pop3d')
  await program('/usr/lib/dovecot/imap-login', 'dovecot-imapd')
  const path = await program('dovecot', 'dovecot-core')
  const version = execFileSync(path, ['--version'], { encoding: 'utf8' }).startsWith('2.3') ? '2.3' : '2.4'
  const folder = mkdtempSync(join(tmpdir(), 'dovecot-test-'))
  chmodSync(folder, 0o755)
  writeFileSync(join(folder, 'key.pem'), pair.key)
  writeFileSync(join(folder, 'cert.pem'), pair.cert)
  const [imap, imaps, pop3, pop3s] = [await freePort(), await freePort(), await freePort(), await freePort()]
  // If the version must be given, it comes first.
  const text = `${settings[version](folder)}
base_dir = ${folder}/run
state_dir = ${folder}/state
log_path = ${folder}/log
protocols = imap pop3
listen = 127.0.0.1
ssl = yes
auth_mechanisms = plain login
auth_failure_delay = 0
first_valid_uid = 1
service imap-login {
${listener('imap', imap)}${listener('imaps', imaps)}}
service pop3-login {
${listener('pop3', pop3)}${listener('pop3s', pop3s)}}
`
  writeFileSync(join(folder, 'dovecot.conf'), text.trimStart())
  const child = spawn(path, ['-F', '-c', join(folder, 'dovecot.conf')], { stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  child.stderr.on('data', (piece) => {
    said += String(piece)
  })
  stage.teardown(async () => {
    if (child.exitCode === null) {
      const gone = once(child, 'exit')
      child.kill()
      await gone
    }
    rmSync(folder, { recursive: true, force: true })
  })
  await until('dovecot to answer', async () => {
    if (child.exitCode !== null) throw new Error(`dovecot ended: ${said}`)
    return (await answers(imap)) && (await answers(pop3))
  })
  return { imap, imaps, pop3, pop3s }
}

/**
 * Starts a server that greets, and answers each line by the first rule whose expression matches. A
 * reply of null closes the connection. With `pair` it supports STARTTLS.
 */
export function scripted(stage: Stage, greeting: string, rules: readonly [RegExp, string | null][], pair?: Pair): Promise<number> {
  return tcp(stage, (plain) => {
    const serve = (socket: NodeJS.WritableStream & NodeJS.ReadableStream): void => {
      let text = ''
      socket.on('data', (data: Buffer) => {
        text += data.toString('latin1')
        for (let end = text.indexOf('\r\n'); end >= 0; end = text.indexOf('\r\n')) {
          const line = text.slice(0, end)
          text = text.slice(end + 2)
          const [, reply] = rules.find(([expression]) => expression.test(line)) ?? []
          if (reply === null || reply === undefined) {
            socket.end()
            return
          }
          socket.write(reply)
          if (pair && /STARTTLS|STLS/.test(line)) {
            plain.removeAllListeners('data')
            const secured = new TLSSocket(plain, { isServer: true, ...pair })
            secured.on('error', () => undefined)
            serve(secured)
            return
          }
        }
      })
    }
    plain.write(greeting)
    serve(plain)
  })
}
