/**
 * Journeys through the dashboard (tell-stories.ts): who is paged and notified, through which
 * channel, and how it ended.
 */
import { anotherTime } from './stories/another-time.ts'
import { channels } from './stories/channels.ts'
import { deliveries } from './stories/deliveries.ts'
import { discordApp } from './stories/discord-app.ts'
import { mailbox } from './stories/mailbox.ts'
import { onCall, onCallResponder } from './stories/on-call.ts'
import { policies } from './stories/policies.ts'
import { reach } from './stories/reach.ts'
import { slackApp } from './stories/slack-app.ts'
import { templates } from './stories/templates.ts'
import { tellStories } from './tell-stories.ts'

tellStories({
  'notification channels': channels,
  'the Slack app': slackApp,
  'the Discord app': discordApp,
  'message templates': templates,
  'how one is reached': reach,
  'on-call': onCall,
  'on-call as a responder': onCallResponder,
  'another time on call': anotherTime,
  'escalation policies': policies,
  mailbox,
  'who was told': deliveries
})
