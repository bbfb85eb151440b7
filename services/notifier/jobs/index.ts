// Written by `npm run generate` from this folder's listing. Never edited by hand.
import type { Runs } from '../job.ts'
import { run as ackTimeout } from './ack-timeout.ts'
import { run as chatTeam } from './chat-team.ts'
import { run as chatUninstall } from './chat-uninstall.ts'
import { run as degradedEnd } from './degraded-end.ts'
import { run as dependencyEnd } from './dependency-end.ts'
import { run as digest } from './digest.ts'
import { run as escalationStep } from './escalation-step.ts'
import { run as feedNotice } from './feed-notice.ts'
import { run as heartbeatResume } from './heartbeat-resume.ts'
import { run as heartbeatUnpause } from './heartbeat-unpause.ts'
import { run as holdEnd } from './hold-end.ts'
import { run as incidentChat } from './incident-chat.ts'
import { run as incidentNotify } from './incident-notify.ts'
import { run as incidentRemind } from './incident-remind.ts'
import { run as incidentReopen } from './incident-reopen.ts'
import { run as maintenancePromote } from './maintenance-promote.ts'
import { run as maintenanceRelease } from './maintenance-release.ts'
import { run as maintenanceTurn } from './maintenance-turn.ts'
import { run as maintenanceWatch } from './maintenance-watch.ts'
import { run as monitorResume } from './monitor-resume.ts'
import { run as outageEnd } from './outage-end.ts'
import { run as passwordReset } from './password-reset.ts'
import { run as patternSilenceEnd } from './pattern-silence-end.ts'
import { run as scheduleAnew } from './schedule-anew.ts'
import { run as silenceEnd } from './silence-end.ts'
import { run as stormEnd } from './storm-end.ts'
import { run as verificationSend } from './verification-send.ts'
import { run as warRoomOpen } from './war-room-open.ts'

export const runs = {
  ack_timeout: ackTimeout,
  chat_team: chatTeam,
  chat_uninstall: chatUninstall,
  degraded_end: degradedEnd,
  dependency_end: dependencyEnd,
  digest,
  escalation_step: escalationStep,
  feed_notice: feedNotice,
  heartbeat_resume: heartbeatResume,
  heartbeat_unpause: heartbeatUnpause,
  hold_end: holdEnd,
  incident_chat: incidentChat,
  incident_notify: incidentNotify,
  incident_remind: incidentRemind,
  incident_reopen: incidentReopen,
  maintenance_promote: maintenancePromote,
  maintenance_release: maintenanceRelease,
  maintenance_turn: maintenanceTurn,
  maintenance_watch: maintenanceWatch,
  monitor_resume: monitorResume,
  outage_end: outageEnd,
  password_reset: passwordReset,
  pattern_silence_end: patternSilenceEnd,
  schedule_anew: scheduleAnew,
  silence_end: silenceEnd,
  storm_end: stormEnd,
  verification_send: verificationSend,
  war_room_open: warRoomOpen
} satisfies Runs
