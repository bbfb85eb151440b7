/**
 * Checks where a monitor may lead: the target must have the form that its type needs, and a literal
 * address must be allowed. Probers judge host names at each check.
 * Source: docs/design/api/monitors.md#s3-2, #blocked-targets.
 */
import { isIP } from 'node:net'
import { namesIn, originPart } from '../../../schemas/http/api-steps.ts'
import type { CheckConfig } from '../../../schemas/http/check-config.ts'
import type { TargetRule } from '../../../schemas/http/check-type.ts'
import type { ApiConfig } from '../../../schemas/http/check-types/api.ts'
import { checkTypes, type MonitorType } from '../../../schemas/http/check-types/index.ts'
import { PUSHED } from '../../../schemas/http/check-words.ts'
import { isLocationCode } from '../../../schemas/http/private-locations.ts'
import { rdapServerOf } from '../../checks/rdap.ts'
import { type HostPort, parseHost, parseHostPort, parseName } from '../../checks/targets.ts'
import { type AddressGuard, BlockedTarget, canonicalHost, createAddressGuard } from '../../http/address-guard.ts'
import { invalid } from '../http/errors.ts'

/**
 * Returns `target`, or its other name `url`; undefined if neither was sent. A pushed state has no
 * target, so a fixed word is used instead.
 */
export function targetOf(type: MonitorType, { target, url }: { target?: string; url?: string }): string | undefined {
  if (type === PUSHED) {
    if ((target ?? url ?? PUSHED) !== PUSHED) throw invalid('target', 'unknown_field', `is not a field of type ${type}`)
    return PUSHED
  }
  if (target !== undefined && url !== undefined && target !== url)
    throw invalid('url', 'mutually_exclusive', 'is another way to say target')
  return target ?? url
}

const schemes = { http: ['http:', 'https:'], websocket: ['ws:', 'wss:'] } as const

function readUrl(target: string, form: 'http' | 'websocket', path = 'target'): HostPort {
  const [plain, secured] = schemes[form]
  const isOne = !/[\s\p{Cc}]/u.test(target) && /^[a-z]+:\/\//i.test(target) && URL.canParse(target)
  const { hostname, port, protocol, username, password } = new URL(isOne ? target : 'none:')
  if (protocol !== plain && protocol !== secured) {
    throw invalid(path, 'pattern', `must be an address that begins with ${plain}// or ${secured}//`)
  }
  if (username !== '' || password !== '') throw invalid(path, 'pattern', 'may not hold a user or password; they go into config.auth')
  const host = canonicalHost(hostname)
  if (host === null) throw invalid(path, 'pattern', 'has no host that can be asked for')
  return { host, port: Number(port) || (protocol === secured ? 443 : 80) }
}

/** Returns the host and port that a check connects to; null: only name servers. */
function reachedBy(target: string, { form, port, words }: TargetRule): HostPort | null {
  const wrong = () => invalid('target', 'pattern', `must be ${words.charAt(0).toLowerCase()}${words.slice(1)}`)
  switch (form) {
    case 'http':
    case 'websocket':
      return readUrl(target, form)
    case 'host_port': {
      const to = parseHostPort(target, port)
      if (!to) throw wrong()
      return to
    }
    case 'host': {
      const host = parseHost(target)
      if (host === null) throw wrong()
      return { host, port: 0 }
    }
    case 'domain':
      checkDomain(target, words)
      return null
    case 'none':
      return null
    case 'name':
      if (parseName(target) === null && isIP(parseHost(target) ?? '') === 0) throw wrong()
      return null
  }
}

/** Checks that the target is a domain whose registration can be looked up. */
function checkDomain(target: string, words: string): void {
  const name = parseName(target)
  if (name === null) throw invalid('target', 'pattern', `must be ${words.charAt(0).toLowerCase()}${words.slice(1)}`)
  if (rdapServerOf(name) === null) {
    throw invalid('target', 'pattern', 'must be a registered domain whose registry tells by RDAP when it ends; of this ending none does')
  }
}

/**
 * The operator of a location decides in its prober's own settings what it reaches, so no address is
 * refused here.
 */
const anywhere = createAddressGuard({ open: ['0.0.0.0/0', '::/0'], closed: [], own: [] })

/**
 * Returns what judges the addresses of a monitor: `guard`, unless only private locations check it.
 * One public region among them is enough for `guard`.
 */
export const guardFor = (regions: readonly string[], guard: AddressGuard): AddressGuard =>
  regions.length > 0 && regions.every(isLocationCode) ? anywhere : guard

export async function checkTarget(type: MonitorType, target: string, guard: AddressGuard): Promise<void> {
  const to = reachedBy(target, checkTypes[type].target)
  if (to) await checkAddress('target', to, guard)
}

/** Checks the addresses among the settings. */
export async function checkReached(type: MonitorType, config: CheckConfig, guard: AddressGuard): Promise<void> {
  const tokens = config.auth?.token_url
  if (tokens !== undefined) await checkAddress('config.auth.token_url', readUrl(tokens, 'http', 'config.auth.token_url'), guard)
  const { steps = [] } = type === 'api' ? (config as ApiConfig) : {}
  for (const [nth, { url }] of steps.entries()) {
    const origin = originPart(url)
    const path = `config.steps[${nth}].url`
    if (origin !== '' && namesIn(origin).length === 0) await checkAddress(path, readUrl(origin, 'http', path), guard)
  }
  for (const { setting, port } of checkTypes[type].reaches ?? []) {
    const value = config[setting]
    if (typeof value !== 'string') continue
    const to = parseHostPort(isIP(value) === 6 ? `[${value}]` : value, port)
    if (!to || isIP(to.host) === 0) throw invalid(`config.${setting}`, 'pattern', 'must be an IP address, with or without a port')
    await checkAddress(`config.${setting}`, to, guard)
  }
}

/** Refuses a literal address that no check may reach. */
async function checkAddress(path: string, { host, port }: HostPort, guard: AddressGuard): Promise<void> {
  try {
    // No name is resolved here: a host name passes.
    await guard.resolve(host, port, 0, async () => [])
  } catch (error) {
    if (!(error instanceof BlockedTarget)) throw error
    throw invalid(path, 'blocked_target', error.message)
  }
}
