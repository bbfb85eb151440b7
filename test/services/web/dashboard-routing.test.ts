/**
 * Journeys through the dashboard (tell-stories.ts): alerts, routing rules, silences, maintenance
 * and teams.
 */
import { alerts } from './stories/alerts.ts'
import { maintenance } from './stories/maintenance.ts'
import { silences } from './stories/silences.ts'
import { teams } from './stories/teams.ts'
import { tellStories } from './tell-stories.ts'

tellStories({
  'alerts and routing': alerts,
  'silences and back-tests': silences,
  maintenance,
  teams
})
