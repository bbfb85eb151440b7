/**
 * Creates or changes a token: its name, what it may do, until when, and from where. A person's own
 * token gets what their role allows. Another person's token can only be narrowed.
 */
import { Checkbox, Modal, Select, Stack, Textarea, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { rightsOf } from '../../../../schemas/http/rights.ts'
import { defaultScopes, scopes as every } from '../../../../schemas/http/roles.ts'
import { client, take } from '../../api/client.ts'
import { useSession } from '../../api/session.ts'
import type { Member, NewToken, Role, Scope, Token, TokenWithValue } from '../../api/shapes.ts'
import { readAgain } from '../../api/workspace.ts'
import { Form } from '../../forms/Form.tsx'
import { useForm } from '../../forms/useForm.ts'
import { exact } from '../../parts/Since.tsx'
import { tellDone } from '../../parts/tell.ts'
import { tokensText } from '../../texts/tokens.ts'
import { scopeWords } from './roles.ts'

export interface TokenDialogProps {
  opened: boolean
  /** The token to change; undefined: a new one. */
  token: Token | undefined
  /** The owner of the token; undefined: a new token, or the owner is no longer a member. */
  owner: Member | undefined
  onClose: () => void
  onMade: (token: TokenWithValue) => void
}

export function TokenDialog({ opened, token, owner, onClose, onMade }: TokenDialogProps) {
  const { user } = useSession()
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={
        token ? tokensText(token.user_id === user?.id ? 'row.edit_of' : 'row.narrow_of', { name: token.name }) : tokensText('page.create')
      }
      size="lg"
    >
      <TokenForm token={token} owner={owner} onClose={onClose} onMade={onMade} />
    </Modal>
  )
}

const DAY_MS = 86_400_000
/** Days until the token ends; `kept` leaves its end as it is. */
const presets = () => [
  ...['7', '30', '90'].map((days) => ({ value: days, label: tokensText('form.days', { count: days }) })),
  { value: '365', label: tokensText('form.year') },
  { value: 'never', label: tokensText('form.never') }
]

interface Values {
  name: string
  scopes: readonly Scope[]
  expires: string
  /** A network a line. */
  networks: string
}

const valuesOf = (token: Token | undefined): Values =>
  token
    ? {
        name: token.name,
        scopes: every.filter((scope) => token.scopes.includes(scope)),
        expires: token.expires_at ? 'kept' : 'never',
        networks: token.allowed_cidrs.join('\n')
      }
    : { name: '', scopes: defaultScopes, expires: '365', networks: '' }

const toBody = ({ name, scopes, expires, networks }: Values): NewToken => ({
  name: name.trim(),
  scopes: [...scopes],
  ...(expires !== 'kept' && { expires_at: expires === 'never' ? null : new Date(Date.now() + Number(expires) * DAY_MS).toISOString() }),
  allowed_cidrs: networks.split(/[\s,]+/).filter((network) => network !== '')
})

/**
 * Returns the scopes to choose from. A person's own token can have what the role allows and what it
 * has kept from an earlier role. Another person's token can have only what it has.
 */
function scopesToChoose(token: Token | undefined, role: Role, mine: boolean): readonly Scope[] {
  const own = rightsOf(role, null)
  if (mine) return every.filter((scope) => own.has(scope) || token?.scopes.includes(scope))
  const kept = token?.scopes ?? []
  return every.filter((scope) => kept.includes(scope) || (kept.includes('admin') && own.has(scope)))
}

function TokenForm({ token, owner, onClose, onMade }: Omit<TokenDialogProps, 'opened'>) {
  const { user, role } = useSession()
  const mine = token === undefined || token.user_id === user?.id
  const queries = useQueryClient()
  const form = useForm({
    initial: valuesOf(token),
    schema: async () => (await import('../../../../schemas/http/tokens.ts')).CreateTokenBody,
    toBody,
    save: async (body): Promise<TokenWithValue | null> => {
      if (!token) return take(client.POST('/api/v1/workspace/tokens', { body }))
      await take(client.PATCH('/api/v1/workspace/tokens/{id}', { params: { path: { id: token.id } }, body }))
      return null
    },
    onSaved: (made) => {
      void readAgain(queries, 'tokens')
      onClose()
      if (made) onMade(made)
      else tellDone(tokensText('form.saved'))
    }
  })
  const { values, set, fault, left } = form
  const ends = token?.expires_at ?? null
  const kept = ends ? [{ value: 'kept', label: exact(ends) }] : []
  const isEarlier = (days: string): boolean => ends === null || (days !== 'never' && Date.now() + Number(days) * DAY_MS < Date.parse(ends))
  const choices = scopesToChoose(token, owner?.role ?? role, mine)
  return (
    <Form form={form} verb={tokensText(token ? 'form.save' : 'form.create')} onCancel={onClose}>
      <TextInput
        label={tokensText('form.name')}
        description={tokensText('form.name_hint')}
        value={values.name}
        onChange={(event) => set({ name: event.currentTarget.value })}
        onBlur={() => values.name !== '' && left('name')}
        error={fault('name')}
        disabled={!mine}
        data-autofocus={mine || undefined}
      />
      <Checkbox.Group
        label={tokensText('form.scopes')}
        description={tokensText(mine ? 'form.scopes_hint' : 'form.narrow_hint')}
        value={[...values.scopes]}
        onChange={(chosen) => set({ scopes: every.filter((scope) => chosen.includes(scope)) })}
        error={fault('scopes')}
      >
        <Stack gap="xs" mt={8}>
          {choices.map((scope) => {
            const { name, does } = scopeWords(scope)
            return <Checkbox key={scope} value={scope} label={name} description={does} />
          })}
        </Stack>
      </Checkbox.Group>
      <Select
        label={tokensText('form.expires')}
        data={[...kept, ...presets().filter(({ value }) => mine || isEarlier(value))]}
        value={values.expires}
        onChange={(expires) => expires !== null && set({ expires })}
        error={fault('expires_at')}
      />
      <Textarea
        label={tokensText('form.networks')}
        description={tokensText(mine ? 'form.networks_hint' : 'form.narrow_networks_hint')}
        autosize
        minRows={2}
        value={values.networks}
        onChange={(event) => set({ networks: event.currentTarget.value })}
        onBlur={() => left('allowed_cidrs')}
        error={fault('allowed_cidrs')}
      />
    </Form>
  )
}
