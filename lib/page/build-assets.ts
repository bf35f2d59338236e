import { build, type Plugin } from 'esbuild'
import { readFile } from 'node:fs/promises'
import { basename, extname, resolve } from 'node:path'

// npm scripts and tests run in the root of the project.
const folder = 'lib/page/browser'

/** A file that browsers load. */
export interface Asset {
  readonly type: string
  /** The content; pictures in base64. */
  readonly body: string
}

const types: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8', css: 'text/css; charset=utf-8', svg: 'image/svg+xml', png: 'image/png'
}

/** Each later part imports the complete initial part, so that it stays a single file. */
const oneStart: Plugin = {
  name: 'one start',
  setup (build) {
    const later = new Set<string>()
    build.onResolve({ filter: /^\./ }, ({ kind, path, resolveDir }) => {
      if (kind === 'dynamic-import') later.add(resolve(resolveDir, path))
      return undefined
    })
    build.onLoad({ filter: /\.tsx?$/ }, async ({ path }) => {
      if (!later.has(path)) return undefined
      const contents = `${await readFile(path, 'utf8')}\nimport '${resolve(folder, 'main.tsx')}'\n`
      return { contents, loader: extname(path).slice(1) as 'ts' | 'tsx' }
    })
  }
}

/** Removes `offered` of the client from the bundle, because the page never calls it. */
const withoutOffered: Plugin = {
  name: 'without offered',
  setup (build) {
    build.onLoad({ filter: /[\\/]offered-source\.ts$/ }, () => ({ contents: 'export const offeredSource = undefined' }))
  }
}

/**
 * Every file of the page by its name, which contains a hash of the content: `main-5F3K2A7Q.js`. Built when this module
 * is loaded.
 */
export const assets: ReadonlyMap<string, Asset> = await buildAssets()

async function buildAssets (): Promise<Map<string, Asset>> {
  const { outputFiles } = await build({
    entryPoints: ['main.tsx', 'joiner.ts', 'worker.ts', 'style/main.css', 'icon.svg', 'icon.png'].map(
      name => `${folder}/${name}`
    ),
    outdir: 'assets',
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    assetNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    minify: true,
    charset: 'utf8',
    loader: { '.svg': 'copy', '.png': 'copy' },
    plugins: [oneStart, withoutOffered],
    write: false
  })
  return new Map(outputFiles.map(({ path, contents }) => {
    const type = types[path.split('.').at(-1)!]!
    const body = Buffer.from(contents).toString(type === 'image/png' ? 'base64' : 'utf8')
    return [basename(path), { type, body }]
  }))
}
