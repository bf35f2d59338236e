export { kyselyStore } from './kysely-store.ts'
export { migrations } from './migrations.ts'
