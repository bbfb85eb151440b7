/**
 * Journeys of people through the dashboard, in a real Chromium against the whole product: a story
 * for each page and each way to begin, in both schemes and at the widths of a desk and a phone. One
 * product serves the stories of a file, one after the other; a story makes what it needs and leaves
 * nothing that others would trip over.
 */
import t from 'tap'
import { openStage, type Stage, type Story } from './stage.ts'

/** `STORY=<part of a name>` tells those alone. */
export function tellStories(stories: Readonly<Record<string, Story>>): void {
  const wanted = process.env.STORY ?? ''
  t.setTimeout(580_000)
  let stage: Stage
  t.before(async () => {
    stage = await openStage()
  })
  t.teardown(() => stage?.close())
  for (const [name, story] of Object.entries(stories)) if (name.includes(wanted)) t.test(name, (t) => story(t, stage))
}
