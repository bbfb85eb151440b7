/**
 * How the sender is set up: what to paste where, with the token filled in while it is known, and
 * whether the first alert has come.
 */
import { Button } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { KeyRound } from 'lucide-react'
import { mintedQuery } from '../../api/integrations.ts'
import { useMay } from '../../api/session.ts'
import type { Integration, Source } from '../../api/shapes.ts'
import { Copyable, CopyBlock } from '../../parts/Copy.tsx'
import { Facts, Section } from '../../parts/Page.tsx'
import { Arrival } from './Arrival.tsx'
import { Rotate } from './Rotate.tsx'
import classes from './Setup.module.css'

export function Setup({ integration, source }: { integration: Integration; source: Source }) {
  const mayWrite = useMay('write')
  const { data: minted } = useQuery(mintedQuery(integration.id))
  const { instructions, door_url, token_prefix } = minted ?? integration
  return (
    <>
      <Section title="Is it working?">
        <Arrival id={integration.id} />
      </Section>
      {minted ? (
        <Minted minted={minted} />
      ) : (
        <Section title="Address and token">
          <Facts
            facts={[
              ['Address', <Copyable key="door" text={door_url} what="the address" />],
              ['Token', <code key="token">{token_prefix}…</code>]
            ]}
          />
          <p className={classes.hint}>
            The token was shown when it was created. It appears as <code>&lt;token&gt;</code> below. If the token is lost, create a new one:
            the old one can stay good for a while.
          </p>
          {mayWrite ? <Rotate id={integration.id} /> : <p className={classes.hint}>An editor of the workspace can create a new one.</p>}
        </Section>
      )}
      <Section title={source.source_type === 'generic' ? 'How to send' : `In ${source.name}`}>
        <p className={classes.hint}>{source.description}</p>
        <div className={classes.blocks}>
          {instructions.map(({ title, text }) => (
            <CopyBlock key={title} title={title} text={text} />
          ))}
        </div>
      </Section>
      <Section title="When it resolves">
        <p className={classes.hint}>{source.resolves_when}</p>
      </Section>
    </>
  )
}

function Minted({ minted: { id, token, endpoint_url } }: { minted: Integration }) {
  const queries = useQueryClient()
  return (
    <section className={classes.minted} aria-label="The token, shown once">
      <h2>
        <KeyRound size={16} aria-hidden /> Shown once: copy the token now
      </h2>
      <p>
        Only a hash of the token is stored. After you reload this page, nobody can show it again. You can create a new token at any time.
      </p>
      <Facts
        facts={[
          token === null ? null : ['Token', <Copyable key="token" text={token} what="the token" />],
          endpoint_url === null ? null : ['URL with the token', <Copyable key="url" text={endpoint_url} what="the address" />]
        ]}
      />
      <Button variant="default" onClick={() => void queries.resetQueries({ queryKey: mintedQuery(id).queryKey })}>
        I have stored it
      </Button>
    </section>
  )
}
