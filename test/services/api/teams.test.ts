/**
 * Tests of teams: who may create and change them, who belongs to them, and what a private team
 * hides.
 */

import t from 'tap'
import { createCredentials } from '../../../services/credentials/tokens.ts'
import { until } from '../../harness/until.ts'
import { as, audited, type Person, person } from './people.ts'
import { type Stand, stand, type Workspace } from './stand.ts'

const TEAMS = '/api/v1/teams'
const NOBODY = '01890000-0000-7000-8000-000000000000'

interface Made {
  id: string
  version: number
}

async function team(s: Stand, who: Workspace | Person, body: object): Promise<Made> {
  const answer = 'cookie' in who ? await as(s, who, 'POST', TEAMS, body) : await s.call(who, 'POST', TEAMS, body)
  if (answer.statusCode !== 201) throw new Error(answer.body)
  return answer.json()
}

const frames = async (s: Stand, tenant_id: string, type: string) =>
  (
    await s.systemPool.query<{ audience: string; json: string }>(
      `SELECT headers ->> 'audience' AS audience, convert_from(payload, 'UTF8') AS json FROM outbox
        WHERE tenant_id = $1 AND headers ->> 'event_type' = $2 ORDER BY id`,
      [tenant_id, type]
    )
  ).rows.map(({ audience, json }) => ({ audience, data: JSON.parse(json).data }))

t.test('teams', async (t) => {
  const s = await stand(t)

  await t.test('a team can be created, read, changed and deleted', async (t) => {
    const home = await s.workspace('plain')
    const answer = await s.call(home, 'POST', TEAMS, { name: 'Zahlungen & Köln' })
    t.equal(answer.statusCode, 201)
    t.equal(answer.headers['cache-control'], 'no-store')
    t.match(answer.json(), {
      tenant_id: home.tenant_id,
      name: 'Zahlungen & Köln',
      slug: 'zahlungen-koln',
      description: '',
      visibility: 'org',
      member_count: 1,
      members: [{ user_id: home.user_id, role: 'lead', workspace_role: 'owner', email: home.email }],
      version: 1
    })
    const { id } = answer.json()
    t.match((await s.call(home, 'POST', TEAMS, { name: 'x', slug: 'zahlungen-koln' })).json(), {
      code: 'SLUG_TAKEN',
      details: [{ path: 'slug' }]
    })
    t.equal((await s.call(home, 'POST', TEAMS, { name: 'Search' })).statusCode, 201)
    t.match((await s.call(home, 'GET', TEAMS)).json(), { total: 2, items: [{ name: 'Search' }, { name: 'Zahlungen & Köln' }] })
    t.match((await s.call(home, 'GET', `${TEAMS}?q=KOLN`)).json(), { total: 1, items: [{ id }] })
    t.match((await s.call(home, 'GET', `${TEAMS}?user_id=${NOBODY}`)).json(), { total: 0, items: [] })
    const changed = await s.call(home, 'PATCH', `${TEAMS}/${id}`, { name: 'Payments', description: 'Cards.' })
    t.match(changed.json(), { name: 'Payments', slug: 'zahlungen-koln', description: 'Cards.', version: 2 })
    t.equal((await s.call(home, 'PATCH', `${TEAMS}/${id}`, { name: 'Payments' })).json().version, 2, 'what changes nothing is no version')
    t.equal((await s.call(home, 'DELETE', `${TEAMS}/${id}`)).statusCode, 204)
    t.equal((await s.call(home, 'GET', `${TEAMS}/${id}`)).statusCode, 404)
    t.equal((await s.call(home, 'DELETE', `${TEAMS}/${id}`)).statusCode, 404)
    t.equal((await s.call(home, 'POST', TEAMS, { name: 'Zahlungen & Köln' })).statusCode, 201, 'its slug is free')
    t.same(await audited(s, home.tenant_id, id), ['team.created', 'team.updated', 'team.deleted'])
    const { rows } = await s.systemPool.query(
      "SELECT version, body FROM config_versions WHERE id = $1 AND kind = 'team' ORDER BY version",
      [id]
    )
    t.match(rows, [
      { version: 1, body: { visibility: 'org' } },
      { version: 2, body: { name: 'Payments' } },
      { version: 3, body: { deleted: true } }
    ])
  })

  await t.test('invalid teams and a team over the plan limit are refused', async (t) => {
    const home = await s.workspace('refusals', 'free')
    const bad: [string, object, string][] = [
      ['no name', {}, 'name'],
      ['a slug with blanks', { name: 'x', slug: 'a b' }, 'slug'],
      ['an unknown visibility', { name: 'x', visibility: 'secret' }, 'visibility'],
      ['an unknown field', { name: 'x', members: [] }, 'members']
    ]
    for (const [name, body, path] of bad) {
      const answer = await s.call(home, 'POST', TEAMS, body)
      t.match(answer.json(), { code: 'VALIDATION_FAILED', details: [{ path }] }, name)
    }
    const { id } = await team(s, home, { name: 'The one' })
    t.match((await s.call(home, 'POST', TEAMS, { name: 'One more' })).json(), {
      code: 'TIER_LIMIT_EXCEEDED',
      details: [{ limit_key: 'teams', limit: 1, actual: 1, upgrade_to: 'pro' }]
    })
    t.equal(
      (await s.call(home, 'PUT', `${TEAMS}/${id}/members/${s.globex.user_id}`, {})).statusCode,
      404,
      'who is no member of the workspace'
    )
    t.equal((await s.call(s.globex, 'GET', `${TEAMS}/${id}`)).statusCode, 404)
    t.equal((await s.call(home, 'GET', `${TEAMS}/payments`)).statusCode, 404, 'no id')
  })

  await t.test('a team that still owns something cannot be deleted', async (t) => {
    const home = await s.workspace('used')
    const { id } = await team(s, home, { name: 'Payments' })
    const monitor = await s.call(home, 'POST', '/api/v1/monitors', {
      name: 'shop',
      type: 'http',
      target: 'https://example.com/',
      team_id: id
    })
    t.equal(monitor.json().team_id, id, monitor.body)
    const heartbeat = await s.call(home, 'POST', '/api/v1/heartbeats', {
      name: 'backup',
      schedule: { kind: 'period', period_seconds: 60 },
      team_id: id
    })
    t.equal(heartbeat.json().team_id, id, heartbeat.body)
    const integration = await s.call(home, 'POST', '/api/v1/integrations/inbound', { name: 'grafana', source_type: 'grafana', team_id: id })
    t.equal(integration.json().team_id, id, integration.body)
    const declared = await s.call(home, 'POST', '/api/v1/incidents', { title: 'Slow', severity: 'critical', team_id: id })
    t.equal(declared.json().team_id, id, declared.body)
    t.match((await s.call(home, 'DELETE', `${TEAMS}/${id}`)).json(), {
      code: 'IN_USE',
      error: 'The team still has 1 monitor, 1 heartbeat, 1 integration, 1 ongoing incident. Move them to another team first'
    })
    t.equal((await s.call(home, 'GET', `/api/v1/monitors?team_id=${id}`)).json().total, 1)
    t.equal((await s.call(home, 'GET', `/api/v1/heartbeats?team_id=${id}`)).json().total, 1)
    for (const [path, created] of [
      ['monitors', monitor],
      ['heartbeats', heartbeat],
      ['integrations/inbound', integration]
    ] as const) {
      const moved = await s.call(home, 'PATCH', `/api/v1/${path}/${created.json().id}`, { team_id: null })
      t.equal(moved.json().team_id, null, moved.body)
      const gone = await s.call(home, 'PATCH', `/api/v1/${path}/${created.json().id}`, { team_id: NOBODY })
      t.match(gone.json(), { code: 'VALIDATION_FAILED', details: [{ path: 'team_id', rule: 'unknown_team' }] })
    }
    t.equal((await s.call(home, 'POST', `/api/v1/incidents/${declared.json().id}/resolve`)).statusCode, 200)
    t.equal((await s.call(home, 'DELETE', `${TEAMS}/${id}`)).statusCode, 204)
    t.equal((await s.call(home, 'GET', `/api/v1/incidents/${declared.json().id}`)).json().team_id, id, 'history keeps whose it was')
  })

  await t.test('a team that a hidden policy names cannot be deleted', async (t) => {
    const home = await s.workspace('named')
    const ann = await person(s, home, 'named-ann', 'editor')
    const secret = await team(s, home, { name: 'Secret', visibility: 'private' })
    const named = await team(s, ann, { name: 'Named' })
    const steps = [{ targets: [{ type: 'team', id: named.id }] }]
    const policy = await s.call(home, 'POST', '/api/v1/on-call/escalation-policies', { name: 'Hidden', team_id: secret.id, steps })
    t.equal(policy.statusCode, 201, policy.body)
    const refused = await as(s, ann, 'DELETE', `${TEAMS}/${named.id}`)
    t.match([refused.statusCode, refused.json()], [409, { code: 'IN_USE', details: [{ path: 'escalation_policies', actual: 1 }] }])
    await s.call(home, 'DELETE', `/api/v1/on-call/escalation-policies/${policy.json().id}`)
    t.equal((await as(s, ann, 'DELETE', `${TEAMS}/${named.id}`)).statusCode, 204)
  })

  await t.test('a private team is hidden from outsiders, and only leads and admins change it', async (t) => {
    const home = await s.workspace('private')
    const lead = await person(s, home, 'private-lead', 'editor')
    const member = await person(s, home, 'private-member', 'editor')
    const outsider = await person(s, home, 'private-outsider', 'editor')
    const admin = await person(s, home, 'private-admin', 'admin')
    const { id } = await team(s, lead, { name: 'Security', visibility: 'private' })
    const path = `${TEAMS}/${id}`
    t.equal((await as(s, lead, 'GET', path)).statusCode, 200, 'whoever makes one sees it at once')
    t.equal((await as(s, lead, 'PUT', `${path}/members/${member.user_id}`, {})).statusCode, 200)
    t.equal((await as(s, member, 'GET', path)).json().members.length, 2)

    t.equal((await as(s, outsider, 'GET', path)).statusCode, 404)
    t.equal((await as(s, outsider, 'GET', TEAMS)).json().total, 0)
    t.equal((await as(s, admin, 'GET', TEAMS)).json().total, 1)
    for (const [method, where, body] of [
      ['PATCH', path, { name: 'x' }],
      ['DELETE', path, undefined],
      ['PUT', `${path}/members/${outsider.user_id}`, {}],
      ['DELETE', `${path}/members/${lead.user_id}`, undefined]
    ] as const) {
      t.equal((await as(s, outsider, method, where, body)).statusCode, 404, `an outsider: ${method} ${where}`)
      const refused = await as(s, member, method, where, body)
      t.match([refused.statusCode, refused.json().code], [403, 'FORBIDDEN'], `a member: ${method} ${where}`)
    }
    t.equal((await as(s, admin, 'PATCH', path, { description: 'by an admin' })).statusCode, 200)
    t.same((await as(s, lead, 'GET', '/api/v1/account')).json().user.teams, [id])
    t.same((await as(s, outsider, 'GET', '/api/v1/account')).json().user.teams, [])

    const mine = { name: 'door', source_type: 'generic', team_id: id }
    t.equal((await as(s, outsider, 'POST', '/api/v1/integrations/inbound', mine)).json().details[0].rule, 'unknown_team')
    t.equal((await as(s, member, 'POST', '/api/v1/integrations/inbound', mine)).statusCode, 403, 'what brings its alerts is for leads')
    const door = (await as(s, lead, 'POST', '/api/v1/integrations/inbound', mine)).json()
    const doorPath = `/api/v1/integrations/inbound/${door.id}`
    t.equal((await as(s, member, 'PATCH', doorPath, { enabled: false })).statusCode, 403)
    t.equal((await as(s, member, 'POST', `${doorPath}/rotate-token`, {})).statusCode, 403)
    t.equal((await as(s, member, 'DELETE', doorPath)).statusCode, 403)
    t.equal((await as(s, lead, 'GET', doorPath)).json().version, 1, 'nothing was half done')
    t.equal((await as(s, outsider, 'GET', doorPath)).statusCode, 404)

    t.equal((await as(s, member, 'DELETE', `${path}/members/${member.user_id}`)).statusCode, 204, 'everybody may leave')
    t.equal((await as(s, member, 'GET', path)).statusCode, 404)
  })

  await t.test('people of every role can leave a team, and nobody else leaves with them', async (t) => {
    const home = await s.workspace('leaving')
    const { id } = await team(s, home, { name: 'Left', visibility: 'private' })
    const stays = await person(s, home, 'leaving-stays', 'editor')
    await s.call(home, 'PUT', `${TEAMS}/${id}/members/${stays.user_id}`, { role: 'member' })
    for (const role of ['viewer', 'responder', 'billing', 'editor'] as const) {
      const who = await person(s, home, `leaving-${role}`, role)
      t.equal((await as(s, who, 'DELETE', `${TEAMS}/${id}/members/me`)).statusCode, 404, 'a team that they do not see')
      await s.call(home, 'PUT', `${TEAMS}/${id}/members/${who.user_id}`, { role: 'member' })
      const left = await as(s, who, 'DELETE', `${TEAMS}/${id}/members/me`)
      t.equal(left.statusCode, 204, `${role}: ${left.body}`)
      t.equal((await as(s, who, 'DELETE', `${TEAMS}/${id}/members/me`)).statusCode, 404, 'once')
    }
    const { members } = (await s.call(home, 'GET', `${TEAMS}/${id}`)).json()
    t.same(
      members.map((one: { user_id: string }) => one.user_id),
      [home.user_id, stays.user_id]
    )
  })

  await t.test('a team that turns private hides its incidents, and dashboards get removal frames', async (t) => {
    const home = await s.workspace('narrowing')
    const lead = await person(s, home, 'narrowing-lead', 'editor')
    const outsider = await person(s, home, 'narrowing-outsider', 'editor')
    const { id } = await team(s, lead, { name: 'Security' })
    const { incident_id, key } = await s.incident(home, { team_id: id })
    const before = await s.incident(home, { team_id: id })
    t.equal((await s.call(home, 'POST', `/api/v1/incidents/${before.incident_id}/resolve`)).statusCode, 200)
    const seen = async (who: Person) => (await as(s, who, 'GET', '/api/v1/incidents')).json().total
    t.equal(await seen(outsider), 2)

    t.match((await as(s, outsider, 'PATCH', `${TEAMS}/${id}`, { visibility: 'private' })).json(), { code: 'FORBIDDEN' })
    t.equal((await as(s, lead, 'PATCH', `${TEAMS}/${id}`, { visibility: 'private' })).statusCode, 200)
    t.equal(await seen(outsider), 0, 'resolved ones too')
    t.equal((await as(s, outsider, 'GET', `/api/v1/incidents/${key}`)).statusCode, 404)
    t.equal((await as(s, outsider, 'GET', `/api/v1/incidents/${key}/timeline`)).statusCode, 404)
    t.equal(await seen(lead), 2)
    t.same(await frames(s, home.tenant_id, 'incident.removed'), [{ audience: 'tenant', data: { incident_id, monitor_id: '' } }])

    t.equal((await as(s, lead, 'PUT', `${TEAMS}/${id}/members/${outsider.user_id}`, { role: 'member' })).statusCode, 200)
    t.equal(await seen(outsider), 2)
    t.equal((await as(s, lead, 'DELETE', `${TEAMS}/${id}/members/${outsider.user_id}`)).statusCode, 204)
    t.equal(await seen(outsider), 0)
    t.match((await frames(s, home.tenant_id, 'incident.removed'))[1], { audience: `user:${outsider.user_id}`, data: { incident_id } })

    t.equal((await s.call(home, 'POST', `/api/v1/incidents/${incident_id}/resolve`)).statusCode, 200)
    t.equal((await as(s, lead, 'DELETE', `${TEAMS}/${id}`)).statusCode, 204)
    t.equal(await seen(outsider), 0, 'what a deleted team owned stays private')
    t.equal((await s.call(home, 'GET', '/api/v1/incidents')).json().total, 2)
  })

  await t.test('a removal frame never names an incident that its receivers could not see', async (t) => {
    const home = await s.workspace('unseen')
    const lead = await person(s, home, 'unseen-lead', 'editor')
    const outsider = await person(s, home, 'unseen-outsider', 'editor')
    const { id } = await team(s, lead, { name: 'Mixed' })
    const shown = await s.incident(home, { team_id: id })
    const closed = await s.incident(home, { team_id: id, visibility: 'private' })
    t.equal((await as(s, lead, 'GET', `/api/v1/incidents/${closed.key}`)).statusCode, 200, 'its members see what is private by itself')
    t.equal((await as(s, outsider, 'GET', `/api/v1/incidents/${closed.key}`)).statusCode, 404)

    t.equal((await as(s, outsider, 'DELETE', `${TEAMS}/${id}/members/${lead.user_id}`)).statusCode, 204)
    const [left] = await frames(s, home.tenant_id, 'incident.removed')
    t.match(left, { audience: `user:${lead.user_id}`, data: { incident_id: closed.incident_id } }, 'who goes loses that one alone')
    t.equal((await s.call(home, 'PATCH', `${TEAMS}/${id}`, { visibility: 'private' })).statusCode, 200)
    t.same((await frames(s, home.tenant_id, 'incident.removed')).slice(1), [
      { audience: 'tenant', data: { incident_id: shown.incident_id, monitor_id: '' } }
    ])
  })

  await t.test('a declaration does not return an incident that its author cannot see', async (t) => {
    const home = await s.workspace('declared')
    const lead = await person(s, home, 'declared-lead', 'admin')
    const outsider = await person(s, home, 'declared-outsider', 'responder')
    const { id } = await team(s, lead, { name: 'Security', visibility: 'private' })
    const body = { title: 'Slow', severity: 'critical', dedup_key: 'checkout' }
    const hidden = (await as(s, lead, 'POST', '/api/v1/incidents', { ...body, team_id: id })).json()
    const open = await as(s, outsider, 'POST', '/api/v1/incidents', body)
    t.equal(open.statusCode, 201, open.body)
    t.not(open.json().id, hidden.id)
    t.equal((await as(s, lead, 'POST', '/api/v1/incidents', { ...body, team_id: id })).json().id, hidden.id, 'once in its team')
    t.match((await as(s, outsider, 'POST', '/api/v1/incidents', { ...body, team_id: id })).json(), { details: [{ rule: 'unknown_team' }] })
    t.equal((await as(s, outsider, 'POST', `/api/v1/incidents/${hidden.id}/acknowledge`)).statusCode, 404)
  })

  await t.test('hidden teams count against the plan limit', async (t) => {
    const home = await s.workspace('counted', 'pro')
    const lead = await person(s, home, 'counted-lead', 'editor')
    const outsider = await person(s, home, 'counted-outsider', 'editor')
    await team(s, lead, { name: 'One', visibility: 'private' })
    for (const name of ['Two', 'Three', 'Four', 'Five']) await team(s, home, { name })
    t.match((await as(s, outsider, 'POST', TEAMS, { name: 'Six' })).json(), { code: 'TIER_LIMIT_EXCEEDED', details: [{ actual: 5 }] })
  })

  await t.test('a change of teams reaches other processes', async (t) => {
    const home = await s.workspace('news')
    const ada = await person(s, home, 'news-ada', 'viewer')
    const elsewhere = createCredentials({ pool: s.tenantPool, log: s.services.log })
    t.teardown(() => elsewhere.close())
    await until('it listens', () => elsewhere.listening())
    const lists = async () => {
      const found = await elsewhere.session(ada.cookie.split('=')[1] ?? '')
      return found && { own: found.own_teams, hidden: found.hidden_teams, open: found.open_teams }
    }
    t.same(await lists(), { own: [], hidden: [], open: null })
    const secret = await team(s, home, { name: 'Secret', visibility: 'private' })
    await until('the private one is hidden', async () => (await lists())?.hidden.includes(secret.id))
    const open = await team(s, home, { name: 'Open' })
    await until('the open one is there', async () => (await lists())?.open?.includes(open.id))
    await s.call(home, 'PUT', `${TEAMS}/${secret.id}/members/${ada.user_id}`, {})
    await until('it is their own', async () => (await lists())?.own.includes(secret.id))
    t.same((await lists())?.hidden, [])
    await s.call(home, 'DELETE', `/api/v1/workspace/members/${ada.user_id}`)
    t.equal((await s.call(home, 'GET', `${TEAMS}/${secret.id}`)).json().member_count, 1, 'who leaves the workspace leaves its teams')
  })
})
