import { mockImport } from '../mock-import.ts'

/** A scaler that gets this in the place of sharp: what it exports, or the error of its import. */
export async function scalerWith (sharp: object, log: object = { info () {} }) {
  const { CoverScaler } = await mockImport<typeof import('../../lib/media/cover-scaler.ts')>(
    import.meta.resolve('../../lib/media/cover-scaler.ts'), { sharp }
  )
  return new CoverScaler(log as never)
}
