/**
 * Journeys through the dashboard (tell-stories.ts).
 * What people see first, and their work on incidents.
 */
import { afterwards } from './stories/after-an-incident.ts'
import { escalation } from './stories/escalation.ts'
import { feed } from './stories/feed.ts'
import { incidents } from './stories/incidents.ts'
import { live } from './stories/live.ts'
import { login } from './stories/login.ts'
import { manyIncidents } from './stories/many-incidents.ts'
import { overview } from './stories/overview.ts'
import { tellStories } from './tell-stories.ts'

tellStories({
  'logging in': login,
  live,
  feed,
  overview,
  incidents,
  'many incidents': manyIncidents,
  'after an incident': afterwards,
  'escalation of an incident': escalation
})
