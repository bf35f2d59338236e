/** Scripts with more characters than a list of letters has room for, each under one of its own. */
const large = [
  [/\p{Script=Han}/u, '漢'], [/\p{Script=Hangul}/u, '한'], [/[\p{Script=Hiragana}\p{Script=Katakana}]/u, 'あ']
] as const

/** The letter that a name stands under in a list: upper case, without accents; `#` where there is none. */
export function letterOf (name: string): string {
  const first = /[\p{L}\p{N}]/u.exec(name)?.[0] ?? '#'
  const [plain] = first.normalize('NFD').toUpperCase()
  return large.find(([script]) => script.test(first))?.[1] ?? (/\p{L}/u.test(plain!) ? plain! : '#')
}
