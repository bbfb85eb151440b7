/**
 * Journeys through the dashboard (tell-stories.ts).
 * What comes by itself, also while the gateway is killed, which others would see.
 */
import { live } from './stories/live.ts'
import { tellStories } from './tell-stories.ts'

tellStories({ live }, { alone: true })
