/** Simulates Slack for the dashboard's stories, with one channel. */
import { APP, type SlackWorkspace, slackWorkspace } from '../channels/slack-web.ts'
import { type ChatPage, openChatPage } from './chat-page.ts'

export interface SlackPage extends ChatPage {
  slack: SlackWorkspace
}

/** Environment variables of a service that uses this app. */
export const slackEnvironment = {
  SERVICE_SLACK_CLIENT_ID: APP.client_id,
  SERVICE_SLACK_CLIENT_SECRET: APP.client_secret,
  SERVICE_SLACK_SIGNING_SECRET: 'signing-secret-of-slack'
}

export async function openSlack(port: number): Promise<SlackPage> {
  const slack = slackWorkspace()
  const room = slack.room('alerts')
  const page = await openChatPage({
    port,
    vendor: slack.vendor,
    authorize: '/oauth/v2/authorize',
    chosen: (code, redirect_uri) => slack.codes.set(code, { room: room.id, installer: 'U0INSTALL', redirect_uri })
  })
  return Object.assign(page, { slack })
}
