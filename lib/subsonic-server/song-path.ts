interface Named {
  readonly number: number | undefined
  readonly disc: number | undefined
  readonly title: string
  readonly suffix: string
}

/**
 * The path that the file of a song would have: apps that keep files name them so.
 *
 * @param folders names of its artist and its album
 */
export function songPath (folders: readonly string[], { number, disc = 1, title, suffix }: Named): string {
  const onDisc = disc > 1 ? `${disc}-` : ''
  const place = number === undefined ? '' : `${onDisc}${String(number).padStart(2, '0')} - `
  // Apps make file names of it, so no part leads out of the folder.
  const part = (name: string) => name.replace(/[/\\]/g, '_').replace(/^\.+$/, '_')
  return [...folders, `${place}${title}.${suffix}`].map(part).join('/')
}
