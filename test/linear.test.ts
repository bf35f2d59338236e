import { withoutUrlQueries } from '../lib/contract/without-secrets.ts'
import { readMediaPath } from '../lib/media/media-path.ts'
import { readContentRange, readRange, readUnsatisfied } from '../lib/media/ranges.ts'
import { letterOf, withoutArticle } from '../lib/subsonic/account/listing.ts'
import { fold } from '../lib/subsonic/account/memory.ts'
import { readId, writeId } from '../lib/subsonic/ids.ts'
import { parseLrc } from '../lib/subsonic/parse-lrc.ts'
import { parseWords } from '../lib/subsonic/parse-words.ts'
import { writeXml } from '../lib/subsonic/write-xml.ts'
import { testLinear } from './example/test-linear.ts'

testLinear({
  withoutUrlQueries,
  'withoutUrlQueries, of a URL': text => withoutUrlQueries(`https://a.example/${text}`),
  readMediaPath,
  readRange: text => readRange(`bytes=${text}`),
  readContentRange: text => readContentRange(`bytes ${text}`),
  readUnsatisfied: text => readUnsatisfied(`bytes */${text}`),
  withoutArticle: text => withoutArticle(`The ${text}`),
  letterOf,
  fold,
  'writeId and readId': text => readId(writeId('track', text)),
  parseLrc,
  'parseLrc, of a line with times': text => parseLrc(`[00:00.00]${text}`),
  parseWords: text => parseWords(`[00:00.00]${text}`),
  writeXml: text => writeXml('a', { text, child: { value: text } })
})
