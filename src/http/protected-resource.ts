/** MCP over one collection. Of the form alone: that a path is a resource tells nothing of whether the collection is. */
const COLLECTION_MCP =
  /^\/v1\/collections\/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\/mcp$/i;

/** True for the paths that a token may be asked for alone (RFC 8707); it then is accepted there and nowhere else. */
export function isMcpPath(path: string): boolean {
  return path === '/v1/mcp' || COLLECTION_MCP.test(path);
}

/** True for the paths below PUBLIC_URL that are protected resources with a document of their own (RFC 9728). */
export function isResourcePath(path: string): boolean {
  return path === '' || path === '/v1' || isMcpPath(path);
}

/** The narrowest protected resource that a request's path belongs to. */
export function resourcePathOf(path: string): string {
  if (isMcpPath(path)) return path;
  return path === '/v1' || path.startsWith('/v1/') ? '/v1' : '';
}

/** Where the document about the resource at this path is (RFC 9728, section 3.1). */
export function resourceDocument(publicUrl: string, path: string): string {
  return `${publicUrl}/.well-known/oauth-protected-resource${path}`;
}
