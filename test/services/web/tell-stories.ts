/**
 * Runs stories: journeys of people through the dashboard, in a real Chromium against the whole
 * product. There is a story for each page and each way to begin, at the widths of a desk and a
 * phone, examined in both colour schemes. The stories of a file run one after the other in a
 * workspace that no other file uses. Each story makes what it needs and leaves nothing that would
 * disturb the others. `STORY=<part of a name>` runs only the stories with matching names.
 */
import t from 'tap'
import { openStage, type Stage, type Story } from './stage.ts'

/** A file takes minutes, and a busy machine must not make it fail. */
const TIMEOUT_MS = 2_400_000

/**
 * Runs each story as a test with its name. `alone`: on a product that no other file uses;
 * `timeout`: limit of the file, in ms, by which a run judges how long it takes (lanes.ts).
 */
export function tellStories(stories: Readonly<Record<string, Story>>, { alone = false, timeout = TIMEOUT_MS } = {}): void {
  t.setTimeout(timeout)
  let stage: Stage
  t.before(async () => {
    stage = await openStage({ alone })
  })
  t.teardown(() => stage?.close())
  const wanted = process.env.STORY ?? ''
  for (const [name, story] of Object.entries(stories)) if (name.includes(wanted)) t.test(name, (t) => story(t, stage))
}
