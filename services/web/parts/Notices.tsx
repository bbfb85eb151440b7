/** The place of the notices, once what draws them is there. */
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
