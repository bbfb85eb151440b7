/**
 * Tells whose page a browser's request comes from: the one rule for log-in, for writes that rely on
 * the cookie, and for sockets. An origin is a scheme, a host and a port, and all three count.
 *
 * Our origins are that of the public address and, with https, that of each further domain. Behind a
 * proxy the server itself is asked over http, so the address that it was asked for says nothing.
 * When the public address is http (a local run), the server that the browser asked counts too,
 * under any of its names: a page cannot choose the Host that its browser sends.
 */

/** `unsaid`: the browser does not say, or the client is no browser. */
export type Page = 'ours' | 'another' | 'unsaid'

export interface Origins {
  /**
   * Decides by the headers Origin, Host and Sec-Fetch-Site. Missing ones are undefined or empty.
   */
  pageOf(headers: { origin?: string | undefined; host?: string | undefined; fetchSite?: string | undefined }): Page
}

/** An origin has no path, name or password. `null` is no origin either. */
const ORIGIN = /^https?:\/\/[^/?#@\\\s,]+$/i

const parsed = (text: string): string | null => (ORIGIN.test(text) && URL.canParse(text) ? new URL(text).origin : null)

export function originsOf({ publicUrl, domains }: { publicUrl: string; domains: readonly string[] }): Origins {
  const { origin, protocol, port } = new URL(publicUrl)
  const isLocal = protocol === 'http:'
  // One proxy serves all domains, on the port of the public address.
  const suffix = port === '' || isLocal ? '' : `:${port}`
  const ours = new Set([origin, ...domains.map((domain) => `https://${domain}${suffix}`)])
  return {
    pageOf({ origin: said = '', host = '', fetchSite = '' }) {
      if (said !== '') {
        const from = parsed(said)
        if (from === null) return 'another'
        return ours.has(from) || (isLocal && from === parsed(`http://${host}`)) ? 'ours' : 'another'
      }
      // For some requests of a page to its own server, browsers send no Origin.
      if (fetchSite === '') return 'unsaid'
      return fetchSite === 'same-origin' ? 'ours' : 'another'
    }
  }
}
