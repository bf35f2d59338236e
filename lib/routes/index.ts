export { openApiDocument, type OpenApiDocument } from './open-api-document.ts'
export { registerRoutes } from './register-routes.ts'
export { openRegistrations, register, type Registration } from './registrations.ts'
export { validateSourceOptions, type SourceOriginOptions } from './source-origin-options.ts'
