/**
 * The environment variables of a prober, in addition to services/process/config.ts. All faults are
 * reported at once.
 */

import { isIP } from 'node:net'
import { parseHostPort } from '../checks/targets.ts'
import { expectedToken, isToken } from '../credentials/token-forms.ts'
import { isListener } from '../http/address-guard.ts'
import { parseNetwork } from '../http/networks.ts'
import { HTTP, readVariables, type Values, type Variables } from '../process/environment.ts'

function isResolver(text: string): boolean {
  const to = parseHostPort(isIP(text) === 6 ? `[${text}]` : text, 53)
  return to !== null && isIP(to.host) !== 0
}

export const proberVariables = {
  url: {
    name: 'SERVICE_PROBER_URL',
    kind: 'url',
    protocols: HTTP,
    withoutLastSlash: true,
    readers: ['prober'],
    says: 'Base address of `api`.'
  },
  token: {
    name: 'SERVICE_PROBER_TOKEN',
    kind: 'text',
    // The token itself stays out of the message.
    rule: { test: (text) => isToken('prober', text), expected: expectedToken('prober'), repeats: false },
    readers: ['prober'],
    says: 'Token of the region that this prober checks from.'
  },
  instance: {
    name: 'SERVICE_PROBER_INSTANCE',
    kind: 'text',
    fallback: '<SERVICE_INSTANCE>',
    rule: {
      test: (text) => /^[A-Za-z0-9._:-]{1,100}$/.test(text),
      expected: 'at most 100 letters, digits and . _ : -',
      repeats: false
    },
    readers: ['prober'],
    says: 'Name of this prober among those of its region. It must stay the same after a restart.'
  },
  open: {
    name: 'PROBER_ALLOW_CIDRS',
    kind: 'list',
    fallback: '',
    rule: { test: (text) => parseNetwork(text) !== null, expected: 'networks such as 10.0.0.0/8', repeats: true },
    readers: ['prober'],
    says: 'Networks that the operator opens to checks, with commas between them. A local run opens them to its probers and its `api`.'
  },
  resolvers: {
    name: 'PROBER_DNS_RESOLVERS',
    kind: 'list',
    fallback: '',
    rule: { test: isResolver, expected: 'IP addresses, with or without a port', repeats: true },
    readers: ['prober'],
    says: 'DNS resolvers that `dns` checks ask, with commas between them. Without them this prober does no `dns` checks, because the resolvers of the machine may know internal names.'
  },
  own: {
    name: 'SERVICE_PROBER_BLOCK',
    kind: 'list',
    fallback: '',
    rule: { test: isListener, expected: 'host:port', repeats: true },
    readers: ['prober'],
    says: 'Listeners of the service itself, with commas between them. Checks never reach them, even in an opened network.'
  },
  concurrency: {
    name: 'SERVICE_PROBER_CONCURRENCY',
    kind: 'integer',
    fallback: 200,
    min: 1,
    max: 10_000,
    unit: 'checks',
    readers: ['prober'],
    says: 'Maximum number of checks at the same time.'
  },
  processes: {
    name: 'SERVICE_PROBER_PROCESSES',
    kind: 'integer',
    fallback: 2,
    min: 1,
    max: 64,
    unit: 'processes',
    readers: ['prober'],
    says: 'Maximum number of processes that evaluate costly assertions. Each starts when it is needed.'
  },
  bufferMb: {
    name: 'SERVICE_PROBER_BUFFER_MB',
    kind: 'integer',
    fallback: 128,
    min: 1,
    max: 4096,
    unit: 'MiB',
    readers: ['prober'],
    says: 'Size of the buffer that keeps results while the service cannot be reached.'
  }
} as const satisfies Variables

export interface ProberSettings extends Omit<Values<typeof proberVariables>, 'bufferMb'> {
  bufferBytes: number
}

/** Reads the settings of a prober. Throws ConfigError naming every fault. */
export function readProberSettings(environment: NodeJS.ProcessEnv, defaultInstance: string): Readonly<ProberSettings> {
  const facts = { SERVICE_INSTANCE: defaultInstance }
  const { values, finish } = readVariables(environment, proberVariables, { facts })
  finish()
  const { bufferMb, ...settings } = values
  return Object.freeze({ ...settings, bufferBytes: bufferMb * 1_048_576 })
}
