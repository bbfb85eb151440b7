/**
 * Every address of the dashboard with its page. Pages load when they are first opened. The allowed
 * search parameters of an address are defined beside its page.
 */
import type { QueryClient } from '@tanstack/react-query'
import { createRootRouteWithContext, createRoute, createRouter, redirect } from '@tanstack/react-router'
import { Refusal } from './api/client.ts'
import { sessionQuery } from './api/session.ts'
import { alertsSearch } from './pages/alerts/search.ts'
import { analyticsSearch } from './pages/analytics/search.ts'
import { auditSearch } from './pages/audit/search.ts'
import { channelsSearch, channelWordsSearch, newChannelSearch } from './pages/channels/search.ts'
import { deliveriesSearch } from './pages/deliveries/search.ts'
import { feedSearch } from './pages/feed/search.ts'
import { heartbeatsSearch, heartbeatTabs } from './pages/heartbeats/search.ts'
import { incidentsSearch } from './pages/incidents/search.ts'
import { integrationSearch, integrationsSearch, sourcesSearch } from './pages/integrations/search.ts'
import { mailboxSearch } from './pages/mailbox/search.ts'
import { maintenanceSearch, newWindowSearch } from './pages/maintenance/search.ts'
import { certificatesSearch, monitorSearch, monitorsSearch, newMonitorSearch } from './pages/monitors/search.ts'
import { scheduleSearch, schedulesSearch } from './pages/on-call/search.ts'
import { policiesSearch } from './pages/policies/search.ts'
import { backtestSearch, trySearch, versionsSearch } from './pages/routing/search.ts'
import { locationsSearch, membersSearch, teamSearch, teamsSearch, tokensSearch } from './pages/settings/search.ts'
import { silenceSearch, silencesSearch } from './pages/silences/search.ts'
import { Broken } from './parts/Broken.tsx'
import { lazyPage } from './parts/lazy-page.ts'
import { Loading, Problem } from './parts/States.tsx'
import { ownPathOf, parseSearch, stringifySearch } from './search.ts'
import { Shell } from './shell/Shell.tsx'

const root = createRootRouteWithContext<{ queries: QueryClient }>()({
  notFoundComponent: () => <Problem error={new Refusal(404, { code: 'NOT_FOUND' })} />
})

/** Routes that need a log-in. After the log-in the person returns to the requested address. */
const inside = createRoute({
  getParentRoute: () => root,
  id: 'inside',
  component: Shell,
  beforeLoad: async ({ context: { queries }, location }) => {
    if (await queries.ensureQueryData(sessionQuery)) return
    throw redirect({ to: '/login', search: location.pathname === '/' ? {} : { next: location.href } })
  }
})

/** Needs a log-in too, but has no frame around the page: it fills the screen. */
const wall = createRoute({
  getParentRoute: () => root,
  path: '/wall',
  component: lazyPage(() => import('./pages/wall/Wall.tsx'), 'Wall'),
  beforeLoad: async ({ context: { queries } }) => {
    if (await queries.ensureQueryData(sessionQuery)) return
    throw redirect({ to: '/login', search: { next: '/wall' } })
  }
})

const page = <const Path extends string>(path: Path) => ({ getParentRoute: () => inside, path }) as const

const settings = createRoute({
  ...page('/settings'),
  component: lazyPage(() => import('./pages/settings/Settings.tsx'), 'Settings')
})
const setting = <const Path extends string>(path: Path) => ({ getParentRoute: () => settings, path }) as const
const settingsPages = [
  createRoute({ ...setting('/'), component: lazyPage(() => import('./pages/settings/Workspace.tsx'), 'WorkspaceSettings') }),
  createRoute({
    ...setting('/members'),
    validateSearch: membersSearch,
    component: lazyPage(() => import('./pages/settings/Members.tsx'), 'Members')
  }),
  createRoute({
    ...setting('/teams'),
    validateSearch: teamsSearch,
    component: lazyPage(() => import('./pages/settings/Teams.tsx'), 'Teams')
  }),
  createRoute({
    ...setting('/teams/$id'),
    validateSearch: teamSearch,
    component: lazyPage(() => import('./pages/settings/Team.tsx'), 'TeamPage')
  }),
  createRoute({ ...setting('/routing'), component: lazyPage(() => import('./pages/routing/Routing.tsx'), 'Routing') }),
  createRoute({ ...setting('/routing/new'), component: lazyPage(() => import('./pages/routing/Rule.tsx'), 'NewRule') }),
  createRoute({
    ...setting('/routing/try'),
    validateSearch: trySearch,
    component: lazyPage(() => import('./pages/routing/TryIt.tsx'), 'TryRules')
  }),
  createRoute({
    ...setting('/routing/versions'),
    validateSearch: versionsSearch,
    component: lazyPage(() => import('./pages/routing/Versions.tsx'), 'RuleVersions')
  }),
  createRoute({
    ...setting('/routing/backtest'),
    validateSearch: backtestSearch,
    component: lazyPage(() => import('./pages/routing/Backtest.tsx'), 'BacktestPage')
  }),
  createRoute({ ...setting('/routing/$id'), component: lazyPage(() => import('./pages/routing/Rule.tsx'), 'RulePage') }),
  createRoute({
    ...setting('/channels'),
    validateSearch: channelsSearch,
    component: lazyPage(() => import('./pages/channels/Channels.tsx'), 'Channels')
  }),
  createRoute({
    ...setting('/channels/new'),
    validateSearch: newChannelSearch,
    component: lazyPage(() => import('./pages/channels/NewChannel.tsx'), 'NewChannel')
  }),
  createRoute({ ...setting('/channels/$id'), component: lazyPage(() => import('./pages/channels/Channel.tsx'), 'ChannelPage') }),
  createRoute({ ...setting('/templates'), component: lazyPage(() => import('./pages/templates/Templates.tsx'), 'Templates') }),
  createRoute({
    ...setting('/templates/new'),
    component: lazyPage(() => import('./pages/templates/Template.tsx'), 'NewTemplatePage')
  }),
  createRoute({
    ...setting('/templates/$id'),
    component: lazyPage(() => import('./pages/templates/Template.tsx'), 'TemplatePage')
  }),
  createRoute({
    ...setting('/deliveries'),
    validateSearch: deliveriesSearch,
    component: lazyPage(() => import('./pages/deliveries/Deliveries.tsx'), 'Deliveries')
  }),
  createRoute({
    ...setting('/deliveries/$id'),
    component: lazyPage(() => import('./pages/deliveries/Delivery.tsx'), 'DeliveryPage')
  }),
  createRoute({
    ...setting('/channels/$id/words'),
    validateSearch: channelWordsSearch,
    component: lazyPage(() => import('./pages/channels/ChannelWords.tsx'), 'ChannelWords')
  }),
  createRoute({
    ...setting('/channels/$id/edit'),
    component: lazyPage(() => import('./pages/channels/EditChannel.tsx'), 'EditChannel')
  }),
  createRoute({
    ...setting('/mailbox'),
    validateSearch: mailboxSearch,
    component: lazyPage(() => import('./pages/mailbox/Mailbox.tsx'), 'Mailbox')
  }),
  createRoute({ ...setting('/mailbox/$id'), component: lazyPage(() => import('./pages/mailbox/Mail.tsx'), 'MailPage') }),
  createRoute({
    ...setting('/tokens'),
    validateSearch: tokensSearch,
    component: lazyPage(() => import('./pages/settings/Tokens.tsx'), 'Tokens')
  }),
  createRoute({
    ...setting('/locations'),
    validateSearch: locationsSearch,
    component: lazyPage(() => import('./pages/settings/Locations.tsx'), 'Locations')
  }),
  createRoute({
    ...setting('/audit'),
    validateSearch: auditSearch,
    component: lazyPage(() => import('./pages/audit/Audit.tsx'), 'Audit')
  }),
  createRoute({ ...setting('/usage'), component: lazyPage(() => import('./pages/settings/Usage.tsx'), 'UsagePage') }),
  createRoute({ ...setting('/notifications'), component: lazyPage(() => import('./pages/reach/Reach.tsx'), 'Reach') }),
  createRoute({ ...setting('/account'), component: lazyPage(() => import('./pages/settings/Account.tsx'), 'AccountSettings') }),
  createRoute({ ...setting('/$'), component: lazyPage(() => import('./parts/NotFound.tsx'), 'NotFound') })
] as const

const onCall = createRoute({
  ...page('/on-call'),
  component: lazyPage(() => import('./pages/on-call/OnCall.tsx'), 'OnCall')
})
/** A page below the tabs of on-call. */
const onCallPage = <const Path extends string>(path: Path) => ({ getParentRoute: () => onCall, path }) as const
const onCallPages = [
  createRoute({
    ...onCallPage('/'),
    validateSearch: schedulesSearch,
    component: lazyPage(() => import('./pages/on-call/Schedules.tsx'), 'Schedules')
  }),
  createRoute({
    ...onCallPage('/schedules/$id'),
    validateSearch: scheduleSearch,
    component: lazyPage(() => import('./pages/on-call/Schedule.tsx'), 'SchedulePage')
  }),
  createRoute({ ...onCallPage('/mine'), component: lazyPage(() => import('./pages/on-call/Mine.tsx'), 'MyShifts') }),
  createRoute({
    ...onCallPage('/schedules/new'),
    component: lazyPage(() => import('./pages/on-call/EditSchedule.tsx'), 'NewSchedulePage')
  }),
  createRoute({
    ...onCallPage('/schedules/$id/edit'),
    component: lazyPage(() => import('./pages/on-call/EditSchedule.tsx'), 'EditSchedulePage')
  }),
  createRoute({
    ...onCallPage('/policies'),
    validateSearch: policiesSearch,
    component: lazyPage(() => import('./pages/policies/Policies.tsx'), 'Policies')
  }),
  createRoute({ ...onCallPage('/policies/new'), component: lazyPage(() => import('./pages/policies/Policy.tsx'), 'NewPolicy') }),
  createRoute({ ...onCallPage('/policies/$id'), component: lazyPage(() => import('./pages/policies/Policy.tsx'), 'PolicyPage') }),
  createRoute({ ...onCallPage('/$'), component: lazyPage(() => import('./parts/NotFound.tsx'), 'NotFound') })
] as const

const routes = [
  createRoute({ ...page('/'), component: lazyPage(() => import('./pages/overview/Overview.tsx'), 'Overview') }),
  createRoute({
    ...page('/analytics'),
    validateSearch: analyticsSearch,
    component: lazyPage(() => import('./pages/analytics/Analytics.tsx'), 'Analytics')
  }),
  createRoute({ ...page('/welcome'), component: lazyPage(() => import('./pages/welcome/Welcome.tsx'), 'Welcome') }),
  createRoute({
    ...page('/incidents'),
    validateSearch: incidentsSearch,
    component: lazyPage(() => import('./pages/incidents/Incidents.tsx'), 'Incidents')
  }),
  createRoute({ ...page('/incidents/$id'), component: lazyPage(() => import('./pages/incidents/Incident.tsx'), 'IncidentPage') }),
  createRoute({
    ...page('/incidents/$id/postmortem'),
    component: lazyPage(() => import('./pages/incidents/Postmortem.tsx'), 'PostmortemPage')
  }),
  createRoute({
    ...page('/alerts'),
    validateSearch: alertsSearch,
    component: lazyPage(() => import('./pages/alerts/Alerts.tsx'), 'Alerts')
  }),
  createRoute({
    ...page('/silences'),
    validateSearch: silencesSearch,
    component: lazyPage(() => import('./pages/silences/Silences.tsx'), 'Silences')
  }),
  createRoute({
    ...page('/silences/new'),
    validateSearch: silenceSearch,
    component: lazyPage(() => import('./pages/silences/Silence.tsx'), 'NewSilence')
  }),
  createRoute({ ...page('/silences/$id'), component: lazyPage(() => import('./pages/silences/Silence.tsx'), 'SilencePage') }),
  createRoute({
    ...page('/maintenance'),
    validateSearch: maintenanceSearch,
    component: lazyPage(() => import('./pages/maintenance/Maintenance.tsx'), 'Maintenance')
  }),
  createRoute({
    ...page('/maintenance/new'),
    validateSearch: newWindowSearch,
    component: lazyPage(() => import('./pages/maintenance/Window.tsx'), 'NewWindow')
  }),
  createRoute({ ...page('/maintenance/$id'), component: lazyPage(() => import('./pages/maintenance/Window.tsx'), 'WindowPage') }),
  createRoute({ ...page('/alerts/$id'), component: lazyPage(() => import('./pages/alerts/Alert.tsx'), 'AlertPage') }),
  createRoute({
    ...page('/monitors'),
    validateSearch: monitorsSearch,
    component: lazyPage(() => import('./pages/monitors/Monitors.tsx'), 'Monitors')
  }),
  createRoute({
    ...page('/monitors/new'),
    validateSearch: newMonitorSearch,
    component: lazyPage(() => import('./pages/monitors/NewMonitor.tsx'), 'NewMonitor')
  }),
  createRoute({
    ...page('/monitors/certificates'),
    validateSearch: certificatesSearch,
    component: lazyPage(() => import('./pages/monitors/Certificates.tsx'), 'Certificates')
  }),
  createRoute({ ...page('/monitors/groups'), component: lazyPage(() => import('./pages/monitors/Groups.tsx'), 'Groups') }),
  createRoute({
    ...page('/monitors/import'),
    component: lazyPage(() => import('./pages/monitors/ImportMonitors.tsx'), 'ImportMonitors')
  }),
  createRoute({
    ...page('/monitors/$id'),
    validateSearch: monitorSearch,
    component: lazyPage(() => import('./pages/monitors/Monitor.tsx'), 'MonitorPage')
  }),
  createRoute({
    ...page('/monitors/$id/edit'),
    component: lazyPage(() => import('./pages/monitors/EditMonitor.tsx'), 'EditMonitor')
  }),
  createRoute({
    ...page('/heartbeats'),
    validateSearch: heartbeatsSearch,
    component: lazyPage(() => import('./pages/heartbeats/Heartbeats.tsx'), 'Heartbeats')
  }),
  createRoute({
    ...page('/heartbeats/new'),
    component: lazyPage(() => import('./pages/heartbeats/NewHeartbeat.tsx'), 'NewHeartbeat')
  }),
  createRoute({
    ...page('/heartbeats/$id'),
    validateSearch: heartbeatTabs,
    component: lazyPage(() => import('./pages/heartbeats/Heartbeat.tsx'), 'HeartbeatPage')
  }),
  createRoute({
    ...page('/heartbeats/$id/edit'),
    component: lazyPage(() => import('./pages/heartbeats/EditHeartbeat.tsx'), 'EditHeartbeat')
  }),
  createRoute({
    ...page('/integrations'),
    validateSearch: integrationsSearch,
    component: lazyPage(() => import('./pages/integrations/Integrations.tsx'), 'Integrations')
  }),
  createRoute({
    ...page('/integrations/new'),
    validateSearch: sourcesSearch,
    component: lazyPage(() => import('./pages/integrations/NewIntegration.tsx'), 'NewIntegration')
  }),
  createRoute({
    ...page('/integrations/$id'),
    validateSearch: integrationSearch,
    component: lazyPage(() => import('./pages/integrations/Integration.tsx'), 'IntegrationPage')
  }),
  createRoute({ ...page('/links/chat/$token'), component: lazyPage(() => import('./pages/reach/ChatLink.tsx'), 'ChatLinkPage') }),
  createRoute({
    ...page('/feed'),
    validateSearch: feedSearch,
    component: lazyPage(() => import('./pages/feed/Feed.tsx'), 'Feed')
  }),
  onCall.addChildren([...onCallPages]),
  settings.addChildren([...settingsPages]),
  createRoute({ ...page('/$'), component: lazyPage(() => import('./parts/NotFound.tsx'), 'NotFound') })
] as const

const outside = [
  createRoute({
    getParentRoute: () => root,
    path: '/login',
    validateSearch: ({ next }: Record<string, unknown>): { next?: string } => {
      const path = ownPathOf(next)
      return path === undefined ? {} : { next: path }
    },
    component: lazyPage(() => import('./pages/login/Login.tsx'), 'Login')
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/password',
    component: lazyPage(() => import('./pages/login/Forgotten.tsx'), 'Forgotten')
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/password/$token',
    component: lazyPage(() => import('./pages/login/NewPassword.tsx'), 'NewPassword')
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/invites/$token',
    component: lazyPage(() => import('./pages/invite/Invite.tsx'), 'Invite')
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/links/$token',
    component: lazyPage(() => import('./pages/links/MailLink.tsx'), 'MailLink')
  })
] as const

export const makeRouter = (queries: QueryClient) =>
  createRouter({
    routeTree: root.addChildren([inside.addChildren([...routes]), wall, ...outside]),
    context: { queries },
    parseSearch,
    stringifySearch,
    defaultPreload: 'intent',
    scrollRestoration: true,
    defaultPendingComponent: () => <Loading rows={8} />,
    defaultPendingMs: 150,
    defaultErrorComponent: ({ error, reset }) => <Broken error={error instanceof Error ? error : new Error(String(error))} reset={reset} />
  })

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof makeRouter>
  }
}
