/**
 * Journeys of people through the dashboard, in a real Chromium against the whole product: a story
 * for each page and each way to begin, at the widths of a desk and a phone, and looked at in both
 * schemes. The stories of a file come one after the other in a workspace that no other file uses;
 * each makes what it needs and leaves nothing that others would trip over.
 * `STORY=<part of a name>` tells those alone.
 */
import t from 'tap'
import { openStage, type Stage, type Story } from './stage.ts'

/** A file takes minutes; a machine that does much else must not fail it. */
const TIMEOUT_MS = 2_400_000

/** Each story is a test by its name; `alone`: on a product that no other file uses. */
export function tellStories(stories: Readonly<Record<string, Story>>, { alone = false } = {}): void {
  t.setTimeout(TIMEOUT_MS)
  let stage: Stage
  t.before(async () => {
    stage = await openStage({ alone })
  })
  t.teardown(() => stage?.close())
  const wanted = process.env.STORY ?? ''
  for (const [name, story] of Object.entries(stories)) if (name.includes(wanted)) t.test(name, (t) => story(t, stage))
}
