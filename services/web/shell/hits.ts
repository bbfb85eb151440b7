/** The results of the search as one list: kinds, labels and targets. Pure. */
import { CornerDownRight, History, type LucideIcon, MapPin, Siren, Zap } from 'lucide-react'
import { ownPathOf } from '../search.ts'
import { searchText } from '../texts/search.ts'
import { type Ranked, ranked } from './rank.ts'

export interface Hit extends Ranked {
  key: string
  icon: LucideIcon
  kind: string
  /** A path of the dashboard, or a function to run. */
  go: string | (() => void)
}

/** An action that one page, or every page, offers. */
export interface PageAction {
  label: string
  run: () => void
}

/** A recently viewed page. */
export interface Visited {
  path: string
  title: string
}

type Ability = 'act' | 'write' | 'administer'

interface Place extends Ranked {
  go: string
  /** Shown only to people with this ability. Missing: to everybody. */
  may?: Ability
}

const places: readonly Place[] = [
  { label: searchText('place.overview'), also: 'home dashboard', go: '/' },
  { label: searchText('place.incidents'), go: '/incidents' },
  { label: searchText('place.mine'), also: 'my assigned', go: '/incidents?mine=true' },
  { label: searchText('place.alerts'), go: '/alerts' },
  { label: searchText('place.silences'), also: 'mute', go: '/silences' },
  { label: searchText('place.maintenance'), also: 'windows deployments', go: '/maintenance' },
  { label: searchText('place.monitors'), also: 'sites checks uptime', go: '/monitors' },
  { label: searchText('place.certificates'), also: 'tls ssl expiry', go: '/monitors/certificates' },
  { label: searchText('place.monitor_groups'), also: 'folders', go: '/monitors/groups' },
  { label: searchText('place.heartbeats'), also: 'cron jobs pings', go: '/heartbeats' },
  { label: searchText('place.on_call'), also: 'schedules rota', go: '/on-call' },
  { label: searchText('place.shifts'), go: '/on-call/mine' },
  { label: searchText('place.policies'), go: '/on-call/policies' },
  { label: searchText('place.integrations'), also: 'sources inbound', go: '/integrations' },
  { label: searchText('place.analytics'), also: 'reports uptime mttr noise', go: '/analytics' },
  { label: searchText('place.wall'), also: 'screen tv', go: '/wall' },
  { label: searchText('place.feed'), also: 'notifications inbox', go: '/feed' },
  { label: searchText('place.settings'), go: '/settings' },
  { label: searchText('place.members'), also: 'people users invite', go: '/settings/members' },
  { label: searchText('place.teams'), go: '/settings/teams' },
  { label: searchText('place.routing'), go: '/settings/routing' },
  { label: searchText('place.try'), also: 'dry run', go: '/settings/routing/try' },
  { label: searchText('place.backtest'), go: '/settings/routing/backtest' },
  { label: searchText('place.channels'), also: 'slack email webhook', go: '/settings/channels' },
  { label: searchText('place.templates'), go: '/settings/templates' },
  { label: searchText('place.deliveries'), also: 'sent told', go: '/settings/deliveries' },
  { label: searchText('place.tokens'), also: 'keys', go: '/settings/tokens' },
  { label: searchText('place.locations'), also: 'probers private network', go: '/settings/locations' },
  { label: searchText('place.usage'), also: 'plan quota', go: '/settings/usage' },
  { label: searchText('place.audit'), also: 'history changes', go: '/settings/audit', may: 'administer' },
  { label: searchText('place.notifications'), also: 'quiet hours methods', go: '/settings/notifications' },
  { label: searchText('place.account'), also: 'profile password time zone', go: '/settings/account' },
  { label: searchText('place.welcome'), also: 'getting started', go: '/welcome' }
]

const creations: readonly Place[] = [
  { label: searchText('action.declare'), also: 'new incident', go: '/incidents?declare=yes', may: 'act' },
  { label: searchText('action.new_monitor'), also: 'create watch site', go: '/monitors/new', may: 'write' },
  { label: searchText('action.new_heartbeat'), also: 'create cron job', go: '/heartbeats/new', may: 'write' },
  { label: searchText('action.new_integration'), also: 'create source', go: '/integrations/new', may: 'write' },
  { label: searchText('action.new_silence'), also: 'create mute', go: '/silences/new', may: 'act' },
  { label: searchText('action.new_window'), also: 'create maintenance', go: '/maintenance/new', may: 'write' },
  { label: searchText('action.new_rule'), also: 'create', go: '/settings/routing/new', may: 'write' },
  { label: searchText('action.new_schedule'), also: 'create rota', go: '/on-call/schedules/new', may: 'write' }
]

const ofPage = ({ label, run }: PageAction): Hit => ({ key: label, icon: Zap, kind: searchText('kind.action'), label, go: run })

const ofVisit = ({ path, title }: Visited): Hit => ({
  key: path,
  icon: History,
  kind: searchText('kind.recent'),
  label: title,
  go: path
})

/** Accepts a typed or pasted path of the dashboard, with or without its origin. */
function ofAddress(typed: string, origin: string): Hit[] {
  const path = ownPathOf(typed.startsWith(`${origin}/`) ? typed.slice(origin.length) : typed)
  return path === undefined ? [] : [{ key: 'address', icon: CornerDownRight, kind: searchText('kind.address'), label: path, go: path }]
}

/** Accepts `INC-42`, `#42` or `42`. */
function ofKey(typed: string): Hit[] {
  const [, number] = /^(?:inc-|#)?([1-9]\d{0,11})$/i.exec(typed) ?? []
  if (number === undefined) return []
  const key = `INC-${number}`
  return [{ key: 'by-key', icon: Siren, kind: searchText('kind.incident'), label: key, go: `/incidents/${key}` }]
}

export interface Offer {
  typed: string
  origin: string
  page: readonly PageAction[]
  always: readonly PageAction[]
  recent: readonly Visited[]
  /** What the api found for the typed text. */
  found: readonly Hit[]
  may: (ability: Ability) => boolean
}

/**
 * Returns the results in the order in which they are offered. Before anything is typed: actions of
 * the page, recent pages, then the places. Afterwards the best matches first, by name before other
 * words.
 */
export function hitsOf({ typed, origin, page, always, recent, found, may }: Offer): Hit[] {
  const allowed = (all: readonly Place[], icon: LucideIcon, kind: string): Hit[] =>
    all.filter((one) => one.may === undefined || may(one.may)).map(({ label, also = '', go }) => ({ key: go, icon, kind, label, also, go }))
  const own = [...page.map(ofPage)]
  const seen = recent.map(ofVisit)
  const other = [...allowed(creations, Zap, searchText('kind.action')), ...always.map(ofPage)]
  const known = allowed(places, MapPin, searchText('kind.place'))
  if (typed === '') return [...own, ...seen, ...known, ...other]
  // The api looks inside names, so its results stay even if the label does not match the typed
  // letters.
  const fitting = ranked(typed, [...own, ...found, ...seen, ...known, ...other])
  const rest = found.filter((hit) => !fitting.includes(hit))
  const all = [...ofKey(typed), ...ofAddress(typed, origin), ...fitting, ...rest]
  // Each target appears once: a recent page may also be found.
  const gone = new Set<Hit['go']>()
  return all.filter(({ go }) => (typeof go === 'string' && gone.has(go) ? false : gone.add(go) !== undefined))
}
