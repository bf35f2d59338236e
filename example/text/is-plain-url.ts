/** Checks that no part of a password can be taken for a part of the address, as with an unencoded @ or / in it. */
export function isPlainUrl (url: string): boolean {
  if (!URL.canParse(url)) return false
  const { pathname, search, hash } = new URL(url)
  return !`${pathname}${search}${hash}`.includes('@') && url.split('@').length <= 2
}
