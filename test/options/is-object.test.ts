import t from 'tap'
import { isObject } from '../../lib/options/is-object.ts'

t.test('objects of any class are objects', async t => {
  for (const value of [{}, Object.create(null), new Date(), new Map()]) t.equal(isObject(value), true)
})

t.test('arrays, functions, null and values of other types are none', async t => {
  for (const value of [[], () => {}, null, undefined, 'text', 7, true]) t.equal(isObject(value), false)
})
