import t from 'tap'
import { createEncryption } from '../../lib/accounts/index.ts'

const secret = 'a secret that is more than thirty-two bytes long'
const text = '{"cookie":"ünï 🎵"}'

t.test('what was sealed is opened, and is not to be read before', async t => {
  const { encrypt: seal, decrypt: open } = createEncryption([secret])
  const sealed = seal(text, 'place')
  t.equal(open(sealed, 'place'), text)
  t.notOk(Buffer.from(sealed).includes('cookie'))
  t.notSame(seal(text, 'place'), sealed, 'twice is not the same')
})

t.test('an empty text is sealed and opened', async t => {
  const { encrypt: seal, decrypt: open } = createEncryption([secret])
  t.equal(open(seal('', ''), ''), '')
})

t.test('what was sealed for another place, changed or cut is not opened', async t => {
  const { encrypt: seal, decrypt: open } = createEncryption([secret])
  const sealed = seal(text, 'place')
  t.equal(open(sealed, 'places'), undefined)
  for (let index = 0; index < sealed.length; index++) {
    const changed = Uint8Array.from(sealed)
    changed[index]! ^= 1
    t.equal(open(changed, 'place'), undefined)
    t.equal(open(sealed.subarray(0, index), 'place'), undefined)
  }
})

t.test('a new secret is put in front; what the old one sealed is opened until it is taken away', async t => {
  const fresh = Buffer.alloc(32, 7)
  const sealed = createEncryption([secret]).encrypt(text, 'place')
  const both = createEncryption([fresh, secret])
  t.equal(both.decrypt(sealed, 'place'), text)
  t.equal(createEncryption([fresh]).decrypt(both.encrypt(text, 'place'), 'place'), text)
  t.equal(createEncryption([fresh]).decrypt(sealed, 'place'), undefined)
})

t.test('a secret of less than 32 bytes is an error that names it', async t => {
  for (const short of ['x'.repeat(31), new Uint8Array(31), [], [secret, 'short']]) {
    t.throws(() => createEncryption(short), { code: 'SOURCE_ORIGIN_ERR_INVALID_OPTION', message: /secret/ })
  }
})
