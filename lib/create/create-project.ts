import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join, resolve } from 'node:path'

/** This package as it was published. What the project needs besides has the versions that this one was tested with. */
const { version, peerDependencies, devDependencies } = createRequire(import.meta.url)(
  'fastify-source-origin/package.json'
) as {
  version: string
  peerDependencies: Record<string, string>
  devDependencies: Record<string, string>
}

const template = join(import.meta.dirname, 'template')
/** The name that the template has; another one replaces it. */
export const defaultName = 'my-source'
/** npm does not publish these with a dot in front. */
const hidden = new Set(['gitignore', 'dockerignore'])

const packageOf = (name: string) => ({
  name,
  version: '0.1.0',
  private: true,
  type: 'module',
  engines: { node: '>=20.19.0' },
  scripts: {
    build: 'tsc',
    start: 'npm run build && node dist/server.js',
    test: 'npm run build && node --test dist/source.test.js',
    check: 'source-origin check http://localhost:3000'
  },
  dependencies: {
    fastify: peerDependencies.fastify,
    'fastify-source-origin': version
  },
  devDependencies: {
    '@types/node': devDependencies['@types/node'],
    typescript: devDependencies.typescript
  }
})

/**
 * Writes a small TypeScript project of a source into a folder, which is made when it is missing.
 *
 * @returns the name of the project: that of the folder as npm allows it
 * @throws for a folder that is not empty, and for what the system refuses
 */
export async function createProject (folder: string): Promise<string> {
  const root = resolve(folder)
  await mkdir(root, { recursive: true })
  if ((await readdir(root)).length > 0) throw new Error(`the folder ${root} is not empty`)

  const name = basename(root).toLowerCase().match(/[a-z0-9]+/g)?.join('-').slice(0, 214) ?? defaultName
  const write = async (path: string, text: string) => {
    const file = join(root, path)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, text, { flag: 'wx' })
  }
  for (const entry of await readdir(template, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    const text = await readFile(path, 'utf8')
    const target = hidden.has(entry.name) ? `.${entry.name}` : path.slice(template.length + 1)
    await write(target, text.replaceAll(defaultName, name))
  }
  await write('package.json', `${JSON.stringify(packageOf(name), null, 2)}\n`)
  return name
}
