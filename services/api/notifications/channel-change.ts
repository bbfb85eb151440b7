/**
 * Creates, changes and ends a notification channel: checks its plan, its team, where it leads, and
 * whether the workspace has proven that it owns the address.
 * Source: docs/design/api/notifications.md#s8-2.
 */
import type { FastifyRequest } from 'fastify'
import type { CreateChannelBody, TemplateOverrides, UpdateChannelBody } from '../../../schemas/http/notification-channels.ts'
import type { ChannelKind } from '../../../schemas/http/notification-words.ts'
import { type Plan, planIds, planOf, plans } from '../../../schemas/plans.ts'
import { uuidv7 } from '../../../schemas/uuid.ts'
import type { Channel } from '../../channels/channel.ts'
import { isInstalled } from '../../channels/install.ts'
import { channels } from '../../channels/kinds/index.ts'
import { openForTenant, sealForTenant } from '../../credentials/sealing.ts'
import type { Config } from '../../process/config.ts'
import { actorText, difference, insertAudit, isUnchanged } from '../../store/audit.ts'
import {
  type ChannelSettings,
  countChannels,
  deleteChannel,
  hasMailChannel,
  insertChannel,
  isVerifiedAddress,
  lockChannel,
  namesOfUses,
  type StoredChannel,
  updateChannel,
  usesOfChannel
} from '../../store/channels.ts'
import { uninstallJob } from '../../store/chat-installs.ts'
import { insertConfigVersion } from '../../store/config-versions.ts'
import { endQuotaWait } from '../../store/delivery-reads.ts'
import { changeJobs } from '../../store/jobs.ts'
import { isMemberAddress } from '../../store/members.ts'
import { seeingAll, type Tx } from '../../store/pool.ts'
import { readRuleSet } from '../../store/routing.ts'
import { readTeam } from '../../store/teams.ts'
import { lockWorkspace, readWorkspace } from '../../store/tenants.ts'
import { type Caller, callerOf } from '../http/caller.ts'
import { counted } from '../http/counted.ts'
import { ApiError, invalid, notFound, refuse } from '../http/errors.ts'
import { checkIfMatch } from '../http/preconditions.ts'
import { checkTarget, type TargetRules } from '../http/targets.ts'
import { ruleSightOf } from '../routing/sight.ts'
import { checkManages, checkManagesAll, checkRoutes, chosenTeam, givenTeam } from '../teams/rules.ts'
import { checkLimit } from '../workspace/limits.ts'
import { beforeNaming } from '../workspace/naming.ts'
import { checkKeepsSecrets, checkSetUp } from './addresses.ts'
import { changedChannelConfig, type Sealing, shownConfig, untouched } from './channel-config.ts'
import { askToConfirm } from './confirmation.ts'
import { templateFaults } from './template-faults.ts'

/** The most places of each sort that a refusal names. */
const MAX_NAMED = 5

export interface ChannelRules extends TargetRules, Pick<Config, 'twilioAccountSid'> {
  secretsKey: string
}

/**
 * Returns the implementation of the kind. Throws VALIDATION_FAILED for a kind of a later version.
 */
export function channelOf(kind: ChannelKind): Channel {
  const channel = channels[kind]
  if (channel) return channel
  throw invalid(
    'kind',
    'enum',
    `${kind} comes with a later version; now there are ${Object.keys(channels)
      .filter((one) => one !== 'push' && one !== 'slack_dm')
      .join(', ')}`
  )
}

/**
 * Whether a plan includes the kind. `<kind>:webhook` is enough: the only mode of slack and discord
 * here is a webhook.
 */
export const planHas = (plan: Plan, kind: ChannelKind): boolean => plan.channels.includes(kind) || plan.channels.includes(`${kind}:webhook`)

/** Returns the lowest plan above `plan` that includes the kind; null: none does. */
export const planWith = (plan: Plan, kind: ChannelKind): string | null =>
  planIds.slice(planIds.indexOf(plan.id) + 1).find((id) => planHas(plans[id], kind)) ?? null

async function checkKind(tx: Tx, tenant_id: string, kind: ChannelKind): Promise<void> {
  const workspace = await readWorkspace(tx, tenant_id)
  if (!workspace) throw notFound()
  const plan = planOf(workspace.plan)
  if (planHas(plan, kind)) return
  throw new ApiError('TIER_LIMIT_EXCEEDED', `This plan does not include channels of the kind ${kind}.`, {
    details: [
      { path: 'kind', rule: 'limit', limit_key: 'channel_kinds', limit: 0, actual: 1, plan: plan.id, upgrade_to: planWith(plan, kind) }
    ]
  })
}

export function sealingOf(secretsKey: string, tenant_id: string, channel_id: string): Sealing {
  const place = (field: string) => ({ tenant_id, resource: `channel:${channel_id}`, field })
  return {
    seal(plain, field) {
      checkKeepsSecrets(secretsKey)
      return sealForTenant(secretsKey, place(field), plain)
    },
    open: (sealed, field) => openForTenant(secretsKey, place(field), sealed)
  }
}

/** Throws VALIDATION_FAILED if the service may not send to an address that the workspace names. */
async function checkTargets({ fields }: Channel, config: Record<string, unknown>, { open }: Sealing, rules: ChannelRules): Promise<void> {
  for (const { name, origin, secret } of fields) {
    const stored = config[name]
    if (!origin || typeof stored !== 'string') continue
    const address = secret ? open(stored, name) : stored
    await checkTarget(`config.${name}`, address, rules)
  }
}

/** Only a private team's lead or an admin may let a channel be told about that team. */
async function allowedTeams(tx: Tx, caller: Caller, before: readonly string[], given: readonly string[] | undefined): Promise<string[]> {
  if (given === undefined) return [...before]
  const wanted = [...new Set(given.map((id) => id.toLowerCase()))]
  for (const [at, id] of wanted.entries()) {
    if (before.includes(id)) continue
    const team = await readTeam(tx, caller.tenant_id, id)
    if (!team) throw invalid(`allowed_team_ids[${at}]`, 'unknown_team', 'is not a team of this workspace')
    await checkManages(tx, caller, team)
  }
  return wanted
}

/**
 * Throws FORBIDDEN if the caller would change where messages of a private team go: those of the
 * channel's own team, or of one that it may be told about.
 */
async function checkMayRedirect(
  tx: Tx,
  caller: Caller,
  before: StoredChannel,
  after: Pick<ChannelSettings, 'config' | 'allowed_team_ids'>
) {
  const changed = { ...difference(before.config, after.config), ...difference(after.config, before.config) }
  if (Object.keys(changed).length === 0) return
  await checkManagesAll(tx, caller, [before.team_id, ...after.allowed_team_ids])
}

/** Nothing is known yet about a new token's bot. */
function withoutOldBot(before: Record<string, unknown>, after: Record<string, unknown>): Record<string, unknown> {
  if (after.bot_token === before.bot_token) return after
  const { bot_id: _id, bot_name: _name, bot_fault: _fault, ...rest } = after
  return rest
}

/** Null: the address is unchanged, so its proof stays. */
async function proven(tx: Tx, tenant_id: string, channel: Channel, before: StoredChannel | null, config: Record<string, unknown>) {
  if (!channel.verified) return before ? null : false
  const address = String(config.recipient ?? config.number)
  if (before && String(before.config.recipient ?? before.config.number) === address) return null
  if (channel.kind === 'email') return isMemberAddress(tx, tenant_id, address)
  return isVerifiedAddress(tx, tenant_id, address)
}

async function checkOneMailbox(
  tx: Tx,
  tenant_id: string,
  { kind }: Channel,
  config: Record<string, unknown>,
  channel_id: string
): Promise<void> {
  if (kind === 'email' && (await hasMailChannel(tx, tenant_id, String(config.recipient), channel_id)))
    throw new ApiError('CONFLICT', 'Another channel already uses this recipient', {
      details: [{ path: 'config.recipient', rule: 'unique' }]
    })
}

export async function record(tx: Tx, { actor }: Caller, action: string, before: StoredChannel | null, after: StoredChannel): Promise<void> {
  const channel = channelOf(after.kind)
  const seen = (one: StoredChannel) => ({ ...settingsOf(one), config: shownConfig(channel, one.config) })
  const diff = before ? difference(seen(before), seen(after)) : {}
  const object = { kind: 'channel', id: after.channel_id }
  await insertAudit(tx, after.tenant_id, actor, { action, object_type: object.kind, object_id: object.id, diff })
  await insertConfigVersion(tx, after.tenant_id, {
    ...object,
    version: after.ver,
    body: { kind: after.kind, ...seen(after) },
    actor: actorText(actor)
  })
}

/** Throws VALIDATION_FAILED with every faulty text. */
function checkedOverrides(given: TemplateOverrides): TemplateOverrides {
  refuse(Object.entries(given).flatMap(([event, template]) => templateFaults(`template_overrides.${event}.`, template)))
  return given
}

export const settingsOf = (channel: ChannelSettings): ChannelSettings => {
  const { name, enabled, team_id, is_default, config, events, min_severity, allowed_team_ids, template_overrides } = channel
  return { name, enabled, team_id, is_default, config, events, min_severity, allowed_team_ids, template_overrides }
}

export async function createChannel(tx: Tx, caller: Caller, body: CreateChannelBody, rules: ChannelRules): Promise<StoredChannel> {
  const { tenant_id, actor } = caller
  const channel = channelOf(body.kind)
  const channel_id = uuidv7()
  await checkLimit(tx, tenant_id, 'channels', countChannels)
  await checkKind(tx, tenant_id, body.kind)
  checkSetUp(rules, body.kind, 'kind')
  const sealing = sealingOf(rules.secretsKey, tenant_id, channel_id)
  const config = changedChannelConfig(channel, null, body.config, sealing, { whole: true, now: Date.now() })
  await checkTargets(channel, config, sealing, rules)
  await checkOneMailbox(tx, tenant_id, channel, config, channel_id)
  const team_id = await chosenTeam(tx, caller, 'team_id', body.team_id ?? null)
  await checkRoutes(tx, caller, team_id)
  const settings: ChannelSettings = {
    name: body.name,
    enabled: body.enabled ?? true,
    team_id,
    is_default: body.is_default ?? false,
    config,
    events: body.events ?? [...channel.events],
    min_severity: body.min_severity ?? 'info',
    allowed_team_ids: await allowedTeams(tx, caller, [], body.allowed_team_ids),
    template_overrides: checkedOverrides(body.template_overrides ?? {})
  }
  const verified = (await proven(tx, tenant_id, channel, null, config)) ?? false
  const made = await insertChannel(tx, tenant_id, { channel_id, kind: body.kind, created_by: actorText(actor), verified }, settings)
  if (channel.kind === 'email' && !verified) await askToConfirm(tx, caller, rules, made)
  await record(tx, caller, 'channel.created', null, made)
  return made
}

/** `whole`: settings that are not given return to their defaults, except secrets. */
export async function changeChannel(
  tx: Tx,
  request: FastifyRequest,
  id: string,
  body: UpdateChannelBody,
  rules: ChannelRules,
  whole: boolean
): Promise<StoredChannel> {
  const caller = callerOf(request)
  const { tenant_id } = caller
  await beforeNaming(tx, tenant_id, body)
  const before = await lockChannel(tx, tenant_id, id)
  if (!before) throw notFound()
  // Not the id as sent: secrets are sealed for the id in lower case.
  const { channel_id } = before
  checkIfMatch(request, before.ver)
  if (body.kind !== undefined && body.kind !== before.kind) throw invalid('kind', 'immutable', 'is fixed at creation')
  const channel = channelOf(before.kind)
  const sealing = sealingOf(rules.secretsKey, tenant_id, channel_id)
  const config =
    body.config === undefined || isInstalled(before.config)
      ? untouched(channel, before.config, body.config)
      : withoutOldBot(before.config, changedChannelConfig(channel, before.config, body.config, sealing, { whole, now: Date.now() }))
  await checkTargets(channel, config, sealing, rules)
  await checkOneMailbox(tx, tenant_id, channel, config, channel_id)
  const team_id = await givenTeam(tx, caller, before.team_id, whole ? (body.team_id ?? null) : body.team_id)
  if (team_id !== before.team_id) await checkRoutes(tx, caller, before.team_id, team_id)
  const fallback = whole
    ? { enabled: true, is_default: false, events: [...channel.events], min_severity: 'info' as const, template_overrides: {} }
    : before
  const settings: ChannelSettings = {
    name: body.name ?? before.name,
    enabled: body.enabled ?? fallback.enabled,
    team_id,
    is_default: body.is_default ?? fallback.is_default,
    config,
    events: body.events ?? fallback.events,
    min_severity: body.min_severity ?? fallback.min_severity,
    allowed_team_ids: await allowedTeams(
      tx,
      caller,
      before.allowed_team_ids,
      whole ? (body.allowed_team_ids ?? []) : body.allowed_team_ids
    ),
    template_overrides: body.template_overrides ? checkedOverrides(body.template_overrides) : fallback.template_overrides
  }
  if (isUnchanged(settingsOf(before), settings)) return before
  await checkMayRedirect(tx, caller, before, settings)
  const verified = await proven(tx, tenant_id, channel, before, config)
  const after = await updateChannel(tx, tenant_id, channel_id, settings, verified)
  if (!after) throw notFound()
  // Messages about teams that the caller does not see wait, too.
  if (before.quota_exhausted_until !== null && after.quota_exhausted_until === null)
    await seeingAll(tx, (tx) => endQuotaWait(tx, tenant_id, channel_id))
  // When it is turned on again, its recipient must confirm again: they may have stopped it.
  const turnedOn = after.enabled && !before.enabled && after.verified_at === null
  if (channel.kind === 'email' && (verified === false || turnedOn)) await askToConfirm(tx, caller, rules, after)
  await record(tx, caller, 'channel.updated', before, after)
  return after
}

/** Counts the uses of everybody, and names those that the caller sees. Throws IN_USE. */
async function checkUnused(tx: Tx, caller: Caller, channel_id: string): Promise<void> {
  const { tenant_id } = caller
  const counts = await seeingAll(tx, (tx) => usesOfChannel(tx, tenant_id, channel_id))
  const used = (Object.keys(counts) as (keyof typeof counts)[]).filter((place) => counts[place] > 0)
  if (used.length === 0) return
  const { rules } = await readRuleSet(tx, tenant_id)
  const { sees } = await ruleSightOf(tx, caller)
  const naming = rules.filter((rule) => sees(rule) && rule.actions.channel_ids?.includes(channel_id))
  const names = {
    ...(await namesOfUses(tx, tenant_id, channel_id, MAX_NAMED)),
    routing_rules: naming.slice(0, MAX_NAMED).map(({ name }) => name)
  }
  const inWords = (place: keyof typeof counts): string => counted(counts[place], place.replaceAll('_', ' '))
  throw new ApiError('IN_USE', `The channel is used by ${used.map(inWords).join(', ')}`, {
    details: used.map((place) => ({
      path: place,
      rule: 'in_use',
      message: place.replaceAll('_', ' '),
      actual: counts[place],
      names: names[place]
    }))
  })
}

/**
 * Deletes the channel and returns it as it was. Throws IN_USE if something names it, unless
 * `force`.
 */
export async function endChannel(tx: Tx, request: FastifyRequest, id: string, force: boolean): Promise<StoredChannel> {
  const caller = callerOf(request)
  const { tenant_id } = caller
  await lockWorkspace(tx, tenant_id) // Whatever begins to name the channel waits, or is seen.
  const before = await lockChannel(tx, tenant_id, id)
  if (!before) throw notFound()
  const { channel_id } = before
  checkIfMatch(request, before.ver)
  if (before.team_id !== null) await checkRoutes(tx, caller, before.team_id)
  if (!force) await checkUnused(tx, caller, channel_id)
  const gone = await deleteChannel(tx, tenant_id, channel_id)
  if (!gone) throw notFound()
  if (isInstalled(before.config)) await changeJobs(tx, [uninstallJob(before)])
  await record(tx, caller, 'channel.deleted', before, { ...gone, config: before.config })
  return before
}
