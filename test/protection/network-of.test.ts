import t from 'tap'
import { networkOf } from '../../lib/protection/network-of.ts'

t.test('addresses that belong to one host are one; what is no address is one, too', async t => {
  t.equal(networkOf('10.0.0.1'), '10.0.0.1')
  t.equal(networkOf('::ffff:10.0.0.1'), '10.0.0.1')
  t.equal(networkOf('2001:db8::1'), networkOf('2001:DB8:0:0:ffff::2'))
  t.not(networkOf('2001:db8::1'), networkOf('2001:db8:0:1::1'))
  t.equal(networkOf('10.0.0.1:5000'), '10.0.0.1')
  t.equal(networkOf('[2001:db8::1]:5000'), networkOf('2001:db8::1'))
  t.equal(networkOf('[2001:db8::1]'), networkOf('2001:db8::1'))
  // A Unix socket has none.
  for (const ip of ['a'.repeat(1000), '', undefined]) t.equal(networkOf(ip as string), 'unknown')
})
