import t from 'tap'
import { urlExpiry } from '../../lib/text/url-expiry.ts'

// A time without a zone is one of UTC, wherever this runs.
process.env.TZ = 'America/New_York'

const time = Date.parse('2026-01-31T23:59:59Z')
const seconds = time / 1000
const cases: [string, number | undefined][] = [
  ...['expire', 'expires', 'Expires', 'exp', 'deadline'].flatMap((name): [string, number][] =>
    [[`${name}=${seconds}`, time], [`${name}=${time + 7}`, time + 7]]),
  ['X-Amz-Date=20260131T225959Z&X-Amz-Expires=3600', time],
  ['X-Goog-Date=20260131T225959Z&X-Goog-Expires=3600', time],
  ['sv=2024&se=2026-01-31T23%3A59%3A59Z&sig=x', time],
  ['se=2026-01-31T23:59', Date.parse('2026-01-31T23:59:00Z')],
  ['se=2026-01-31T23:59:59', time],
  ['se=2026-02-01T01:59:59%2B02:00', time],
  ['se=2026-01-31', Date.parse('2026-01-31')],
  ...['hdnea', 'hdnts', '__token__'].map((name): [string, number] =>
    [`${name}=st=1~exp=${seconds}~acl=/*~hmac=x`, time]),
  [`hdnts=exp=${seconds}`, time],
  [`a=1&expires=${seconds + 60}&exp=${seconds}#expires=1`, time],
  ['', undefined],
  ['expires=3600', undefined],
  ['expires=soon', undefined],
  ['expires=12345678901', undefined],
  [`EXPIRES=${seconds}`, undefined],
  ['se=7', undefined],
  ['se=2026-13-45', undefined],
  ['X-Amz-Date=20260131T225959Z', undefined],
  ['X-Amz-Expires=3600', undefined],
  ['X-Amz-Date=today&X-Amz-Expires=3600', undefined],
  ['X-Goog-Date=20260131T225959Z&X-Goog-Expires=1h', undefined],
  ['hdnts=st=1~hmac=x', undefined],
  // A number or a time with something before it or behind it says nothing.
  ...[`1${time}`, `a${time}`, `${time}a`].map((text): [string, undefined] => [`expires=${text}`, undefined]),
  ...['a3600', '3600a', '1234567890'].map((text): [string, undefined] =>
    [`X-Amz-Date=20260131T225959Z&X-Amz-Expires=${text}`, undefined]),
  ...['a20260131T225959Z', '20260131T225959Za'].map((text): [string, undefined] =>
    [`X-Amz-Date=${text}&X-Amz-Expires=3600`, undefined]),
  ['se=on 2026-01-31', undefined]
]
for (const [query, expiry] of cases) {
  t.test(`${query}: ${expiry}`, async t => {
    t.equal(urlExpiry(`https://cdn.example/a.mp3?${query}`), expiry)
    t.equal(urlExpiry(`/media/a.mp3?${query}`), expiry)
  })
}

t.test('what is no query is not read', async t => {
  t.equal(urlExpiry(`https://cdn.example/expires=${seconds}`), undefined)
  t.equal(urlExpiry(`https://cdn.example/#?expires=${seconds}`), undefined)
  t.equal(urlExpiry('no url'), undefined)
})
