/**
 * Slack with its app: the Web API reports errors with status 200, and messages are edited in place.
 * Source: docs/design/outbound-channels.md#s3-1.
 */
import { SLACK_SCOPES } from '../../../../../services/channels/apps/slack.ts'
import type { SlackInstall } from '../../../../../services/channels/slack-app.ts'
import { type Contract, RETRY_AFTER_SECONDS, withHeader, withJson } from '../../contract.ts'
import { slackWorkspace } from '../../slack-web.ts'

const ROOM = 'C00000001'

const install = (bot_token: string): SlackInstall => ({
  ...{ mode: 'oauth', team_id: 'T0001', team_name: 'Acme Chat', channel_id: ROOM, channel_name: '#alerts' },
  bot_token
})

const says = (error: string) => ({ answer: { status: 200, body: { ok: false, error } }, name: `200 ${error}` })

export const contract: Contract<SlackInstall> = {
  config: () => install('xoxb-T0001-000001'),
  rotated: () => install('xoxb-T0001-000002'),
  installed: ({ mode: _mode, ...config }) => ({ name: '#alerts in Acme Chat', config, installer: 'U0INSTALL' }),
  vendor({ bot_token = '', channel_id }) {
    const slack = slackWorkspace()
    slack.room('alerts', { id: channel_id })
    slack.tokens.set(bot_token, { scope: SLACK_SCOPES.join(',') })
    return slack.vendor
  },
  faults: {
    '400': says('invalid_arguments'),
    '401': says('invalid_auth'),
    '404': says('channel_not_found'),
    '429': {
      answer: { status: 429, headers: { 'retry-after': String(RETRY_AFTER_SECONDS) }, body: { ok: false, error: 'ratelimited' } },
      times: 1
    }
  },
  wrong: {
    'another credential': withHeader('authorization', 'Bearer xoxb-made-up'),
    'another room': withJson((body) => ({ ...body, channel: 'C9' })),
    'blocks that are none': withJson((body) => ({ ...body, blocks: [{ type: 'poem' }] })),
    'a form in place of JSON': withHeader('content-type', 'text/plain')
  },
  checked: '`@slack/web-api`, the vendor’s own client: what it sends is taken by the same contract server, and has the fields of ours',
  row: {
    create: 'nothing → saved',
    test: 'message → arrived',
    down: 'message → sent',
    update: 'edit → sent',
    acknowledge: 'edit → sent',
    recover: 'edit, reply → sent',
    rotate: 'message → sent',
    '400': '200 invalid_arguments → failed',
    '401': '200 invalid_auth → failed, channel off',
    '404': '200 channel_not_found → failed, channel off',
    '413': '413 → failed',
    '429': '429 (10 min), message → sent',
    '500': '500, message → sent',
    timeout: 'no answer, message → sent',
    malformed: 'nonsense, message → sent'
  }
}
