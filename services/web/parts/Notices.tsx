/**
 * The place of the notices on the page. It stays empty until the component that draws them is
 * loaded.
 */
import { useEffect, useSyncExternalStore } from 'react'
import { boardNow, loadBoard, onBoard } from './notices.ts'

const AFTER_FIRST_LOOK_MS = 250

export function Notices() {
  const board = useSyncExternalStore(onBoard, boardNow)
  useEffect(() => {
    const timer = setTimeout(() => void loadBoard(), AFTER_FIRST_LOOK_MS)
    return () => clearTimeout(timer)
  }, [])
  return board && <board.NoticeBoard />
}
