/**
 * Journeys through the dashboard (tell-stories.ts): what people see first, and their work on
 * incidents.
 */
import { afterwards } from './stories/after-an-incident.ts'
import { dailyWork } from './stories/daily-work.ts'
import { escalation } from './stories/escalation.ts'
import { feed } from './stories/feed.ts'
import { incidents } from './stories/incidents.ts'
import { login } from './stories/login.ts'
import { lookingBack } from './stories/looking-back.ts'
import { manyIncidents } from './stories/many-incidents.ts'
import { overview } from './stories/overview.ts'
import { sameKeys, twoTabs } from './stories/two-tabs.ts'
import { unread } from './stories/unread.ts'
import { tellStories } from './tell-stories.ts'

tellStories({
  'logging in': login,
  feed,
  overview,
  incidents,
  'many incidents': manyIncidents,
  'after an incident': afterwards,
  'daily work': dailyWork,
  'looking back': lookingBack,
  'readings that fail': unread,
  'a switch that another tab makes': twoTabs,
  'the same key in two workspaces': sameKeys,
  'escalation of an incident': escalation
})
