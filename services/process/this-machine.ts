/** Whether the host of an address names this machine, as `URL.hostname` writes it. */
export const isThisMachine = (hostname: string): boolean => hostname === 'localhost' || hostname === '[::1]' || /^127\./.test(hostname)
