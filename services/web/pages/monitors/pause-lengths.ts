/** Lengths of a pause, as the choices of a select; an empty value means no end. */
import { monitorWordsText } from '../../texts/monitor-words.ts'

export const pauseLengths = (): { value: string; label: string }[] => [
  { value: '', label: monitorWordsText('pause.open') },
  { value: '30', label: monitorWordsText('pause.minutes', { count: 30 }) },
  { value: '60', label: monitorWordsText('pause.hour') },
  { value: '240', label: monitorWordsText('pause.hours', { count: 4 }) },
  { value: '1440', label: monitorWordsText('pause.day') },
  { value: '10080', label: monitorWordsText('pause.days', { count: 7 }) }
]
