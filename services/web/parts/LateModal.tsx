/**
 * The frame of a dialog. Its code loads when the dialog is first opened; the content was loaded
 * with the page.
 */
import type { ModalProps } from '@mantine/core'
import { lateDialog } from './late-dialog.tsx'

export const LateModal = lateDialog<ModalProps>(async () => (await import('./LoadedModal.tsx')).LoadedModal)
