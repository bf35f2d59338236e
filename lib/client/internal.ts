// Exports for other folders of lib that are not part of the public API.

export { validateConnection, type Connection } from './connection.ts'
export { connectionOf } from './create-source-client.ts'
export { isDeclared } from './older-origins.ts'
export { readEnvelope } from './read-envelope.ts'
export { requestOf, sendRequest, type SourceRequest } from './send-request.ts'
export { withinOrigin } from './within-origin.ts'
