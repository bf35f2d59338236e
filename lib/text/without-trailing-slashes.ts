/** Returns a URL without its trailing slashes. */
export function withoutTrailingSlashes (url: string): string {
  let end = url.length
  while (url[end - 1] === '/') end--
  return url.slice(0, end)
}
