/** Only LateModal.tsx loads it. */
export { Modal as LoadedModal } from '@mantine/core'
