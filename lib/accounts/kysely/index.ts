export { openPostgres } from './open-postgres.ts'
export { kyselyStore } from './kysely-store.ts'
export { migrations } from './migrations.ts'
