interface Named {
  readonly number: number | undefined
  readonly disc: number | undefined
  readonly title: string
  readonly suffix: string
}

/**
 * Returns the path of a song's file: apps that store files name them by it.
 *
 * @param folders names of its artist and its album
 */
export function songPath (folders: readonly string[], { number, disc = 1, title, suffix }: Named): string {
  const onDisc = disc > 1 ? `${disc}-` : ''
  const place = number === undefined ? '' : `${onDisc}${String(number).padStart(2, '0')} - `
  // Apps use it as a file name, so no part may lead out of the folder.
  const part = (name: string) => name.replace(/[/\\]/g, '_').replace(/^\.+$/, '_')
  return [...folders, `${place}${title}.${suffix}`].map(part).join('/')
}
