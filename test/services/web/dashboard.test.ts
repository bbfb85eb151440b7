/**
 * Journeys of people through the dashboard, in a real Chromium against the whole product: a story
 * for each page and each way to begin, in both schemes and at the widths of a desk and a phone. One
 * product serves all of them, one after the other; a story makes what it needs and leaves nothing
 * that others would trip over. `STORY=<part of a name>` tells those alone.
 */
import t from 'tap'
import { openStage, type Stage, type Story } from './stage.ts'
import { afterwards } from './stories/after-an-incident.ts'
import { alerts } from './stories/alerts.ts'
import { channels } from './stories/channels.ts'
import { deliveries } from './stories/deliveries.ts'
import { escalation } from './stories/escalation.ts'
import { feed } from './stories/feed.ts'
import { heartbeats } from './stories/heartbeats.ts'
import { incidents } from './stories/incidents.ts'
import { integrations } from './stories/integrations.ts'
import { live } from './stories/live.ts'
import { login } from './stories/login.ts'
import { mailbox } from './stories/mailbox.ts'
import { monitors } from './stories/monitors.ts'
import { onCall } from './stories/on-call.ts'
import { overview } from './stories/overview.ts'
import { policies } from './stories/policies.ts'
import { reach } from './stories/reach.ts'
import { settings } from './stories/settings.ts'
import { silences } from './stories/silences.ts'
import { teams } from './stories/teams.ts'
import { welcome } from './stories/welcome.ts'

// It takes ten minutes; a machine that does much else must not fail it.
t.setTimeout(1_500_000)

const stories: Readonly<Record<string, Story>> = {
  'logging in': login,
  live,
  feed,
  overview,
  incidents,
  'after an incident': afterwards,
  'first steps': welcome,
  heartbeats,
  monitors,
  settings,
  integrations,
  'alerts and routing': alerts,
  'silences and back-tests': silences,
  teams,
  'notification channels': channels,
  'how one is reached': reach,
  'on-call': onCall,
  'escalation policies': policies,
  'escalation of an incident': escalation,
  mailbox,
  'who was told': deliveries
}

let stage: Stage
t.before(async () => {
  stage = await openStage()
})
t.teardown(() => stage?.close())

const wanted = process.env.STORY ?? ''
for (const [name, story] of Object.entries(stories)) if (name.includes(wanted)) t.test(name, (t) => story(t, stage))
