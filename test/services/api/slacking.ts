/** Sets up a service with the Slack app, and a fake Slack. */
import { slackSignature } from '../../../services/channels/slack-signature.ts'
import type { Teardown } from '../../harness/engines.ts'
import { type ContractServer, httpContractServer, type Vendor } from '../channels/contract.ts'
import { APP, type SlackWorkspace, slackWorkspace } from '../channels/slack-web.ts'
import { deployment, notifier } from '../notifier/channels.ts'
import { as, type Person, person } from './people.ts'
import { ORIGIN, type Stand, type StandOptions, stand, type Workspace } from './stand.ts'

export const SIGNING = '8f742231b10e8888abcd99yyyzzz85a5'
export const START = '/api/v1/notifications/oauth/slack/start'
export const CALLBACK = '/api/v1/notifications/oauth/slack/callback'

export interface Slacking {
  s: Stand
  server: ContractServer
  slack: SlackWorkspace
  /**
   * Texts that people are sent through an address of Slack, such as the later answers of a command.
   */
  told: { path: string; body: { text: string; response_type: string } }[]
}

/** `notifies`: run the jobs and deliveries, too. */
export async function slacking(
  t: Teardown,
  { notifies = false, ...options }: StandOptions & { notifies?: boolean } = {}
): Promise<Slacking> {
  const server = await httpContractServer(t)
  const slack = slackWorkspace()
  const told: Slacking['told'] = []
  const vendor: Vendor = (asked) => {
    if (asked.path.startsWith('/api/')) return slack.vendor(asked)
    told.push({ path: asked.path, body: JSON.parse(asked.body) })
    return { status: 200, body: 'ok', did: 'words', refused: false }
  }
  server.play(vendor, null)
  const base_urls = { slack: server.url }
  const s = await stand(t, {
    ...options,
    ...(notifies && { jobs: true as const }),
    config: {
      slackClientId: APP.client_id,
      slackClientSecret: APP.client_secret,
      slackSigningSecrets: [SIGNING],
      outboundBaseUrls: JSON.stringify(base_urls),
      ...options.config
    }
  })
  if (notifies) notifier(t, s, { deployment: { ...deployment, base_urls, slack: { ...APP } } })
  return { s, server, slack, told }
}

/** Follows a link as a browser does. */
export const open = ({ s }: Slacking, cookie: string, path: string) => s.call(null, 'GET', path, undefined, { headers: { cookie } })

/** Begins an install; returns the address to which Slack's page sends the person back. */
export async function begun(one: Slacking, cookie: string): Promise<{ state: string; redirect_uri: string; url: URL }> {
  const answer = await open(one, cookie, START)
  if (answer.statusCode !== 302) throw new Error(`${answer.statusCode} ${answer.body}`)
  const url = new URL(String(answer.headers.location))
  return { state: url.searchParams.get('state') ?? '', redirect_uri: url.searchParams.get('redirect_uri') ?? '', url }
}

let codes = 0

/**
 * Plays Slack's page: a person chooses a room and is sent back. Returns the address where the
 * person ends.
 */
export async function allowed(
  one: Slacking,
  cookie: string,
  room: string,
  over: { state?: string; scope?: string; enterprise?: true } = {}
): Promise<string> {
  const { redirect_uri, ...found } = await begun(one, cookie)
  const { state = found.state, ...more } = over
  const code = `code-${++codes}`
  one.slack.codes.set(code, { room, installer: 'U0INSTALL', redirect_uri, ...more })
  const answer = await open(one, cookie, `${CALLBACK}?${new URLSearchParams({ code, state })}`)
  if (answer.statusCode !== 302) throw new Error(`${answer.statusCode} ${answer.body}`)
  return String(answer.headers.location).slice(ORIGIN.length)
}

/** Returns the channel that an install creates. */
export async function installed(one: Slacking, cookie: string, room: string): Promise<string> {
  const at = await allowed(one, cookie, room)
  const [, id] = /^\/settings\/channels\/([0-9a-f-]{36})$/.exec(at) ?? []
  if (id === undefined) throw new Error(`the install ended at ${at}`)
  return id
}

/** Sends a signed call of Slack. */
export function slackCalls({ s }: Slacking, path: string, body: string, type = 'application/x-www-form-urlencoded') {
  const timestamp = String(Math.floor(Date.now() / 1000))
  return s.app.inject({
    method: 'POST',
    url: path,
    headers: {
      'content-type': type,
      'x-slack-request-timestamp': timestamp,
      'x-slack-signature': slackSignature(SIGNING, timestamp, Buffer.from(body))
    },
    payload: body
  })
}

export const channelOf = async ({ s }: Slacking, home: Workspace, id: string) =>
  (await s.call(home, 'GET', `/api/v1/notifications/channels/${id}`)).json()

/** Creates a private team, a person who leads it, and a person who does not see it. */
export async function secretTeam(s: Stand, home: Workspace): Promise<{ team_id: string; lead: Person; outsider: Person }> {
  const lead = await person(s, home, 'lead', 'editor')
  const outsider = await person(s, home, 'outsider', 'editor')
  const made = await as(s, lead, 'POST', '/api/v1/teams', { name: 'Secret', visibility: 'private' })
  if (made.statusCode !== 201) throw new Error(made.body)
  return { team_id: made.json().id, lead, outsider }
}
