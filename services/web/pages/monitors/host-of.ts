/** The host of an address; what is none stays as it is. */
export const hostOf = (target: string): string => (URL.canParse(target) ? new URL(target).host : target)
