/**
 * Cron in words, as services/api judges it: five fields, or a name such as @daily. Its library
 * weighs more than a page: only ScheduleFields.tsx and CronSchedule.tsx load it.
 */
import cronstrue from 'cronstrue'
import { heartbeatFormText } from '../../texts/heartbeat-form.ts'

export type CronWords = { words: string } | { fault: string }

const NICKNAME = /^@(hourly|daily|midnight|weekly|monthly|yearly|annually)$/i

/**
 * What a cron expression says, or what is wrong with it as far as its words show; the api has the
 * last word.
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
      // Both days restricted means either; where one begins with *, both must fit.
      logicalAndDayFields: day.startsWith('*') || weekday.startsWith('*')
    })
    return { words: words.replace(/(^|, )At /, '$1at ').replace(/^at/, 'At') }
  } catch (error) {
    const fault = (error instanceof Error ? error.message : String(error)).replace(/^Error: /, '')
    return { fault: `${fault.slice(0, 1).toUpperCase()}${fault.slice(1)}.` }
  }
}
