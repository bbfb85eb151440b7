/**
 * UUIDs against known test vectors.
 * Source: RFC 9562 appendix A (v5, v7); Python's uuid module (v5 of a URL).
 */
import { createHash } from 'node:crypto'
import t from 'tap'
import { uuidv4, uuidv5, uuidv7 } from '../../schemas/uuid.ts'

const DNS = '6ba7b810-9dad-11d1-80b4-00c04fd430c8'
const URL_NAMESPACE = '6ba7b811-9dad-11d1-80b4-00c04fd430c8'

t.test('UUID version 5 matches the published vectors', async (t) => {
  t.equal(uuidv5(DNS, 'www.example.com'), '2ed6657d-e927-568b-95e1-2665a8aea6a2') // RFC 9562 A.4
  // Documentation of Python's uuid module.
  t.equal(uuidv5(DNS, 'python.org'), '886313e1-3b8a-5372-9b90-0c9aee199e5d')
  t.equal(uuidv5(URL_NAMESPACE, ''), '1b4db7eb-4057-5ddf-91e0-36dec72071f5')
  t.equal(uuidv5(DNS.toUpperCase(), 'www.example.com'), uuidv5(DNS, 'www.example.com'))
})

t.test('UUID version 5 matches SHA-1 for long and multibyte names', async (t) => {
  for (const name of ['é', '😀', 'x'.repeat(165), 'x'.repeat(166), '€'.repeat(165), '€'.repeat(166), '😀'.repeat(1000), '\ud800']) {
    const sha1 = createHash('sha1')
      .update(Buffer.from(DNS.replaceAll('-', ''), 'hex'))
      .update(name, 'utf8')
      .digest('hex')
    const made = uuidv5(DNS, name).replaceAll('-', '')
    t.equal(made.slice(0, 12) + made.slice(13, 16) + made.slice(17), sha1.slice(0, 12) + sha1.slice(13, 16) + sha1.slice(17, 32))
    t.match(uuidv5(DNS, name), /^.{14}5.{4}[89ab]/)
  }
})

t.test('UUID version 5 refuses a namespace that is not a UUID', async (t) => {
  for (let times = 0; times < 2; times++)
    t.throws(() => uuidv5('www.example.com', 'x'), { name: 'TypeError', message: /www\.example\.com/ })
})

t.test('UUID version 7 starts with the time and sorts by it', async (t) => {
  const vector = uuidv7(0x017f22e279b0) // Instant of RFC 9562 A.6.
  t.match(vector, /^017f22e2-79b0-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  t.ok(uuidv7(1) < uuidv7(2))
  t.not(uuidv7(1), uuidv7(1))
})

t.test('UUID version 4 is random', async (t) => {
  t.match(uuidv4(), /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  t.not(uuidv4(), uuidv4())
})
