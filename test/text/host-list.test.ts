import t from 'tap'
import { hostMatcher, isHostPattern } from '../../lib/text/host-list.ts'

t.test('a host is a name, an address or all names below one, with or without a port', async t => {
  const hosts = [
    'a.example', '*.a.example', 'a.example:1', 'a.example:65535', '127.0.0.1', '[::1]', '[2001:DB8::1]:8080',
    'bücher.example'
  ]
  for (const host of hosts) t.equal(isHostPattern(host), true, host)
  const others = [
    '', '*', '*.', 'a.*', '**.a.example', 'x*.a.example', '*a.example', 'a b', 'a/b', 'a\\b', 'a?b', 'a#b', 'u@a', 'a:',
    ':1', 'a:x', 'a:1x', 'xa:65536', 'a:123456', '::1', '[::1', '[x]', 'x[::1]', '[::1]x', '[]', 'https://a', 1, null,
    undefined, ['a']
  ]
  for (const host of others) t.equal(isHostPattern(host), false, String(host))
})

for (const [host, matching, others] of [
  ['a.example', ['https://a.example/', 'http://a.example/x', 'https://A.example:443/', 'http://a.example:80/'],
    ['https://b.a.example/', 'https://xa.example/', 'https://a.example:8443/', 'http://a.example:443/']],
  ['A.Example', ['https://a.example/'], ['https://b.example/']],
  ['bücher.example', ['https://xn--bcher-kva.example/'], ['https://bucher.example/']],
  ['*.a.example', ['https://b.a.example/', 'https://c.b.a.example/'],
    ['https://a.example/', 'https://ba.example/', 'https://b.a.example:8443/', 'https://b.a.example.org/']],
  ['a.example:8443', ['https://a.example:8443/', 'http://a.example:8443/'],
    ['https://a.example/', 'https://b.example:8443/']],
  ['a.example:443', ['https://a.example/', 'http://a.example:443/'], ['http://a.example/', 'https://a.example:80/']],
  ['a.example:80', ['http://a.example/', 'https://a.example:80/'], ['https://a.example/']],
  ['*.a.example:0080', ['http://b.a.example/'], ['https://b.a.example/', 'http://a.example/']],
  ['[::1]:80', ['http://[0:0::1]/'], ['http://[::2]/', 'https://[::1]/']]
] as const) {
  t.test(`what ${host} allows`, async t => {
    const isListed = hostMatcher(['other.example', host])
    for (const url of matching) t.equal(isListed(new URL(url)), true, url)
    for (const url of others) t.equal(isListed(new URL(url)), false, url)
    t.equal(hostMatcher([])(new URL(matching[0])), false)
  })
}
