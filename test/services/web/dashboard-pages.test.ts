/** Visits every page of the dashboard and every dialog that opens from it (tell-stories.ts). */
import { everyPage } from './stories/every-page.ts'
import { tellStories } from './tell-stories.ts'

tellStories({ 'layout of every page': everyPage }, { timeout: 1_500_000 })
