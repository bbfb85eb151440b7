/** The dashboard, what a workspace watches: heartbeats, monitors. */
import { heartbeats } from './stories/heartbeats.ts'
import { monitors } from './stories/monitors.ts'
import { tellStories } from './tell-stories.ts'

tellStories({ heartbeats, monitors })
