/**
 * All German texts, by the name of their area. They are in one file that is loaded only for people
 * who read German.
 */
import type { Words } from '../text.ts'
import { de as account } from './account.ts'
import { de as alerts } from './alerts.ts'
import { de as analytics } from './analytics.ts'
import { de as audit } from './audit.ts'
import { de as bulk } from './bulk.ts'
import { de as certificates } from './certificates.ts'
import { de as channels } from './channels.ts'
import { de as chat } from './chat.ts'
import { de as checks } from './checks.ts'
import { de as deliveries } from './deliveries.ts'
import { de as deliveryPages } from './delivery-pages.ts'
import { de as escalation } from './escalation.ts'
import { de as feed } from './feed.ts'
import { de as forms } from './forms.ts'
import { de as heartbeatForm } from './heartbeat-form.ts'
import { de as heartbeats } from './heartbeats.ts'
import { de as held } from './held.ts'
import { de as help } from './help.ts'
import { de as imports } from './import.ts'
import { de as inbound } from './inbound.ts'
import { de as incidentBulk } from './incident-bulk.ts'
import { de as incidentCause } from './incident-cause.ts'
import { de as incidentForms } from './incident-forms.ts'
import { de as incidentList } from './incident-list.ts'
import { de as incidentPage } from './incident-page.ts'
import { de as incidents } from './incidents.ts'
import { de as integrationSettings } from './integration-settings.ts'
import { de as integrations } from './integrations.ts'
import { de as limits } from './limits.ts'
import { de as links } from './links.ts'
import { de as lists } from './lists.ts'
import { de as locations } from './locations.ts'
import { de as login } from './login.ts'
import { de as lost } from './lost.ts'
import { de as mailbox } from './mailbox.ts'
import { de as maintenance } from './maintenance.ts'
import { de as members } from './members.ts'
import { de as monitorBulk } from './monitor-bulk.ts'
import { de as monitorDetails } from './monitor-details.ts'
import { de as monitorForm } from './monitor-form.ts'
import { de as monitorGroups } from './monitor-groups.ts'
import { de as monitorList } from './monitor-list.ts'
import { de as monitorPage } from './monitor-page.ts'
import { de as monitorWhy } from './monitor-why.ts'
import { de as monitorWords } from './monitor-words.ts'
import { de as monitors } from './monitors.ts'
import { de as names } from './names.ts'
import { de as onCall } from './on-call.ts'
import { de as overview } from './overview.ts'
import { de as plots } from './plots.ts'
import { de as policies } from './policies.ts'
import { de as policyChoice } from './policy-choice.ts'
import { de as postmortemPage } from './postmortem-page.ts'
import { de as postmortems } from './postmortems.ts'
import { de as ranges } from './ranges.ts'
import { de as reach } from './reach.ts'
import { de as roles } from './roles.ts'
import { de as routing } from './routing.ts'
import { de as rules } from './rules.ts'
import { de as search } from './search.ts'
import { de as settings } from './settings.ts'
import { de as setup } from './setup.ts'
import { de as shell } from './shell.ts'
import { de as silences } from './silences.ts'
import { de as states } from './states.ts'
import { de as status } from './status.ts'
import { de as strip } from './strip.ts'
import { de as teamMarks } from './team-marks.ts'
import { de as teams } from './teams.ts'
import { de as templates } from './templates.ts'
import { de as time } from './time.ts'
import { de as timeline } from './timeline.ts'
import { de as tokens } from './tokens.ts'
import { de as undo } from './undo.ts'
import { de as wall } from './wall.ts'
import { de as warRooms } from './war-rooms.ts'
import { de as welcome } from './welcome.ts'
import { de as why } from './why.ts'
import { de as workspace } from './workspace.ts'

export const german: Words = {
  account,
  alerts,
  analytics,
  audit,
  bulk,
  certificates,
  channels,
  chat,
  checks,
  deliveries,
  'delivery-pages': deliveryPages,
  escalation,
  feed,
  forms,
  'heartbeat-form': heartbeatForm,
  heartbeats,
  held,
  help,
  import: imports,
  inbound,
  'incident-bulk': incidentBulk,
  'incident-cause': incidentCause,
  'incident-forms': incidentForms,
  'incident-list': incidentList,
  'incident-page': incidentPage,
  incidents,
  'integration-settings': integrationSettings,
  integrations,
  limits,
  links,
  lists,
  locations,
  login,
  lost,
  mailbox,
  maintenance,
  members,
  'monitor-bulk': monitorBulk,
  'monitor-details': monitorDetails,
  'monitor-form': monitorForm,
  'monitor-groups': monitorGroups,
  'monitor-list': monitorList,
  'monitor-page': monitorPage,
  'monitor-why': monitorWhy,
  'monitor-words': monitorWords,
  monitors,
  names,
  'on-call': onCall,
  overview,
  plots,
  policies,
  'policy-choice': policyChoice,
  'postmortem-page': postmortemPage,
  postmortems,
  ranges,
  reach,
  roles,
  routing,
  rules,
  search,
  settings,
  setup,
  shell,
  silences,
  states,
  status,
  strip,
  'team-marks': teamMarks,
  teams,
  templates,
  time,
  timeline,
  tokens,
  undo,
  wall,
  'war-rooms': warRooms,
  welcome,
  why,
  workspace
}
