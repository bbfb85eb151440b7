/** Tests of which parts of a ping's body are removed and which stay. */
import t from 'tap'
import { redact } from '../../../services/credentials/redact.ts'
import { EXCERPT, excerptOf } from '../../../services/intake/pings/redact.ts'
import { cut } from '../../../services/intake/readers.ts'

t.test('secrets and personal data are removed from a ping body', async (t) => {
  const jwt = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U'
  // biome-ignore format: a table
  const cases: [string, string][] = [
    ['mail jane.doe+ops@mail.example.co.uk now', 'mail [e-mail] now'],
    ['<jürgen@bücher.example>', '<[e-mail]>'],
    ['to=a@b.de,c@d.de', 'to=[e-mail],[e-mail]'],
    ['call +49 171 1234567 or +1 (555) 123-4567', 'call [phone] or [phone]'],
    ['call (555) 123-4567, 555-123-4567, 030 1234567, 0171-123 45 67, 01711234567', 'call [phone], [phone], [phone], [phone], [phone]'],
    ['postgres://app:s3cr3t@db.example.test:5432/app', 'postgres://[secret]@db.example.test:5432/app'],
    ['https://user:p@ss@host/x and redis://:pw@cache', 'https://[secret]@host/x and redis://[secret]@cache'],
    ['https://hooks.example.test/services/T00/B00/XXXXab12XXXXcd34XXXXef56', 'https://hooks.example.test/services/T00/B00/[secret]'],
    ['GET /x?token=abc&page=2', 'GET /x?token=[secret]&page=2'],
    ['https://x.test/?api_key=1&sig=2', 'https://x.test/?api_key=[secret]&sig=2'],
    ['password=hunter2', 'password=[secret]'],
    ['PGPASSWORD="two words" pg_dump', 'PGPASSWORD=[secret] pg_dump'],
    ["db_password: 'x y'", 'db_password: [secret]'],
    ['{"client_secret":"abc","user":"joe"}', '{"client_secret":[secret],"user":"joe"}'],
    ['passwd => x; pwd:y, secret = z', 'passwd => [secret]; pwd:[secret], secret = [secret]'],
    ['API_TOKEN=abc ACCESS-KEY: def', 'API_TOKEN=[secret] ACCESS-KEY: [secret]'],
    ['Authorization: Bearer abc.def\nnext', 'Authorization: [secret]\nnext'],
    ['-H "Cookie: a=b; c=d" -X', '-H "Cookie: [secret]" -X'],
    ['used bearer abcdef123', 'used bearer [secret]'],
    ['GenieKey 0123-abc', 'GenieKey [secret]'],
    [`id ${jwt} end`, 'id [secret] end'],
    ['ping 0198e000-0000-4000-8000-00000000000A', 'ping [secret]'],
    [`svc_${'a1-_B'.repeat(8)}xyz`, '[secret]'],
    ['AKIAIOSFODNN7EXAMPLE', '[secret]'],
    ['ghp_abcdEFGH1234', '[secret]'],
    ['sha d41d8cd98f00b204e9800998ecf8427e', 'sha [secret]'],
    ['key is xY3-_9zQ-aB_4cD-eF_5gH-iJ_6kL-mN_7oP', 'key is [secret]'],
    ['-----BEGIN RSA PRIVATE KEY-----\nMIIE\nabc\n-----END RSA PRIVATE KEY-----\nrest', '[secret]\nrest'],
    ['-----BEGIN PRIVATE KEY-----\nMIIE cut off', '[secret]']
  ]
  for (const [text, expected] of cases) t.equal(redact(text), expected, text)
})

t.test('harmless text stays in a ping body', async (t) => {
  // biome-ignore format: a list
  for (const text of ['backup of db-1 done: 1532 files, 12.5 GB in 00:12:31', '2026-11-21 10:00:00 +0100 INFO ok', '2026-11-21T10:00:00.123456Z', '20261121T030000Z',
    'host 192.168.100.200:5432 up', '/usr/local/lib/python3.11/site-packages/requests/adapters.py line 519', 'exit status 1', 'nightly-backup-of-the-warehouse-2026-11-21',
    'ssh root@db1 failed', 'keyboard: qwertz', 'passed 12 of 12', 'https://example.test/jobs/1234567/log?page=2', 'com.example.warehouse.BackupJobRunner', '1764000000 1764000000123', '']) {
    t.equal(redact(text), text, text)
  }
})

t.test('an excerpt is cut, redacted and free of control characters', async (t) => {
  t.equal(excerptOf(`a\u0000b\u001b[31mc\td\ne`), 'a b [31mc\td\ne')
  t.equal(excerptOf('x'.repeat(600)).length, EXCERPT)
  t.equal(excerptOf(`${'x '.repeat(250)}jane@example.test`), `${'x '.repeat(250)}[e-mail]`, 'what crosses the end is still found')
  t.equal(cut(`${'x'.repeat(511)}😀`, 512), 'x'.repeat(511), 'never half of a pair')
  t.equal(cut('😀', 2), '😀')
})

t.test('text crafted to slow down the redaction is handled in time', async (t) => {
  // Half a megabyte each: a pattern that tries every beginning to the end would run into the time
  // limit of the test.
  // biome-ignore format: a list
  for (const part of ['a', 'a@', 'a.', 'token="', "secret:'", 'password', 'eyJ', 'eyJaaaaaaaa.', '://', '://a', '0', '+1', '+1 2', '(555) ', '-----BEGIN PRIVATE KEY', '-', 'svc_',
    'a1', 'aB1-', 'bearer ', 'authorization: ', 'x@y.', '0123-', '555-', ' \t']) {
    t.type(redact(part.repeat(Math.ceil(500_000 / part.length))), 'string', part)
  }
})
