import { StartError } from '../start/start-error.ts'

/** Characters that are invisible or look like a blank. */
const unseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/u
const unseenAll = new RegExp(unseen, 'gu')

/** Letters and signs that look like Latin letters or other signs, mapped to these. */
const lookAlikes = new Map([
  'aаα', 'bвβ', 'cсϲ', 'dԁ', 'eеε', 'hһн', 'iіι', 'jјϳ', 'kкκ', 'lI1|ӏ', 'mм', 'nпη', 'o0оοσ', 'pрρ', 'qԛ', 'sѕ',
  'tтτ', 'uυ', 'vѵν', 'wԝω', 'xхχ', 'yуγ', '-‐‑‒–—−', "'’‘ʼ`´"
].flatMap(letters => [...letters.slice(1)].map(letter => [letter, letters.charAt(0)] as const)))

/** Folds a name: case, surrounding blanks, invisible characters and the Unicode form of accents are ignored. */
const fold = (name: string): string =>
  name.normalize('NFKC').replace(unseenAll, '').trim().replace(/ +/g, ' ').toLowerCase()

const look = (name: string): string =>
  fold([...name.normalize('NFKC')].map(letter => lookAlikes.get(letter) ?? letter).join(''))
    .replace(/./gu, letter => lookAlikes.get(letter) ?? letter)

/** Returns the account with exactly this name, or the only account with the same folded name. */
export function findAccount (accounts: readonly string[], name: string): string | undefined {
  if (accounts.includes(name)) return name
  const [account, ...more] = accounts.filter(account => fold(account) === fold(name))
  return more.length === 0 ? account : undefined
}

/**
 * Returns the name of an account to create, or of an existing account that gets another token.
 *
 * @throws StartError for an invalid name, or a name that looks like another account's name
 */
export function nameOfNew (accounts: readonly string[], given: string): string {
  const name = given.normalize('NFC').trim()
  if (accounts.includes(given)) return given
  if (accounts.includes(name)) return name
  if (name.startsWith('-')) throw new StartError('The name must not begin with a hyphen')
  if (unseen.test(name)) throw new StartError('The name must not have invisible characters')
  const other = accounts.find(account => fold(account) === fold(name) || look(account) === look(name))
  if (other !== undefined) throw new StartError(`The name looks like the account ${other}: choose another one`)
  return name
}
