import t from 'tap'
import { isHttpUrl } from '../../lib/text/is-http-url.ts'

t.test('only absolute http and https URLs are ones', t => {
  for (const url of ['http://a', 'https://a/b?c', 'HTTPS://a']) t.equal(isHttpUrl(url), true, url)
  const others = ['', '/a', 'a', 'http://', 'httpss://a', 'xhttp://a', 'file:///a', 'javascript:alert(1)', undefined, 5,
    new URL('http://a')]
  for (const other of others) t.equal(isHttpUrl(other), false, String(other))
  t.end()
})
