/**
 * Shows short messages for a while at the edge of the page. The component that draws them loads
 * right after the first render, so that it is ready before the first message, even if the network
 * is lost by then. Earlier messages wait for it.
 */
import type { NotificationData } from '@mantine/notifications'

type Board = typeof import('./NoticeBoard.tsx')

/** Most messages that wait until they can be drawn. Older ones are dropped. */
const MAX_WAITING = 10

let board: Board | null = null
let isLoading = false
let waiting: NotificationData[] = []
const listeners = new Set<() => void>()

export const boardNow = (): Board | null => board

/** For useSyncExternalStore. */
export function onBoard(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

export async function loadBoard(): Promise<void> {
  if (board || isLoading) return
  isLoading = true
  try {
    board = await import('./NoticeBoard.tsx')
    for (const notice of waiting) board.notifications.show(notice)
    waiting = []
    for (const listener of listeners) listener()
  } catch {
    // Loading is tried again as soon as the network is back, and with the next message.
    addEventListener('online', () => void loadBoard(), { once: true })
  } finally {
    isLoading = false
  }
}

export function showNotice(notice: NotificationData): void {
  if (board) {
    board.notifications.show(notice)
    return
  }
  waiting = [...waiting, notice].slice(-MAX_WAITING)
  void loadBoard()
}

export function hideNotice(id: string): void {
  if (board) board.notifications.hide(id)
  else waiting = waiting.filter((notice) => notice.id !== id)
}
