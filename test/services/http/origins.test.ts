/** Which pages count as `ours`: the rule alone, as a table. */
import t from 'tap'
import { originsOf, type Page } from '../../../services/http/origins.ts'

const proxied = originsOf({ publicUrl: 'https://alerts.example', domains: ['status.example'] })
const onPort = originsOf({ publicUrl: 'https://alerts.example:8443/', domains: ['status.example'] })
const local = originsOf({ publicUrl: 'http://127.0.0.1:8080', domains: [] })

//  a page                                       ours      Origin                           Host                Sec-Fetch-Site  whose
const pages: [string, typeof local, string | undefined, string | undefined, string | undefined, Page][] = [
  ['of the public address', proxied, 'https://alerts.example', 'alerts.example', 'same-origin', 'ours'],
  ['of the public address, its port said', proxied, 'https://alerts.example:443', 'alerts.example', undefined, 'ours'],
  ['of a further domain', proxied, 'https://status.example', 'status.example', undefined, 'ours'],
  ['of the public address by http', proxied, 'http://alerts.example', 'alerts.example', undefined, 'another'],
  ['of the public address on another port', proxied, 'https://alerts.example:8443', 'alerts.example', undefined, 'another'],
  ['of another port that the proxy passed on', proxied, 'http://alerts.example:8080', 'alerts.example:8080', undefined, 'another'],
  ['of a further domain by http', proxied, 'http://status.example', 'status.example', undefined, 'another'],
  ['of the host that was asked, which is none of ours', proxied, 'https://evil.example', 'evil.example', undefined, 'another'],
  ['of the server behind the proxy', proxied, 'http://10.0.0.1:8080', '10.0.0.1:8080', undefined, 'another'],
  ['without an origin of its own', proxied, 'null', 'alerts.example', 'same-origin', 'another'],
  ['that is no origin', proxied, 'https://alerts.example/', 'alerts.example', undefined, 'another'],
  ['of two', proxied, 'https://alerts.example, https://evil.example', 'alerts.example', undefined, 'another'],
  ['with a name and a password', proxied, 'https://alerts.example:x@evil.example', 'alerts.example', undefined, 'another'],
  ['that is garbage', proxied, '::::', 'alerts.example', undefined, 'another'],
  ['of another scheme', proxied, 'chrome-extension://alerts.example', 'alerts.example', undefined, 'another'],
  ['on the port of the public address', onPort, 'https://alerts.example:8443', undefined, undefined, 'ours'],
  ['of a further domain on that port', onPort, 'https://status.example:8443', undefined, undefined, 'ours'],
  ['of a further domain on another port', onPort, 'https://status.example', undefined, undefined, 'another'],
  ['of the address of a local run', local, 'http://127.0.0.1:8080', '127.0.0.1:8080', undefined, 'ours'],
  ['of a local run by another name', local, 'http://localhost:8080', 'localhost:8080', undefined, 'ours'],
  ['of a local run by another name, in capitals', local, 'http://localhost:8080', 'LOCALHOST:8080', undefined, 'ours'],
  ['of a local run on port 80', local, 'http://localhost', 'localhost:80', undefined, 'ours'],
  ['of a local run by https', local, 'https://localhost:8080', 'localhost:8080', undefined, 'another'],
  ['of a local run on another port', local, 'http://127.0.0.1:9999', '127.0.0.1:8080', undefined, 'another'],
  ['of a local run, Host missing', local, 'http://localhost:8080', undefined, undefined, 'another'],
  ['of a local run, Host no host', local, 'http://localhost:8080', 'localhost:8080/x', undefined, 'another'],
  ['of its own server, as the browser says', proxied, undefined, 'alerts.example', 'same-origin', 'ours'],
  ['of another site, as the browser says', proxied, undefined, 'alerts.example', 'cross-site', 'another'],
  ['of another host of the site, as the browser says', proxied, '', 'alerts.example', 'same-site', 'another'],
  ['of nobody: no browser', proxied, undefined, 'alerts.example', undefined, 'unsaid']
]
for (const [name, origins, origin, host, fetchSite, whose] of pages) {
  t.test(`whether a page ${name} is ours`, async (t) => {
    t.equal(origins.pageOf({ origin, host, fetchSite }), whose)
  })
}
