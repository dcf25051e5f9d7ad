/**
 * MCP endpoint of one collection. Checks only the form of the path, so it does not reveal whether the collection
 * exists.
 */
const COLLECTION_MCP =
  /^\/v1\/collections\/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\/mcp$/i;

/** True for paths for which a token can be requested (RFC 8707). Such a token is accepted only there. */
export function isMcpPath(path: string): boolean {
  return path === '/v1/mcp' || COLLECTION_MCP.test(path);
}

/** True for the paths below PUBLIC_URL that are protected resources with their own metadata document (RFC 9728). */
export function isResourcePath(path: string): boolean {
  return path === '' || path === '/v1' || isMcpPath(path);
}

/** The most specific protected resource that contains a request's path. */
export function resourcePathOf(path: string): string {
  if (isMcpPath(path)) return path;
  return path === '/v1' || path.startsWith('/v1/') ? '/v1' : '';
}

/** The address of the metadata document for the resource at this path (RFC 9728, section 3.1). */
export function resourceDocument(publicUrl: string, path: string): string {
  return `${publicUrl}/.well-known/oauth-protected-resource${path}`;
}
