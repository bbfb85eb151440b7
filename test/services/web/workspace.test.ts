/** The dashboard, what a workspace is and hears: settings, integrations. */
import { integrations } from './stories/integrations.ts'
import { settings } from './stories/settings.ts'
import { tellStories } from './tell-stories.ts'

tellStories({ settings, integrations })
