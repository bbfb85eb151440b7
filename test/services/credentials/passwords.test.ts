/** Which passwords are too easy to guess, and the messages that refuse them. */
import t from 'tap'
import { weakness } from '../../../services/credentials/passwords.ts'

const known = ['ada.lovelace@example.test', 'Ada Lovelace', 'Analytical Engines', 'engines']

t.test('passwords that are refused', async (t) => {
  const cases: [string, RegExp][] = [
    ['aaaaaaaaaaaa', /repeat/],
    ['            ', /repeat/],
    ['abababababab', /repeat/],
    ['passwordpassword', /repeat/],
    ['P@ssw0rdP@ssw0rd', /repeat/],
    ['letmeinletmein', /repeat/],
    ['a'.repeat(256), /repeat/],
    ['qwertyuiop[]', /row of keys/],
    ['abcdefghijkl', /sequence/],
    ['123456789012', /must not/],
    ['1qaz2wsx3edc', /must not/],
    ['password1234', /common/],
    ['Password1234!', /common/],
    ['Welcome2026!', /common/],
    ['motherfucker', /common/],
    ['ada.lovelace@example.test', /made of your name/],
    ['AdaLovelace1', /made of your name/],
    ['enginesengines', /made of/],
    ['lovelace2026', /made of/]
  ]
  for (const [password, why] of cases) t.match((await weakness(password, known)) ?? 'taken', why, password.slice(0, 40))
})

t.test('passwords that are accepted', async (t) => {
  for (const password of [
    'correct horse battery staple',
    'vogelfrei am Donnerstag',
    'kX9#vQ2!mZ7p',
    'tr0ub4dor&3 und mehr',
    '\u041f\u0440\u0438\u0432\u0435\u0442, \u043a\u043e\u0442 \u0438 \u0447\u0430\u0439',
    `${'\u{1f4a5}\u{1f98a}\u{1f680}\u{1f409}'}${'\u{1f34b}\u{1f6b2}\u{1f3bb}\u{1f308}\u{1f40b}\u{1f33b}\u{1f9ca}\u{1f525}'}`
  ])
    t.equal(await weakness(password, known), null, password)
})
