/**
 * Words that stand for a while at the edge of the page. What draws them loads right after the first
 * look, so that it is there before there is something to say, also without a network; what is said
 * before then waits for it.
 */
import type { NotificationData } from '@mantine/notifications'

type Board = typeof import('./NoticeBoard.tsx')

/** What is said while it cannot be drawn; older words are dropped. */
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
    // As soon as there is a network again, and with the next word.
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
