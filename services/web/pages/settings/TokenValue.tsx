/** The value of a token, shown once, with a command that tries it. */
import { Button } from '@mantine/core'
import type { TokenWithValue } from '../../api/shapes.ts'
import { CopyBlock } from '../../parts/Copy.tsx'
import { LateModal } from '../../parts/LateModal.tsx'
import classes from './Shown.module.css'

/** `token` null: closed. */
export function TokenValue({ token, onClose }: { token: TokenWithValue | null; onClose: () => void }) {
  return (
    <LateModal
      opened={token !== null}
      onClose={onClose}
      title={token && `The value of ${token.name}`}
      size="lg"
      closeOnClickOutside={false}
    >
      {token && (
        <div className={classes.shown}>
          <p>Copy the token now and store it safely. It cannot be shown again. To get a new one, rotate the token.</p>
          <CopyBlock title="Token" text={token.token} />
          <CopyBlock title="Try it: says who it is" text={trial(token.token)} />
          <Button onClick={onClose}>Done</Button>
        </div>
      )}
    </LateModal>
  )
}

const trial = (value: string): string => `curl -s ${location.origin}/api/v1/auth/session -H 'authorization: Bearer ${value}'`
