/** The value of a token, shown once, with a command that tries it. */
import { Button } from '@mantine/core'
import type { TokenWithValue } from '../../api/shapes.ts'
import { CopyBlock } from '../../parts/Copy.tsx'
import { LateModal } from '../../parts/LateModal.tsx'
import { tokensText } from '../../texts/tokens.ts'
import classes from './Shown.module.css'

/** `token` null: closed. */
export function TokenValue({ token, onClose }: { token: TokenWithValue | null; onClose: () => void }) {
  return (
    <LateModal
      opened={token !== null}
      onClose={onClose}
      title={token && tokensText('value.title', { name: token.name })}
      size="lg"
      closeOnClickOutside={false}
    >
      {token && (
        <div className={classes.shown}>
          <p>{tokensText('value.hint')}</p>
          <CopyBlock title={tokensText('value.token')} text={token.token} />
          <CopyBlock title={tokensText('value.trial')} text={trial(token.token)} />
          <Button onClick={onClose}>{tokensText('value.done')}</Button>
        </div>
      )}
    </LateModal>
  )
}

const trial = (value: string): string => `curl -s ${location.origin}/api/v1/auth/session -H 'authorization: Bearer ${value}'`
