/**
 * The dashboard, what needs somebody now: logging in, staying live, the feed, overview, incidents,
 * and the first steps of a newcomer.
 */
import { feed } from './stories/feed.ts'
import { incidents } from './stories/incidents.ts'
import { live } from './stories/live.ts'
import { login } from './stories/login.ts'
import { overview } from './stories/overview.ts'
import { welcome } from './stories/welcome.ts'
import { tellStories } from './tell-stories.ts'

tellStories({ 'logging in': login, live, feed, overview, incidents, 'first steps': welcome })
