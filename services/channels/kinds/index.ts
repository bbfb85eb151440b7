// Written by `npm run generate` from this folder's listing. Never edited by hand.
import type { ChannelKind, MethodKind } from '../../../schemas/http/notification-words.ts'
import type { Channel } from '../channel.ts'
import { channel as apprise } from './apprise.ts'
import { channel as discord } from './discord.ts'
import { channel as email } from './email.ts'
import { channel as freshservice } from './freshservice.ts'
import { channel as googlechat } from './googlechat.ts'
import { channel as gotify } from './gotify.ts'
import { channel as jira } from './jira.ts'
import { channel as linear } from './linear.ts'
import { channel as matrix } from './matrix.ts'
import { channel as mattermost } from './mattermost.ts'
import { channel as msteams } from './msteams.ts'
import { channel as ntfy } from './ntfy.ts'
import { channel as opsgenie } from './opsgenie.ts'
import { channel as pagerduty } from './pagerduty.ts'
import { channel as push } from './push.ts'
import { channel as pushbullet } from './pushbullet.ts'
import { channel as pushover } from './pushover.ts'
import { channel as rocketchat } from './rocketchat.ts'
import { channel as servicenow } from './servicenow.ts'
import { channel as slack } from './slack.ts'
import { channel as slack_dm } from './slack_dm.ts'
import { channel as sms } from './sms.ts'
import { channel as sns } from './sns.ts'
import { channel as telegram } from './telegram.ts'
import { channel as victorops } from './victorops.ts'
import { channel as voice } from './voice.ts'
import { channel as webhook } from './webhook.ts'
import { channel as zendesk } from './zendesk.ts'

/** Every kind that is built. */
export const channels: Readonly<Partial<Record<ChannelKind | MethodKind, Channel>>> = {
  apprise,
  discord,
  email,
  freshservice,
  googlechat,
  gotify,
  jira,
  linear,
  matrix,
  mattermost,
  msteams,
  ntfy,
  opsgenie,
  pagerduty,
  push,
  pushbullet,
  pushover,
  rocketchat,
  servicenow,
  slack,
  slack_dm,
  sms,
  sns,
  telegram,
  victorops,
  voice,
  webhook,
  zendesk
}
