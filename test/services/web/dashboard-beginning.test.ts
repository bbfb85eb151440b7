/**
 * Journeys through the dashboard (tell-stories.ts): first steps, what sends alerts, lists, and
 * settings.
 */
import { integrations } from './stories/integrations.ts'
import { languages } from './stories/languages.ts'
import { locations } from './stories/locations.ts'
import { rows } from './stories/rows.ts'
import { settings } from './stories/settings.ts'
import { welcome } from './stories/welcome.ts'
import { tellStories } from './tell-stories.ts'

tellStories({
  'first steps': welcome,
  'rows of lists': rows,
  locations,
  settings,
  integrations,
  'zones and languages': languages
})
