/**
 * Whose page a browser's request comes from: the one rule for log-in, for writes that rest on the
 * cookie, and for sockets. An origin is a scheme, a host and a port, and all three count.
 *
 * Ours are the origin of the public address and, by https, that of each further domain. Behind a
 * proxy the server itself is asked by http, so what it was asked for says nothing there. Where the
 * public address is http (a local run) the server that the browser asked counts too, whichever of
 * its names was used: a page cannot choose the Host that its browser sends.
 */

/** `unsaid`: the browser does not say, or it is no browser. */
export type Page = 'ours' | 'another' | 'unsaid'

export interface Origins {
  /** By the headers Origin, Host and Sec-Fetch-Site; missing ones are undefined or empty. */
  pageOf(headers: { origin?: string | undefined; host?: string | undefined; fetchSite?: string | undefined }): Page
}

/** Without path, name and password: nothing else is an origin. `null` is none either. */
const ORIGIN = /^https?:\/\/[^/?#@\\\s,]+$/i

const parsed = (text: string): string | null => (ORIGIN.test(text) && URL.canParse(text) ? new URL(text).origin : null)

export function originsOf({ publicUrl, domains }: { publicUrl: string; domains: readonly string[] }): Origins {
  const { origin, protocol, port } = new URL(publicUrl)
  const isLocal = protocol === 'http:'
  // One proxy serves them all, on the port of the public address.
  const suffix = port === '' || isLocal ? '' : `:${port}`
  const ours = new Set([origin, ...domains.map((domain) => `https://${domain}${suffix}`)])
  return {
    pageOf({ origin: said = '', host = '', fetchSite = '' }) {
      if (said !== '') {
        const from = parsed(said)
        if (from === null) return 'another'
        return ours.has(from) || (isLocal && from === parsed(`http://${host}`)) ? 'ours' : 'another'
      }
      // Browsers leave Origin out of some requests of a page to its own server.
      if (fetchSite === '') return 'unsaid'
      return fetchSite === 'same-origin' ? 'ours' : 'another'
    }
  }
}
