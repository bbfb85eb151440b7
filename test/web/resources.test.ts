/** The dashboard, what a workspace has: heartbeats, monitors, integrations, settings. */
import { heartbeats } from './stories/heartbeats.ts'
import { integrations } from './stories/integrations.ts'
import { monitors } from './stories/monitors.ts'
import { settings } from './stories/settings.ts'
import { tellStories } from './tell-stories.ts'

tellStories({ heartbeats, monitors, settings, integrations })
