/**
 * Every address of the dashboard and the page behind it. Pages are loaded when they are first
 * opened; what an address may hold stands beside each page.
 */
import type { QueryClient } from '@tanstack/react-query'
import { createRootRouteWithContext, createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { Refusal } from './api/client.ts'
import { sessionQuery } from './api/session.ts'
import { alertsSearch } from './pages/alerts/search.ts'
import { channelsSearch, newChannelSearch } from './pages/channels/search.ts'
import { deliveriesSearch } from './pages/deliveries/search.ts'
import { feedSearch } from './pages/feed/search.ts'
import { heartbeatsSearch, heartbeatTabs } from './pages/heartbeats/search.ts'
import { incidentsSearch } from './pages/incidents/search.ts'
import { integrationSearch, integrationsSearch, sourcesSearch } from './pages/integrations/search.ts'
import { mailboxSearch } from './pages/mailbox/search.ts'
import { maintenanceSearch, newWindowSearch } from './pages/maintenance/search.ts'
import { monitorSearch, monitorsSearch } from './pages/monitors/search.ts'
import { scheduleSearch, schedulesSearch } from './pages/on-call/search.ts'
import { policiesSearch } from './pages/policies/search.ts'
import { backtestSearch, trySearch, versionsSearch } from './pages/routing/search.ts'
import { membersSearch, teamSearch, teamsSearch, tokensSearch } from './pages/settings/search.ts'
import { silenceSearch, silencesSearch } from './pages/silences/search.ts'
import { Broken } from './parts/Broken.tsx'
import { Loading, Problem } from './parts/States.tsx'
import { ownPathOf, parseSearch, stringifySearch } from './search.ts'
import { Shell } from './shell/Shell.tsx'

const root = createRootRouteWithContext<{ queries: QueryClient }>()({
  notFoundComponent: () => <Problem error={new Refusal(404, { code: 'NOT_FOUND' })} />
})

/** Where somebody must be logged in; who is not comes back here afterwards. */
const inside = createRoute({
  getParentRoute: () => root,
  id: 'inside',
  component: Shell,
  beforeLoad: async ({ context: { queries }, location }) => {
    if (await queries.ensureQueryData(sessionQuery)) return
    throw redirect({ to: '/login', search: location.pathname === '/' ? {} : { next: location.href } })
  }
})

const page = <const Path extends string>(path: Path) => ({ getParentRoute: () => inside, path }) as const

const settings = createRoute({
  ...page('/settings'),
  component: lazyRouteComponent(() => import('./pages/settings/Settings.tsx'), 'Settings')
})
const setting = <const Path extends string>(path: Path) => ({ getParentRoute: () => settings, path }) as const
const settingsPages = [
  createRoute({ ...setting('/'), component: lazyRouteComponent(() => import('./pages/settings/Workspace.tsx'), 'WorkspaceSettings') }),
  createRoute({
    ...setting('/members'),
    validateSearch: membersSearch,
    component: lazyRouteComponent(() => import('./pages/settings/Members.tsx'), 'Members')
  }),
  createRoute({
    ...setting('/teams'),
    validateSearch: teamsSearch,
    component: lazyRouteComponent(() => import('./pages/settings/Teams.tsx'), 'Teams')
  }),
  createRoute({
    ...setting('/teams/$id'),
    validateSearch: teamSearch,
    component: lazyRouteComponent(() => import('./pages/settings/Team.tsx'), 'TeamPage')
  }),
  createRoute({ ...setting('/routing'), component: lazyRouteComponent(() => import('./pages/routing/Routing.tsx'), 'Routing') }),
  createRoute({ ...setting('/routing/new'), component: lazyRouteComponent(() => import('./pages/routing/Rule.tsx'), 'NewRule') }),
  createRoute({
    ...setting('/routing/try'),
    validateSearch: trySearch,
    component: lazyRouteComponent(() => import('./pages/routing/TryIt.tsx'), 'TryRules')
  }),
  createRoute({
    ...setting('/routing/versions'),
    validateSearch: versionsSearch,
    component: lazyRouteComponent(() => import('./pages/routing/Versions.tsx'), 'RuleVersions')
  }),
  createRoute({
    ...setting('/routing/backtest'),
    validateSearch: backtestSearch,
    component: lazyRouteComponent(() => import('./pages/routing/Backtest.tsx'), 'BacktestPage')
  }),
  createRoute({ ...setting('/routing/$id'), component: lazyRouteComponent(() => import('./pages/routing/Rule.tsx'), 'RulePage') }),
  createRoute({
    ...setting('/channels'),
    validateSearch: channelsSearch,
    component: lazyRouteComponent(() => import('./pages/channels/Channels.tsx'), 'Channels')
  }),
  createRoute({
    ...setting('/channels/new'),
    validateSearch: newChannelSearch,
    component: lazyRouteComponent(() => import('./pages/channels/NewChannel.tsx'), 'NewChannel')
  }),
  createRoute({ ...setting('/channels/$id'), component: lazyRouteComponent(() => import('./pages/channels/Channel.tsx'), 'ChannelPage') }),
  createRoute({ ...setting('/templates'), component: lazyRouteComponent(() => import('./pages/templates/Templates.tsx'), 'Templates') }),
  createRoute({
    ...setting('/templates/new'),
    component: lazyRouteComponent(() => import('./pages/templates/Template.tsx'), 'NewTemplatePage')
  }),
  createRoute({
    ...setting('/templates/$id'),
    component: lazyRouteComponent(() => import('./pages/templates/Template.tsx'), 'TemplatePage')
  }),
  createRoute({
    ...setting('/deliveries'),
    validateSearch: deliveriesSearch,
    component: lazyRouteComponent(() => import('./pages/deliveries/Deliveries.tsx'), 'Deliveries')
  }),
  createRoute({
    ...setting('/deliveries/$id'),
    component: lazyRouteComponent(() => import('./pages/deliveries/Delivery.tsx'), 'DeliveryPage')
  }),
  createRoute({
    ...setting('/channels/$id/edit'),
    component: lazyRouteComponent(() => import('./pages/channels/EditChannel.tsx'), 'EditChannel')
  }),
  createRoute({
    ...setting('/mailbox'),
    validateSearch: mailboxSearch,
    component: lazyRouteComponent(() => import('./pages/mailbox/Mailbox.tsx'), 'Mailbox')
  }),
  createRoute({ ...setting('/mailbox/$id'), component: lazyRouteComponent(() => import('./pages/mailbox/Mail.tsx'), 'MailPage') }),
  createRoute({
    ...setting('/tokens'),
    validateSearch: tokensSearch,
    component: lazyRouteComponent(() => import('./pages/settings/Tokens.tsx'), 'Tokens')
  }),
  createRoute({ ...setting('/usage'), component: lazyRouteComponent(() => import('./pages/settings/Usage.tsx'), 'UsagePage') }),
  createRoute({ ...setting('/notifications'), component: lazyRouteComponent(() => import('./pages/reach/Reach.tsx'), 'Reach') }),
  createRoute({ ...setting('/account'), component: lazyRouteComponent(() => import('./pages/settings/Account.tsx'), 'AccountSettings') })
] as const

const onCall = createRoute({
  ...page('/on-call'),
  component: lazyRouteComponent(() => import('./pages/on-call/OnCall.tsx'), 'OnCall')
})
/** A page below the tabs of on-call. */
const onCallPage = <const Path extends string>(path: Path) => ({ getParentRoute: () => onCall, path }) as const
const onCallPages = [
  createRoute({
    ...onCallPage('/'),
    validateSearch: schedulesSearch,
    component: lazyRouteComponent(() => import('./pages/on-call/Schedules.tsx'), 'Schedules')
  }),
  createRoute({
    ...onCallPage('/schedules/$id'),
    validateSearch: scheduleSearch,
    component: lazyRouteComponent(() => import('./pages/on-call/Schedule.tsx'), 'SchedulePage')
  }),
  createRoute({ ...onCallPage('/mine'), component: lazyRouteComponent(() => import('./pages/on-call/Mine.tsx'), 'MyShifts') }),
  createRoute({
    ...onCallPage('/schedules/new'),
    component: lazyRouteComponent(() => import('./pages/on-call/EditSchedule.tsx'), 'NewSchedulePage')
  }),
  createRoute({
    ...onCallPage('/schedules/$id/edit'),
    component: lazyRouteComponent(() => import('./pages/on-call/EditSchedule.tsx'), 'EditSchedulePage')
  }),
  createRoute({
    ...onCallPage('/policies'),
    validateSearch: policiesSearch,
    component: lazyRouteComponent(() => import('./pages/policies/Policies.tsx'), 'Policies')
  }),
  createRoute({ ...onCallPage('/policies/new'), component: lazyRouteComponent(() => import('./pages/policies/Policy.tsx'), 'NewPolicy') }),
  createRoute({ ...onCallPage('/policies/$id'), component: lazyRouteComponent(() => import('./pages/policies/Policy.tsx'), 'PolicyPage') })
] as const

const routes = [
  createRoute({ ...page('/'), component: lazyRouteComponent(() => import('./pages/overview/Overview.tsx'), 'Overview') }),
  createRoute({ ...page('/welcome'), component: lazyRouteComponent(() => import('./pages/welcome/Welcome.tsx'), 'Welcome') }),
  createRoute({
    ...page('/incidents'),
    validateSearch: incidentsSearch,
    component: lazyRouteComponent(() => import('./pages/incidents/Incidents.tsx'), 'Incidents')
  }),
  createRoute({ ...page('/incidents/$id'), component: lazyRouteComponent(() => import('./pages/incidents/Incident.tsx'), 'IncidentPage') }),
  createRoute({
    ...page('/incidents/$id/postmortem'),
    component: lazyRouteComponent(() => import('./pages/incidents/Postmortem.tsx'), 'PostmortemPage')
  }),
  createRoute({
    ...page('/alerts'),
    validateSearch: alertsSearch,
    component: lazyRouteComponent(() => import('./pages/alerts/Alerts.tsx'), 'Alerts')
  }),
  createRoute({
    ...page('/silences'),
    validateSearch: silencesSearch,
    component: lazyRouteComponent(() => import('./pages/silences/Silences.tsx'), 'Silences')
  }),
  createRoute({
    ...page('/silences/new'),
    validateSearch: silenceSearch,
    component: lazyRouteComponent(() => import('./pages/silences/Silence.tsx'), 'NewSilence')
  }),
  createRoute({ ...page('/silences/$id'), component: lazyRouteComponent(() => import('./pages/silences/Silence.tsx'), 'SilencePage') }),
  createRoute({
    ...page('/maintenance'),
    validateSearch: maintenanceSearch,
    component: lazyRouteComponent(() => import('./pages/maintenance/Maintenance.tsx'), 'Maintenance')
  }),
  createRoute({
    ...page('/maintenance/new'),
    validateSearch: newWindowSearch,
    component: lazyRouteComponent(() => import('./pages/maintenance/Window.tsx'), 'NewWindow')
  }),
  createRoute({ ...page('/maintenance/$id'), component: lazyRouteComponent(() => import('./pages/maintenance/Window.tsx'), 'WindowPage') }),
  createRoute({ ...page('/alerts/$id'), component: lazyRouteComponent(() => import('./pages/alerts/Alert.tsx'), 'AlertPage') }),
  createRoute({
    ...page('/monitors'),
    validateSearch: monitorsSearch,
    component: lazyRouteComponent(() => import('./pages/monitors/Monitors.tsx'), 'Monitors')
  }),
  createRoute({ ...page('/monitors/new'), component: lazyRouteComponent(() => import('./pages/monitors/NewMonitor.tsx'), 'NewMonitor') }),
  createRoute({
    ...page('/monitors/$id'),
    validateSearch: monitorSearch,
    component: lazyRouteComponent(() => import('./pages/monitors/Monitor.tsx'), 'MonitorPage')
  }),
  createRoute({
    ...page('/monitors/$id/edit'),
    component: lazyRouteComponent(() => import('./pages/monitors/EditMonitor.tsx'), 'EditMonitor')
  }),
  createRoute({
    ...page('/heartbeats'),
    validateSearch: heartbeatsSearch,
    component: lazyRouteComponent(() => import('./pages/heartbeats/Heartbeats.tsx'), 'Heartbeats')
  }),
  createRoute({
    ...page('/heartbeats/new'),
    component: lazyRouteComponent(() => import('./pages/heartbeats/NewHeartbeat.tsx'), 'NewHeartbeat')
  }),
  createRoute({
    ...page('/heartbeats/$id'),
    validateSearch: heartbeatTabs,
    component: lazyRouteComponent(() => import('./pages/heartbeats/Heartbeat.tsx'), 'HeartbeatPage')
  }),
  createRoute({
    ...page('/heartbeats/$id/edit'),
    component: lazyRouteComponent(() => import('./pages/heartbeats/EditHeartbeat.tsx'), 'EditHeartbeat')
  }),
  createRoute({
    ...page('/integrations'),
    validateSearch: integrationsSearch,
    component: lazyRouteComponent(() => import('./pages/integrations/Integrations.tsx'), 'Integrations')
  }),
  createRoute({
    ...page('/integrations/new'),
    validateSearch: sourcesSearch,
    component: lazyRouteComponent(() => import('./pages/integrations/NewIntegration.tsx'), 'NewIntegration')
  }),
  createRoute({
    ...page('/integrations/$id'),
    validateSearch: integrationSearch,
    component: lazyRouteComponent(() => import('./pages/integrations/Integration.tsx'), 'IntegrationPage')
  }),
  createRoute({ ...page('/links/chat/$token'), component: lazyRouteComponent(() => import('./pages/reach/ChatLink.tsx'), 'ChatLinkPage') }),
  createRoute({
    ...page('/feed'),
    validateSearch: feedSearch,
    component: lazyRouteComponent(() => import('./pages/feed/Feed.tsx'), 'Feed')
  }),
  onCall.addChildren([...onCallPages]),
  settings.addChildren([...settingsPages])
] as const

const outside = [
  createRoute({
    getParentRoute: () => root,
    path: '/login',
    validateSearch: ({ next }: Record<string, unknown>): { next?: string } => {
      const path = ownPathOf(next)
      return path === undefined ? {} : { next: path }
    },
    component: lazyRouteComponent(() => import('./pages/login/Login.tsx'), 'Login')
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/invites/$token',
    component: lazyRouteComponent(() => import('./pages/invite/Invite.tsx'), 'Invite')
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/links/$token',
    component: lazyRouteComponent(() => import('./pages/links/MailLink.tsx'), 'MailLink')
  })
] as const

export const makeRouter = (queries: QueryClient) =>
  createRouter({
    routeTree: root.addChildren([inside.addChildren([...routes]), ...outside]),
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
