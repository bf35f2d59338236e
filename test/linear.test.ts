import { createAccounts, memoryAccountStore } from 'fastify-source-origin/accounts'
import t from 'tap'
import { createEncryption } from '../lib/accounts/create-encryption.ts'
import { createSourceClient } from 'fastify-source-origin/client'
import { urlExpiry } from '../lib/text/url-expiry.ts'
import { withoutSecrets, withoutUrlSecrets } from '../lib/errors/without-secrets.ts'
import { withoutTrailingSlashes } from '../lib/text/without-trailing-slashes.ts'
import { hostMatcher, isHostPattern } from '../lib/text/host-list.ts'
import { readMediaPath } from '../lib/media/media-path.ts'
import { chooseType, defaultTypes } from '../lib/media/media-types.ts'
import { refusePrivateLiteral } from '../lib/media/public-addresses.ts'
import { readContentRange, readRange, readUnsatisfied } from '../lib/media/ranges.ts'
import { errorWithoutQueries } from '../lib/media/without-queries.ts'
import { parseLyrics } from '../lib/page/browser/state/parse-lyrics.ts'
import { foldText, letterOf, limitMarks, sortKey, withoutArticle } from '../lib/text/names.ts'
import { readId, writeId } from '../lib/subsonic-server/ids.ts'
import { parseLrc } from '../lib/text/parse-lrc.ts'
import { parseWords } from '../lib/subsonic-server/parse-words.ts'
import { xmlPieces } from '../lib/subsonic-server/write-xml.ts'
import { prepareRequest } from '../lib/upstream/prepare-request.ts'
import { readRetryAfter } from '../lib/errors/retry-after.ts'
import { testLinear } from './example/test-linear.ts'

const accounts = createAccounts({ store: memoryAccountStore(), tokens: { one: 'a fixed token of the test' } })
const seal = createEncryption(['a secret of more than thirty-two bytes'])
/** What is refused was looked at, too. */
const refused = (run: () => unknown) => { try { return run() } catch {} }
const prepare = (path: string, query = {}) =>
  refused(() => prepareRequest('http://a.example', path, { query }, '*/*', []))
/** A client of an origin that answers a text. The platform's own reader of bodies is left out. */
const answered = (text: string, status = 200) => {
  const answer =
    { ok: status === 200, status, headers: new Headers({ 'retry-after': '1' }), text: async () => text } as Response
  return createSourceClient({ baseUrl: 'http://a.example', fetch: async () => answer }).offered().catch(() => {})
}
const codes = (text: string) => Array.from(text, character => character.codePointAt(0)!.toString(36))

testLinear(t, {
  'withoutSecrets, of parts of the text': text =>
    withoutSecrets(text, [text.slice(0, 6), text.slice(3, 10), text.slice(-100)]),
  withoutUrlSecrets,
  'withoutUrlSecrets, of a URL': text => withoutUrlSecrets(`https://a.example/${text}`),
  'withoutUrlSecrets, of a login': text => withoutUrlSecrets(`https://${text}`),
  'errorWithoutQueries, of causes': text => errorWithoutQueries(new Error(text, { cause: new Error(text) })),
  withoutTrailingSlashes,
  'urlExpiry, of a query': text => urlExpiry(`https://a.example/?${text}`),
  'urlExpiry, of its parameters': text =>
    ['expires', 'hdnea', 'X-Amz-Date', 'se'].map(name => urlExpiry(`?${name}=${text}`)),
  readMediaPath,
  readRange: text => readRange(`bytes=${text}`),
  readContentRange: text => readContentRange(`bytes ${text}`),
  readUnsatisfied: text => readUnsatisfied(`bytes */${text}`),
  'chooseType, of an upstream': text => chooseType(text, undefined, 'mp3', defaultTypes),
  'chooseType, of a name': text => chooseType(undefined, undefined, text, defaultTypes),
  refusePrivateLiteral,
  isHostPattern,
  'hostMatcher, of a redirect': text => refused(() => hostMatcher(['*.example'])(new URL(`https://a.example/${text}`))),
  'accounts.find, of any header': text => accounts.find(text),
  'accounts.find, of a token': text => accounts.find(`Bearer so_${text}`),
  'open, of what is sealed': text => seal.decrypt(Buffer.from(text), 'a place'),
  'an upstream\'s path': text => prepare(`/${text}`),
  'an upstream\'s query': text => prepare('', { text, [text]: text }),
  readRetryAfter,
  'an answer to the client': text => answered(text),
  'the message of an error to the client': text => answered(JSON.stringify({ code: 500, message: text }), 500),
  'capabilities for the client': text => answered(JSON.stringify({ code: 200, data: { capabilities: codes(text) } })),
  withoutArticle: text => withoutArticle(`The ${text}`),
  letterOf,
  foldText,
  limitMarks,
  sortKey,
  'writeId and readId': text => refused(() => readId(writeId('track', text))),
  xmlPieces: text => [...xmlPieces('a', { text, child: { value: text } })]
})

testLinear(t, {
  parseLrc,
  'the words of parseLrc': text => parseLrc(text).lines.map(({ value }) => value).join(''),
  parseWords,
  parseLyrics: lyrics => parseLyrics({ lyrics }),
  'parseLyrics, with words and a translation': lyrics =>
    parseLyrics({ lyrics, wordLyrics: lyrics, translatedLyrics: lyrics }),
  'parseLyrics, of lines': text => {
    const lyrics = codes(text).map((line, at) => `[${at}:00]${line}`).join('\n')
    return parseLyrics({ lyrics, translatedLyrics: lyrics })
  }
}, {
  more: [
    ['', '[0:0]', '', 'a'], ['[0:0]', '<0:0>', '', 'a'], ['', '[0:0]\n', 'a'], ['', ' [0:0]', '', ' '],
    ['[0:0]', '<0:0>a', '<0'], ['[offset:', '1', '[offset:']
  ]
})
