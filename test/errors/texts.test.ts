import t from 'tap'
import { encryptedSession, unknownOption } from '../../lib/errors/author-errors.ts'
import { SourceError } from '../../lib/contract/errors.ts'
import { lacksPackage } from '../../lib/errors/lacks-package.ts'
import { readRetryAfter } from '../../lib/errors/retry-after.ts'
import { wholeSeconds } from '../../lib/errors/whole-seconds.ts'
import { secretsIn, withoutSecrets, withoutUrlSecrets } from '../../lib/errors/without-secrets.ts'
import { fakeTime } from '../fake-time.ts'

t.test('an error has what it was given, and no cause where none was', async t => {
  t.notOk(Object.hasOwn(new SourceError(404, 'gone'), 'cause'))
  const error = new SourceError(429, 'slow down', { code: 1, cause: 'why', retryAfterSeconds: 2 })
  t.match(error, { status: 429, message: 'slow down', code: 1, cause: 'why', retryAfterSeconds: 2 })
})

t.test('an unknown option is named, with the one that was meant where one is like it', async t => {
  t.match(unknownOption('prefx', 'prefix'), {
    code: 'SOURCE_ORIGIN_ERR_UNKNOWN_OPTION', message: 'Unknown option "prefx": did you mean "prefix"?'
  })
  t.equal(unknownOption('zzzzzzzz').message, 'Unknown option "zzzzzzzz"')
})

t.test('a missing package and a session that cannot be opened are errors with a code', async t => {
  await t.rejects(import(String('gone')).catch(lacksPackage('gone', 'store')), {
    code: 'SOURCE_ORIGIN_ERR_MISSING_PACKAGE', message: 'Option "store" needs the package gone: npm install gone'
  })
  t.match(encryptedSession(), {
    code: 'SOURCE_ORIGIN_ERR_SEALED_SESSION',
    message: /^A stored session cannot be opened: give createAccounts the secret/
  })
})

for (const [value, seconds] of [
  [0, 0], [1.2, 2], [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
  [-1, undefined], [NaN, undefined], [Infinity, undefined], [Number.MAX_SAFE_INTEGER + 1, undefined], ['5', undefined],
  [true, undefined]
] as const) {
  t.test(`wholeSeconds of ${typeof value} ${value} is ${seconds}`, async t => t.equal(wholeSeconds(value), seconds))
}

for (const [text, without] of [
  ['https://a.example/b?token=c', 'https://a.example/b?[query]'],
  ['see "https://a.example/b#token" and http://b.example?x.',
    'see "https://a.example/b?[query]" and http://b.example?[query]'],
  ['https://a.example/b', 'https://a.example/b'],
  ['what is this? no #URL', 'what is this? no #URL'],
  ['a?b://c', 'a?b://c'],
  ['https://ann:hush@a.example/b?token=c', 'https://[login]@a.example/b?[query]'],
  ['redis://:hu@sh@a.example:6379', 'redis://[login]@a.example:6379'],
  ["from 'http://ann:it's@a.example/' to (socks5://bob@b.example)",
    "from 'http://[login]@a.example/' to (socks5://[login]@b.example)"],
  ['http://a.example/,http://ann:hush@b.example/', 'http://a.example/,http://[login]@b.example/'],
  ['https://a.example/@ann and ann@a.example', 'https://a.example/@ann and ann@a.example']
] as const) {
  t.test(`withoutUrlSecrets of ${text}`, async t => t.equal(withoutUrlSecrets(text), without))
}

for (const [authorization, text, without] of [
  ['Bearer correct horse staple', 'of correct horse staple', 'of [authorization]'],
  ['correct horse staple', 'of correct horse staple, horse staple, correct and Correct',
    'of [authorization], [authorization], [authorization] and Correct'],
  ['Basic abcdefgh', 'Basic login abcdefgh', 'Basic login [authorization]'],
  [undefined, 'nothing', 'nothing']
] as const) {
  t.test(`what ${authorization} has of secrets is taken out of "${text}"`, async t =>
    t.equal(withoutSecrets(text, secretsIn(authorization)), without))
}

t.test('withoutSecrets takes out secrets of six characters and more', async t => {
  t.equal(
    withoutSecrets('secret and tokens and short', ['secret', 'tokens', 'short']),
    '[authorization] and [authorization] and short'
  )
})

for (const [header, seconds] of [
  ['12', 12], ['12.5', 13], ['12.', 12], ['Thu, 01 Jan 2026 00:00:30 GMT', 30],
  ['Wed, 31 Dec 2025 23:59:50 GMT', 0], ['49.25', 50], ['999999999', 86_400],
  ['5x', undefined], ['x5', undefined], ['', undefined], [null, undefined]
] as const) {
  t.test(`readRetryAfter of ${header} is ${seconds}`, async t => {
    // Its clock begins with 2026.
    fakeTime(t)
    t.strictSame(readRetryAfter(header), seconds)
  })
}
