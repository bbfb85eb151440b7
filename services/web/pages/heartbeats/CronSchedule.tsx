/** A cron expression in words. Only ScheduleWords.tsx loads it. */
import { cronInWords } from './cron-words.ts'

export function CronSchedule({ expression }: { expression: string }) {
  const said = cronInWords(expression)
  return 'words' in said ? said.words : expression
}
