/**
 * Journeys through the dashboard (tell-stories.ts): live updates, also while the gateway is killed.
 * It has a product of its own, because other stories would notice.
 */
import { live } from './stories/live.ts'
import { tellStories } from './tell-stories.ts'

tellStories({ live }, { alone: true })
