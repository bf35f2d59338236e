import { StartError } from '../start/start-error.ts'

/** What nobody sees, or what looks like a blank and is none. */
const unseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/u
const unseenAll = new RegExp(unseen, 'gu')

/** Letters that look like Latin ones, and signs that look like others, by what they look like. */
const lookAlikes = new Map([
  'aаα', 'bвβ', 'cсϲ', 'dԁ', 'eеε', 'hһн', 'iіι', 'jјϳ', 'kкκ', 'lI1|ӏ', 'mм', 'nпη', 'o0оοσ', 'pрρ', 'qԛ', 'sѕ',
  'tтτ', 'uυ', 'vѵν', 'wԝω', 'xхχ', 'yуγ', '-‐‑‒–—−', "'’‘ʼ`´"
].flatMap(letters => [...letters.slice(1)].map(letter => [letter, letters.charAt(0)] as const)))

/** A name as it is typed in a login: its case, blanks about it and how its accents are written do not count. */
const fold = (name: string): string =>
  name.normalize('NFKC').replace(unseenAll, '').trim().replace(/ +/g, ' ').toLowerCase()

const look = (name: string): string =>
  fold([...name.normalize('NFKC')].map(letter => lookAlikes.get(letter) ?? letter).join(''))
    .replace(/./gu, letter => lookAlikes.get(letter) ?? letter)

/** The account that a name means: the one with exactly this name, or the only one that fits. */
export function findAccount (accounts: readonly string[], name: string): string | undefined {
  if (accounts.includes(name)) return name
  const [account, ...more] = accounts.filter(account => fold(account) === fold(name))
  return more.length === 0 ? account : undefined
}

/**
 * The name of an account that is made, or gets another token.
 *
 * @throws StartError for what is no name, or looks like that of another account
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
