/** Lists every page of the dashboard, as it is with the data of the example shop (shop.ts). */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../../../schemas/files.ts'
import type { Shop } from './shop.ts'

export interface Place {
  /** Of its picture. */
  name: string
  path: string
  /** How many different dialogs the page's buttons and menus open. */
  dialogs: number
  /** The page is open to people who are not logged in, and is visited without a session. */
  isOutside?: boolean
  /** Parts of the page load a while after it is first seen. */
  isLate?: boolean
  /** No other story examines this page with axe-core. */
  isOnlyHere?: boolean
  /** The page says that something does not exist, so the server's 404 is expected. */
  isMissing?: boolean
  /** The buttons of the shell around the pages are pressed, too. */
  withShell?: boolean
  /** Everything in the page's list is selected before its dialogs are opened. */
  selects?: boolean
}

const place = (name: string, path: string, dialogs = 0, more: Partial<Place> = {}): Place => ({ name, path, dialogs, ...more })

const watched = (shop: Shop): readonly Place[] => [
  place('alerts', '/alerts', 1),
  place('alert', `/alerts/${shop.alert}`, 3, { isLate: true }),
  place('silences', '/silences', 1),
  place('silence', `/silences/${shop.silence}`, 1, { isOnlyHere: true }),
  place('silence-new', '/silences/new'),
  place('monitors', '/monitors', 6, { selects: true }),
  place('monitor', `/monitors/${shop.monitor}`, 3),
  place('monitor-down', `/monitors/${shop.downMonitor}`, 3),
  place('monitor-edit', `/monitors/${shop.monitor}/edit`, 0, { isOnlyHere: true }),
  place('monitor-new', '/monitors/new'),
  place('monitors-import', '/monitors/import'),
  place('monitor-groups', '/monitors/groups', 3),
  place('certificates', '/monitors/certificates'),
  place('heartbeats', '/heartbeats'),
  place('heartbeat', `/heartbeats/${shop.heartbeat}`, 3),
  place('heartbeat-edit', `/heartbeats/${shop.heartbeat}/edit`),
  place('heartbeat-new', '/heartbeats/new', 0, { isOnlyHere: true }),
  place('maintenance', '/maintenance', 1),
  place('maintenance-calendar', '/maintenance?view=calendar'),
  place('maintenance-deployments', '/maintenance?view=deployments', 1),
  place('window', `/maintenance/${shop.window}`, 1),
  place('window-new', '/maintenance/new'),
  place('integrations', '/integrations'),
  place('integration', `/integrations/${shop.integration}`, 1),
  place('integration-settings', `/integrations/${shop.integration}?tab=settings`, 3),
  place('integration-new', '/integrations/new')
]

const people = (shop: Shop): readonly Place[] => [
  place('on-call', '/on-call', 1),
  place('schedule', `/on-call/schedules/${shop.schedule}`, 3),
  place('schedule-edit', `/on-call/schedules/${shop.schedule}/edit`, 1),
  place('schedule-new', '/on-call/schedules/new', 0, { isOnlyHere: true }),
  place('my-shifts', '/on-call/mine', 2),
  place('policies', '/on-call/policies'),
  place('policy', `/on-call/policies/${shop.policy}`, 1),
  place('policy-new', '/on-call/policies/new')
]

const settings = (shop: Shop): readonly Place[] => [
  place('settings', '/settings'),
  place('members', '/settings/members', 5),
  place('teams', '/settings/teams', 1),
  place('team', `/settings/teams/${shop.team}`, 4),
  place('routing', '/settings/routing'),
  place('rule', `/settings/routing/${shop.rule}`, 1, { isOnlyHere: true }),
  place('rule-new', '/settings/routing/new'),
  place('routing-try', '/settings/routing/try'),
  place('routing-versions', '/settings/routing/versions', 1),
  place('routing-backtest', '/settings/routing/backtest'),
  place('channels', '/settings/channels'),
  place('channel', `/settings/channels/${shop.channel}`, 1),
  place('channel-edit', `/settings/channels/${shop.channel}/edit`, 0, { isOnlyHere: true }),
  place('channel-words', `/settings/channels/${shop.channel}/words`),
  place('channel-new', '/settings/channels/new'),
  place('templates', '/settings/templates', 1),
  place('template', `/settings/templates/${shop.template}`, 0, { isOnlyHere: true }),
  place('template-new', '/settings/templates/new'),
  place('deliveries', '/settings/deliveries'),
  place('delivery', `/settings/deliveries/${shop.delivery}`, 1),
  place('mailbox', '/settings/mailbox', 1),
  place('mail', `/settings/mailbox/${shop.mail}`),
  place('tokens', '/settings/tokens', 4),
  place('locations', '/settings/locations', 6),
  place('audit', '/settings/audit'),
  place('usage', '/settings/usage'),
  place('notifications', '/settings/notifications', 1),
  place('account', '/settings/account')
]

/** In the order of the navigation. */
export const places = (shop: Shop): readonly Place[] => [
  place('overview', '/', 3, { withShell: true }),
  place('incidents', '/incidents', 8, { selects: true }),
  place('incidents-all', '/incidents?status=all', 4),
  place('incident', `/incidents/${shop.incident}`, 9, { isLate: true }),
  place('incident-long', `/incidents/${shop.longIncident}`, 8),
  place('incident-resolved', `/incidents/${shop.ended}`, 3, { isLate: true }),
  place('postmortem', `/incidents/${shop.ended}/postmortem`),
  ...watched(shop),
  ...people(shop),
  place('analytics', '/analytics'),
  place('feed', '/feed'),
  place('wall', '/wall'),
  place('welcome', '/welcome'),
  ...settings(shop),
  place('chat-link', shop.chatLink),
  place('not-found', '/nowhere', 0, { isMissing: true }),
  place('not-found-settings', '/settings/nowhere', 0, { isMissing: true }),
  place('not-found-on-call', '/on-call/nowhere', 0, { isMissing: true }),
  place('login', '/login', 0, { isOutside: true }),
  place('forgotten', '/password', 0, { isOutside: true }),
  place('new-password', '/password/pwd_0', 0, { isOutside: true }),
  place('invite', shop.inviteLink, 0, { isOutside: true }),
  place('mail-link', shop.mailLink, 0, { isOutside: true })
]

const under: Readonly<Record<string, string>> = { setting: '/settings', onCallPage: '/on-call', page: '' }

/** Returns the patterns of all addresses in services/web/router.tsx. */
function patternsOf(router: string): string[] {
  const within = [...router.matchAll(/\.\.\.(setting|onCallPage|page)\('([^']+)'\)/g)]
  const whole = [...router.matchAll(/^ {2,4}path: '([^']+)'/gm)]
  return [...within.map(([, frame = '', path = '']) => `${under[frame] ?? ''}${path}`), ...whole.map(([, path = '']) => path)]
}

/** Returns the addresses of the router that no place in `all` leads to. */
export function notAmong(all: readonly Place[]): string[] {
  const paths = all.map(({ path }) => new URL(path, 'http://localhost').pathname)
  const patterns = patternsOf(readFileSync(join(projectRoot, 'services/web/router.tsx'), 'utf8'))
  if (patterns.length < paths.length / 2) throw new Error('the addresses of the router were not read')
  return patterns.filter((pattern) => {
    const words = pattern
      .replace(/(.)\/$/, '$1')
      .replaceAll(/\$\w+/g, '[^/]+')
      .replace(/\$$/, '.+')
    return !paths.some((path) => new RegExp(`^${words}$`).test(path))
  })
}
