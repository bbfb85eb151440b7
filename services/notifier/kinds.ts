/**
 * Says how long each kind of job is tried. A job that fails waits 2 s, 4 s, 8 s, … between
 * attempts, at most `longestMs`. After `attempts` attempts it is given up and goes to `dead_jobs`,
 * where an operator finds it (`npm run jobs`). The work of that job is then not done by itself.
 *
 *   kind               tried for about   what is missing after it is given up
 *   escalation_step    8 h               the rest of that run; a person can escalate by hand
 *   ack_timeout        8 h               the acknowledgement stays
 *   verification_send  45 min            no mail; the address stays unconfirmed
 *   password_reset     45 min            no mail; the person asks again
 *   war_room_open      15 s              the room is told as failed; people may ask again
 *   incident_chat      40 h              messages in chats stay as they were
 *   chat_uninstall     40 h              the app stays in the vendor's workspace
 *   silence_end        40 h              the silence stays on the incident, its end has passed
 *   incident_reopen    40 h              the incident of what still fails
 *   degraded_end       40 h              the incident stays open until the monitor is well again
 *   schedule_anew      40 h              who is on call stays as the former order of overrides says
 *   monitor_resume     40 h              the monitor stays paused
 *   heartbeat_resume   40 h              the heartbeat stays paused
 *   heartbeat_unpause  40 h              it is judged, and shown as paused until somebody resumes it
 *   maintenance_turn   40 h              the window's further begins and ends; a change of it starts them anew
 *   maintenance_watch  40 h              the pause of a monitor or heartbeat, or its end
 *   digest             40 h              that person's digests, until they set them again
 * A kind that is not named is tried as `others`.
 * Source: docs/design/architecture.md#s6-jobs.
 */
export interface Patience {
  attempts: number
  longestMs: number
}

const MINUTE_MS = 60_000
const soon: Patience = { attempts: 100, longestMs: 5 * MINUTE_MS }
/** What is sent is useless after a short time. */
const shortly: Patience = { attempts: 15, longestMs: 5 * MINUTE_MS }
const others: Patience = { attempts: 50, longestMs: 60 * MINUTE_MS }

const kinds: Readonly<Record<string, Patience>> = {
  escalation_step: soon,
  ack_timeout: soon,
  verification_send: shortly,
  password_reset: shortly
}

export const patienceOf = (kind: string): Patience => kinds[kind] ?? others

/**
 * Returns the milliseconds before the next attempt, after `attempts` attempts; null when there is
 * no next one.
 */
export function waitAfter(kind: string, attempts: number): number | null {
  const { attempts: most, longestMs } = patienceOf(kind)
  return attempts >= most ? null : Math.min(1000 * 2 ** Math.min(attempts, 30), longestMs)
}
