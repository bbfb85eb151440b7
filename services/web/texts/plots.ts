/** Texts of plots, of state bands, and of error budgets. */
import { textsOf } from './text.ts'

export const plots = {
  'plot.incident': 'Incident',
  'plot.as_plot': 'Show as plot',
  'plot.as_table': 'Show as table',
  'plot.empty': 'There are no measurements in this time range.',
  'plot.table': 'the table',
  'plot.time': 'Time',
  'state.up': 'up',
  'state.degraded': 'degraded',
  'state.down': 'down',
  'state.maintenance': 'in maintenance',
  'state.paused': 'paused',
  'state.unknown': 'no data',
  'slot.span': '{from} to {to}: {states}',
  'budget.whole': 'All of it left',
  'budget.left': '{percent} left ({time})',
  'budget.spent': 'Spent, {time} over'
} as const

export const plotsText = textsOf(plots, 'plots')
