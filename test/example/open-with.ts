import { accountTables, firstMigration, formerMigrations } from '../../example/database/tables.ts'
import { mockImport } from '../mock-import.ts'

const module = import.meta.resolve('../../example/database/open-database.ts')
type Module = typeof import('../../example/database/open-database.ts')

/** Opens the database as a version of the example does that has these migrations. */
export async function openWith (migrations: object, ...options: Parameters<Module['openDatabase']>) {
  const { openDatabase } =
    await mockImport<Module>(module, { './tables.ts': { accountTables, firstMigration, formerMigrations, migrations } })
  return openDatabase(...options)
}
