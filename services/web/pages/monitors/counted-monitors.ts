/** `1 monitor`, `42 monitors`. */
import { monitorsText } from '../../texts/monitors.ts'

export const countedMonitors = (count: number): string => (count === 1 ? monitorsText('count.one') : monitorsText('count.some', { count }))
