/** Returns the host of an address. A target that is not an address is returned unchanged. */
export const hostOf = (target: string): string => (URL.canParse(target) ? new URL(target).host : target)
