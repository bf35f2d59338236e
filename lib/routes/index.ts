export { openApiDocument, type OpenApiDocument } from './open-api-document.ts'
export { type RegisteredSource, registerRoutes } from './register-routes.ts'
export { openRegistrations, register, type Registration, resolveRequest } from './registrations.ts'
export { checkSourceOptions, type SourceOriginOptions } from './source-origin-options.ts'
