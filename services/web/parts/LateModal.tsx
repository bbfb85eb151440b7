/** The box of a dialog, loaded when it is first opened; what stands in it came with the page. */
import type { ModalProps } from '@mantine/core'
import { lateDialog } from './late-dialog.tsx'

export const LateModal = lateDialog<ModalProps>(async () => (await import('./LoadedModal.tsx')).LoadedModal)
