/**
 * Puts cron expressions into words by the rules of services/api: five fields, or a name such as
 * @daily. The library is larger than a page, so only ScheduleFields.tsx and CronSchedule.tsx load
 * this file.
 */
import cronstrue from 'cronstrue'
import { heartbeatFormText } from '../../texts/heartbeat-form.ts'

export type CronWords = { words: string } | { fault: string }

const NICKNAME = /^@(hourly|daily|midnight|weekly|monthly|yearly|annually)$/i

/**
 * Returns what a cron expression means, or the fault that can be seen from its text alone. The api
 * decides whether it is valid.
 */
export function cronInWords(text: string): CronWords {
  const fields = text.trim().split(/\s+/)
  const [, , day = '', , weekday = ''] = fields
  if (text.trim() === '') return { fault: heartbeatFormText('cron.empty') }
  if (!NICKNAME.test(text.trim()) && fields.length !== 5)
    return { fault: fields.length === 1 ? heartbeatFormText('cron.one_field') : heartbeatFormText('cron.fields', { count: fields.length }) }
  try {
    const words = cronstrue.toString(text.trim(), {
      use24HourTimeFormat: true,
      // When both day fields are restricted, either one may match. When one begins with *, both
      // must match.
      logicalAndDayFields: day.startsWith('*') || weekday.startsWith('*')
    })
    return { words: words.replace(/(^|, )At /, '$1at ').replace(/^at/, 'At') }
  } catch (error) {
    const fault = (error instanceof Error ? error.message : String(error)).replace(/^Error: /, '')
    return { fault: `${fault.slice(0, 1).toUpperCase()}${fault.slice(1)}.` }
  }
}
