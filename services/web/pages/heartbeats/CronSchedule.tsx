/** Shows a cron expression in words. Only ScheduleWords.tsx loads this file. */
import { cronInWords } from './cron-words.ts'

export function CronSchedule({ expression }: { expression: string }) {
  const said = cronInWords(expression)
  return 'words' in said ? said.words : expression
}
