/** Intervals between two checks that forms offer, in seconds. */
export const intervals: readonly number[] = [10, 15, 30, 60, 120, 180, 300, 600, 900, 1_800, 3_600, 10_800, 21_600, 43_200, 86_400]
