/**
 * Slack for the dashboard's stories: its page that adds an app says yes at once, with the first
 * room, or no where its address says so.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { APP, type SlackWorkspace, slackWorkspace } from '../channels/slack-web.ts'

export interface SlackPage {
  slack: SlackWorkspace
  /** Of a service whose app it is. */
  environment: Record<string, string>
  /** What the person answers there from now on. */
  says: 'yes' | 'no'
  close(): Promise<void>
}

export async function openSlack(): Promise<SlackPage> {
  const slack = slackWorkspace()
  const room = slack.room('alerts')
  let codes = 0
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8')
    request.on('data', (piece: string) => {
      body += piece
    })
    request.on('end', () => {
      const { pathname, searchParams } = new URL(request.url ?? '/', 'http://slack.test')
      if (pathname === '/oauth/v2/authorize') {
        const redirect_uri = searchParams.get('redirect_uri') ?? ''
        const code = `code-${++codes}`
        slack.codes.set(code, { room: room.id, installer: 'U0INSTALL', redirect_uri })
        const answer = page.says === 'yes' ? { code } : { error: 'access_denied' }
        const back = new URLSearchParams({ ...answer, state: searchParams.get('state') ?? '' })
        return response.writeHead(302, { location: `${redirect_uri}?${back}` }).end()
      }
      const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
      const answer = slack.vendor({ method: request.method ?? '', path: pathname, headers, body })
      response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers }).end(JSON.stringify(answer.body))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const page: SlackPage = {
    slack,
    environment: {
      SERVICE_SLACK_CLIENT_ID: APP.client_id,
      SERVICE_SLACK_CLIENT_SECRET: APP.client_secret,
      SERVICE_SLACK_SIGNING_SECRET: 'signing-secret-of-slack',
      OUTBOUND_BASE_URLS_JSON: JSON.stringify({ slack: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
    },
    says: 'yes',
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      })
  }
  return page
}
