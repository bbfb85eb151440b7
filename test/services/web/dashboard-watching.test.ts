/**
 * Journeys through the dashboard (tell-stories.ts).
 * First steps, what is watched, what sends alerts, and settings.
 */
import { captures } from './stories/captures.ts'
import { certificates } from './stories/certificates.ts'
import { groups } from './stories/groups.ts'
import { heartbeats } from './stories/heartbeats.ts'
import { integrations } from './stories/integrations.ts'
import { languages } from './stories/languages.ts'
import { locations } from './stories/locations.ts'
import { manyMonitors } from './stories/many-monitors.ts'
import { monitors } from './stories/monitors.ts'
import { rows } from './stories/rows.ts'
import { rulesOfWatching } from './stories/rules-of-watching.ts'
import { settings } from './stories/settings.ts'
import { tryIt } from './stories/try-it.ts'
import { welcome } from './stories/welcome.ts'
import { tellStories } from './tell-stories.ts'

tellStories({
  'first steps': welcome,
  certificates,
  heartbeats,
  monitors,
  'rules of watching': rulesOfWatching,
  locations,
  'groups of monitors': groups,
  'many monitors': manyMonitors,
  'tried before saving': tryIt,
  'kept answers': captures,
  'rows of lists': rows,
  settings,
  integrations,
  'zones and languages': languages
})
