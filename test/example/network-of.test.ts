import t from 'tap'
import { networkOf } from '../../example/network-of.ts'

t.test('addresses that belong to one host are one; what is no address is itself', async t => {
  t.equal(networkOf('10.0.0.1'), '10.0.0.1')
  t.equal(networkOf('::ffff:10.0.0.1'), '10.0.0.1')
  t.equal(networkOf('2001:db8::1'), networkOf('2001:DB8:0:0:ffff::2'))
  t.not(networkOf('2001:db8::1'), networkOf('2001:db8:0:1::1'))
  t.equal(networkOf('unknown'), 'unknown')
})
