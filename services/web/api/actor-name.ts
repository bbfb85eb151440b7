/** Names an actor by the lists that were read. Pure. */
import { namesText } from '../texts/names.ts'

const parts = ['monitor', 'heartbeat', 'timer', 'api'] as const

export interface Known {
  /** The id of the person who looks. */
  me: string | undefined
  /** undefined: not read yet, or not to be read. Then nobody is called gone. */
  members: readonly { user_id: string; name: string }[] | undefined
  integrations: readonly { id: string; name: string }[] | undefined
}

/** Returns the name of an actor (kind:id) for the beginning of a sentence. */
export function nameOfActor({ me, members, integrations }: Known, actor: string | null, given: string | null = null): string {
  const [kind = '', ...rest] = (actor ?? 'system').split(':')
  const id = rest.join(':')
  if (kind === 'user') {
    if (id === me) return namesText('you.begin')
    return members?.find(({ user_id }) => user_id === id)?.name ?? namesText(members ? 'somebody.left' : 'somebody.unknown')
  }
  if (kind === 'integration')
    return (
      integrations?.find((integration) => integration.id === id)?.name ??
      namesText(integrations ? 'integration.deleted' : 'integration.unknown')
    )
  if (kind === 'token') return given === null ? namesText('token.unknown') : namesText('token.named', { name: given })
  const part = parts.find((one) => one === id)
  return namesText(part ? `part.${part}` : 'part.service')
}
