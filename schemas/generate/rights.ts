/**
 * Generates docs/rights.md: which credential of which role may call which route, hear which frame,
 * and see which feed item, as schemas/http/rights.ts decides. Tests compare the running api and
 * gateway with it.
 */
import type { Channel } from '../http/channels.ts'
import { type Endpoint, endpoints, type MemberRole, roles, type Scope, scopes } from '../http/endpoints.ts'
import type { FeedCategory } from '../http/feed.ts'
import { channelsOf, feedCategoriesOf, mayCall, type Rights, rightsOf, scopesFor, seesAllTeams } from '../http/rights.ts'

type Credential = 'session' | Scope

/** A session, and one token for each single scope. */
const credentials: readonly Credential[] = ['session', ...scopes]

const NOBODY = '–'

const rightsOfCredential = (role: MemberRole, credential: Credential): Rights =>
  rightsOf(role, credential === 'session' ? null : [credential])

function cell(role: MemberRole, may: (credential: Credential, rights: Rights) => boolean): string {
  const able = credentials.filter((credential) => may(credential, rightsOfCredential(role, credential)))
  if (able.length === 0) return NOBODY
  return able.length === credentials.length ? 'all' : able.join(', ')
}

const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`

/** `may` returns whether a role and credential are allowed. */
const line = (name: string, may: (role: MemberRole, credential: Credential, rights: Rights) => boolean): string =>
  row([name, ...roles.map((role) => cell(role, (credential, rights) => may(role, credential, rights)))])

const head = (first: string): string[] => [row([first, ...roles]), row(['---', ...roles.map(() => '---')])]

const routeName = ({ method, path }: Endpoint): string => `\`${method} ${path}\``

function routes(): string[] {
  const all: Endpoint[] = Object.values(endpoints)
  const rows = (taken: Endpoint['auth']): Endpoint[] => all.filter(({ auth }) => auth === taken)
  const guarded = all.filter(({ auth }) => auth === 'token_or_session' || auth === 'session')
  return [
    '## Routes',
    '',
    ...head('Route'),
    ...guarded.map((endpoint) =>
      line(routeName(endpoint), (_, credential, rights) =>
        credential === 'session'
          ? mayCall(endpoint, { kind: 'session', rights })
          : endpoint.auth !== 'session' && mayCall(endpoint, { kind: 'token', rights })
      )
    ),
    '',
    `Every credential of a person, and none: ${rows('optional_session').map(routeName).join(', ')}.`,
    '',
    `The token of a prober, and nothing else: ${rows('prober').map(routeName).join(', ')}.`,
    '',
    `Everybody: ${rows('public').map(routeName).join(', ')}.`,
    '',
    'Alerts and pings come with tokens of their own (`svc_…`, ping addresses); no API token opens a door. The scope `ingest` shows the ping addresses of heartbeats, together with `read`.',
    ''
  ]
}

const hears = (channel: Channel) => (_: MemberRole, _credential: Credential, rights: Rights) => channelsOf(rights).includes(channel)
const sees = (category: FeedCategory) => (_: MemberRole, _credential: Credential, rights: Rights) =>
  feedCategoriesOf(rights).includes(category)

function frames(): string[] {
  return [
    '## Frames and feed items',
    '',
    'A socket that would hear nothing is refused with 403. An item of the feed is shown by REST to whoever hears its frame, and to nobody else.',
    '',
    ...head('What'),
    line('a socket', (_, _credential, rights) => channelsOf(rights).length > 0),
    line('frames of `monitors.status`', hears('monitors.status')),
    line('those of a private team', (role, credential, rights) => hears('monitors.status')(role, credential, rights) && seesAllTeams(role)),
    line('frames of `heartbeats.status`', hears('heartbeats.status')),
    line('frames of `oncall`', hears('oncall')),
    line('frames without a channel', hears('monitors.status')),
    line('own feed items: `incident`', sees('incident')),
    line('own feed items: `admin`', sees('admin')),
    line('own feed items: `billing`', sees('billing')),
    ''
  ]
}

/** Returns the text of docs/rights.md. */
export function toRights(): string {
  const opened = (scope: Scope): number => Object.values(endpoints).filter((endpoint) => scopesFor(endpoint).includes(scope)).length
  return [
    '<!-- Written by `npm run generate` from schemas/http/endpoints.ts and schemas/http/rights.ts. Never edited by hand. -->',
    '',
    '# Who may do what',
    '',
    'A session has the rights of its person’s role. A token has those of its scopes, as far as the present role of its owner has them; the scope `admin` stands for all. ' +
      'A change of role or of scopes counts within 5 s, on open sockets too: one that may hear less is closed with 4403.',
    '',
    'The columns are roles. A cell names what passes: `session`, and the scopes of which each alone is enough for a token whose owner has the role; `all` is every one of them, – none.',
    '',
    `Scopes: ${scopes.map((scope) => `\`${scope}\`${scope !== 'admin' && opened(scope) === 0 ? ' (no route yet)' : ''}`).join(', ')}.`,
    '',
    ...routes(),
    ...frames()
  ].join('\n')
}
