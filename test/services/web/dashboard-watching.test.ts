/**
 * Journeys through the dashboard (tell-stories.ts): what is watched, that is monitors and
 * heartbeats.
 */
import { captures } from './stories/captures.ts'
import { certificates } from './stories/certificates.ts'
import { groups } from './stories/groups.ts'
import { heartbeats } from './stories/heartbeats.ts'
import { manyMonitors } from './stories/many-monitors.ts'
import { monitors } from './stories/monitors.ts'
import { rulesOfWatching } from './stories/rules-of-watching.ts'
import { tryIt } from './stories/try-it.ts'
import { tellStories } from './tell-stories.ts'

tellStories({
  certificates,
  heartbeats,
  monitors,
  'rules of watching': rulesOfWatching,
  'groups of monitors': groups,
  'many monitors': manyMonitors,
  'tried before saving': tryIt,
  'kept answers': captures
})
