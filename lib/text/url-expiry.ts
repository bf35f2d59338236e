import { isoTime } from './iso-time.ts'

const plain = ['expire', 'expires', 'Expires', 'exp', 'deadline']
const akamai = ['hdnea', 'hdnts', '__token__']

/**
 * Returns the expiry time of a signed URL, read from its query, in Unix milliseconds: the earliest one if there are
 * several, `undefined` if there is none. Supported parameters are `expire`, `expires`, `Expires`, `exp`, `deadline` (10
 * digits are seconds, 13 milliseconds), the signed URLs of Amazon S3 and Google Cloud Storage, Azure's `se`, and `exp=`
 * in Akamai's `hdnea`, `hdnts` and `__token__`.
 */
export function urlExpiry (url: string): number | undefined {
  const query = new URLSearchParams(/^[^?#]*\?([^#]*)/.exec(url)?.[1])
  const read = (name: string) => query.get(name) ?? ''
  const times = [
    ...plain.map(name => unixTime(read(name))),
    ...akamai.map(name => unixTime(/(?:^|~)exp=(\d+)(?:~|$)/.exec(read(name))?.[1] ?? '')),
    ...['Amz', 'Goog'].map(cloud => isoTime(read(`X-${cloud}-Date`)) + lifetime(read(`X-${cloud}-Expires`))),
    isoTime(read('se'))
  ].filter(time => !Number.isNaN(time))
  return times.length === 0 ? undefined : Math.min(...times)
}

function unixTime (text: string): number {
  if (/^\d{10}$/.test(text)) return Number(text) * 1000
  return /^\d{13}$/.test(text) ? Number(text) : NaN
}

const lifetime = (text: string) => /^\d{1,9}$/.test(text) ? Number(text) * 1000 : NaN
