/**
 * Writes a number with what it counts: `1 escalation policy`, `2 monitors`. `things` is the plural.
 */
export const counted = (count: number, things: string): string =>
  `${count} ${count === 1 ? things.replace(/ies$/, 'y').replace(/s$/, '') : things}`
